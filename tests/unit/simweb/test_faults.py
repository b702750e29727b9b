"""Which request meets which fault."""

import pytest

from simweb.faults import Fault, Faults, spoil
from simweb.messages import Request, Response

DOWN = Fault("status", status=503)
WALL = Fault("status", status=403)


def asking(host: str, target: str = "/a") -> Request:
    return Request("GET", "https", host, target)


@pytest.mark.parametrize(
    ("pattern", "request_", "fault"),
    [
        pytest.param("x.org", asking("x.org"), DOWN, id="host"),
        pytest.param("x.org", asking("y.org"), None, id="another host"),
        pytest.param("*.x.org", asking("www.x.org"), DOWN, id="wildcard host"),
        pytest.param("x.org/a*", asking("x.org", "/abc"), DOWN, id="path"),
        pytest.param("x.org/a*", asking("x.org", "/b"), None, id="another path"),
    ],
)
def test_a_pattern_selects_requests(pattern: str, request_: Request, fault: Fault | None) -> None:
    """A pattern is a host or a host and path, with wildcards."""
    faults = Faults()
    faults.set(pattern, DOWN)

    assert faults.strike(request_) == fault


def test_a_fault_set_later_goes_first_and_clearing_leaves_the_worlds_own() -> None:
    """Faults set at run time hide the world's until they are cleared."""
    faults = Faults([("x.org", WALL)])
    faults.set("x.org", DOWN)

    before = faults.strike(asking("x.org"))
    faults.clear()

    assert (before, faults.strike(asking("x.org"))) == (DOWN, WALL)


def test_lifting_all_lifts_the_worlds_own_too() -> None:
    """After lift_all nothing fails."""
    faults = Faults([("x.org", WALL)])

    faults.lift_all()

    assert faults.strike(asking("x.org")) is None


def test_a_fault_with_times_strikes_so_often() -> None:
    """`times=2` means that the third request is served."""
    faults = Faults()
    twice = Fault("reset", times=2)
    faults.set("x.org", twice)

    struck = [faults.strike(asking("x.org")) for _ in range(3)]

    assert struck == [twice, twice, None]


def test_chance_follows_the_seed() -> None:
    """With the same seed the same requests are struck."""
    half = Fault("reset", share=0.5)
    first, second = Faults([("x.org", half)], seed=7), Faults([("x.org", half)], seed=7)

    struck = [first.strike(asking("x.org")) is not None for _ in range(20)]
    again = [second.strike(asking("x.org")) is not None for _ in range(20)]

    assert struck == again
    assert 0 < sum(struck) < 20


@pytest.mark.parametrize(
    ("fault", "spoilt"),
    [
        pytest.param(Fault("slow", delay_s=2.0), Response(delay_s=2.0), id="slow"),
        pytest.param(Fault("truncated", after_bytes=10), Response(cut_after_bytes=10), id="truncated"),
        pytest.param(Fault("reset"), Response(is_reset=True), id="reset"),
    ],
)
def test_delivery_is_spoilt(fault: Fault, spoilt: Response) -> None:
    """Slow, truncated and reset change only how the answer is delivered."""
    assert spoil(Response(), fault) == spoilt
