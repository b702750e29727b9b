"""The log of requests and what it says about politeness."""

from collections.abc import Iterator

from simweb.journal import Journal
from simweb.messages import Request


def ticks(*times: float) -> Iterator[float]:
    yield from times


def asking(host: str) -> Request:
    return Request("GET", "https", host, "/a?b=1", {"referer": "x"})


def test_a_visit_is_recorded_whole() -> None:
    """Method, address, headers, times and status of a request are kept."""
    clock = ticks(1.0, 1.5)
    journal = Journal(lambda: next(clock))

    journal.leave(journal.arrive(asking("www.fdso.gov")), "www.fdso.gov", 200)

    visit = journal.visits()[0]
    assert (visit.url, visit.path, visit.domain) == ("https://www.fdso.gov/a?b=1", "/a", "fdso.gov")
    assert (visit.method, visit.headers, visit.status) == ("GET", {"referer": "x"}, 200)
    assert (visit.arrived_s, visit.ended_s, visit.in_flight_host, visit.in_flight_domain) == (1.0, 1.5, 0, 0)


def test_overlap_on_one_domain_is_a_violation() -> None:
    """A request that arrives while another host of the same domain owes an answer is impolite."""
    journal = Journal(lambda: 0.0)
    journal.arrive(asking("www.fdso.gov"))

    second = journal.arrive(asking("data.fdso.gov"))

    assert [visit.number for visit in journal.violations()] == [second]
    assert (journal.visits()[1].in_flight_host, journal.visits()[1].in_flight_domain) == (0, 1)


def test_one_after_another_is_polite() -> None:
    """A request that waits for the answer before it is no violation, and the pause is measured."""
    clock = ticks(0.0, 1.0, 3.5, 4.0)
    journal = Journal(lambda: next(clock))

    journal.leave(journal.arrive(asking("www.fdso.gov")), "www.fdso.gov", 200)
    journal.leave(journal.arrive(asking("www.fdso.gov")), "www.fdso.gov", 200)

    assert journal.violations() == ()
    assert journal.shortest_pause_s("fdso.gov") == 2.5


def test_clearing_keeps_what_is_in_flight() -> None:
    """After a clear the visits are gone, but an unanswered request still counts against the next."""
    journal = Journal(lambda: 0.0)
    journal.arrive(asking("www.fdso.gov"))

    journal.clear()
    journal.arrive(asking("www.fdso.gov"))

    assert [visit.in_flight_domain for visit in journal.visits()] == [1]
