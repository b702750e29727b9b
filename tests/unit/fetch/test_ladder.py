"""The escalation rule."""

import pytest

from lyra.fetch.ladder import RUNGS, Attempt, Step, Ways, next_rung
from lyra.model.page import FetchOutcome

ALL = Ways()


def climb(*attempts: Attempt, ways: Ways = ALL) -> str | None:
    return next_rung(attempts, ways).rung


def test_first_rung_is_http() -> None:
    """Every fetch begins with the lightest way, and says so."""
    assert next_rung((), ALL) == Step("http", "the lightest way first")


def test_remembered_rung_is_the_first() -> None:
    """What has worked for a domain is begun with, with the reason."""
    ways = Ways(first="headless", first_reason="remembered for this domain: twice")

    assert next_rung((), ways) == Step("headless", "remembered for this domain: twice")


def test_lighter_ways_remain_where_the_remembered_one_is_missing() -> None:
    """A browser that is gone must not leave a domain without any way."""
    gone = [Attempt(rung, FetchOutcome.UNAVAILABLE) for rung in ("headless", "headful", "undetected")]

    assert climb(*gone, ways=Ways(RUNGS[:5], first="headless")) == "http"


@pytest.mark.parametrize(
    ("attempt", "rung"),
    [
        (Attempt("http", FetchOutcome.OK), None),
        (Attempt("http", FetchOutcome.NOT_MODIFIED, 304), None),
        (Attempt("http", FetchOutcome.OK, 200, page_state="needs_javascript"), "headless"),
        (Attempt("headless", FetchOutcome.OK, 200, page_state="needs_javascript"), None),
        (Attempt("http", FetchOutcome.OK, 200, page_state="paywall"), None),
        (Attempt("http", FetchOutcome.BLOCKED, 403), "tor"),
        (Attempt("http", FetchOutcome.BLOCKED, 429), "tor"),
        (Attempt("http", FetchOutcome.BLOCKED, 429, retry_after_s=10.0), "tor"),
        (Attempt("http", FetchOutcome.BLOCKED, 429, retry_after_s=11.0), "wayback"),
        (Attempt("http", FetchOutcome.BLOCKED, 401, "login"), None),
        (Attempt("http", FetchOutcome.BLOCKED, 402), "wayback"),
        (Attempt("http", FetchOutcome.BLOCKED, 451), None),
        (Attempt("http", FetchOutcome.CHALLENGE, 403, "cloudflare"), "headless"),
        (Attempt("headless", FetchOutcome.CHALLENGE, 403, "cloudflare"), "headful"),
        (Attempt("http", FetchOutcome.CHALLENGE, 403, "recaptcha"), None),
        (Attempt("http", FetchOutcome.CHALLENGE, 200, "login"), None),
        (Attempt("http", FetchOutcome.TIMED_OUT), "tor"),
        (Attempt("http", FetchOutcome.FAILED), "tor"),
        (Attempt("http", FetchOutcome.FAILED, 500), "wayback"),
        (Attempt("http", FetchOutcome.FAILED, 503), "headless"),
        (Attempt("http", FetchOutcome.FAILED, was_sent=False), "wayback"),
        (Attempt("headless", FetchOutcome.FAILED), "http"),
        (Attempt("http", FetchOutcome.NOT_FOUND, 404), "wayback"),
        (Attempt("http", FetchOutcome.COOLING_DOWN, was_sent=False), "wayback"),
        (Attempt("http", FetchOutcome.ROBOTS_DENIED, was_sent=False), None),
        (Attempt("http", FetchOutcome.REFUSED_ADDRESS, was_sent=False), None),
        (Attempt("http", FetchOutcome.UNSUPPORTED, 200), None),
        (Attempt("http", FetchOutcome.TOO_LARGE, 200), None),
        (Attempt("wayback", FetchOutcome.NOT_FOUND, 404), None),
    ],
    ids=lambda value: str(value)[:90],
)  # fmt: skip
def test_outcome_decides_where_to_go_on(attempt: Attempt, rung: str | None) -> None:
    """Another way where that may help; a rule is never climbed over, and a person's task goes to a person at once."""
    assert climb(attempt) == rung


def test_no_rung_is_tried_twice() -> None:
    """Trying the same way again is forbidden (§4.3.5)."""
    assert climb(Attempt("http", FetchOutcome.BLOCKED, 403), ways=Ways(("http",))) is None


def test_unavailable_rung_is_passed_without_counting() -> None:
    """What a machine lacks says nothing about the page, so three other rungs may still be tried."""
    attempts = [
        Attempt("http", FetchOutcome.BLOCKED, 403),
        Attempt("tor", FetchOutcome.UNAVAILABLE, was_sent=False),
        Attempt("headless", FetchOutcome.BLOCKED, 403),
    ]

    assert climb(*attempts) == "headful"


def test_after_three_live_rungs_only_the_archive_is_asked() -> None:
    """What three rungs could not open waits for a person; a copy may still be read meanwhile."""
    attempts = [Attempt(rung, FetchOutcome.BLOCKED, 403) for rung in ("http", "tor", "headless")]

    assert next_rung(attempts, ALL) == Step(
        "wayback", "three rungs could not open the page: refused by status 403; another way may be let in"
    )


def test_barred_rung_is_passed_and_named() -> None:
    """A share that is used up bars Tor, and the journal says so."""
    ways = Ways(barred={"tor": "its share of requests would pass 20%"})

    assert next_rung([Attempt("http", FetchOutcome.BLOCKED, 403)], ways) == Step(
        "headless",
        "refused by status 403; another way may be let in; not tor: its share of requests would pass 20%",
    )


def test_named_rungs_are_tried_in_their_order() -> None:
    """A request may say which rungs it wants; others are not climbed."""
    ways = Ways(("headful", "headless"))

    assert (climb(ways=ways), climb(Attempt("headful", FetchOutcome.BLOCKED, 403), ways=ways)) == (
        "headful",
        "headless",
    )
