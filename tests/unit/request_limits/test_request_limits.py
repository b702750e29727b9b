"""How often a server may be asked: a person in a second, an address without a valid token in a minute."""

from lyra.request_limits import BARRED_S, MAX_REFUSALS, RequestLimits
from tests.clocks import HeldClock


def test_three_seconds_worth_may_come_at_once() -> None:
    """Then each request waits for its share of a second, and another person is not touched."""
    limits = RequestLimits(HeldClock(), per_second=2)

    first = [limits.wait_s("a") for _ in range(7)]
    other = limits.wait_s("b")

    assert (first, other) == ([0.0] * 6 + [0.5], 0.0)


def test_waiting_gives_requests_back() -> None:
    """Half a second at two a second is one request."""
    clock = HeldClock()
    limits = RequestLimits(clock, per_second=2)
    for _ in range(6):
        limits.wait_s("a")

    clock.pass_by(0.5)
    after = [limits.wait_s("a"), limits.wait_s("a")]

    assert after == [0.0, 0.5]


def test_address_waits_after_too_many_refusals() -> None:
    """Until its minute is over; other addresses are not touched."""
    clock = HeldClock()
    limits = RequestLimits(clock, per_second=1)
    for _ in range(MAX_REFUSALS):
        limits.count_refusal("192.0.2.1")

    barred = (limits.is_barred("192.0.2.1"), limits.is_barred("192.0.2.2"))
    clock.pass_by(BARRED_S)
    later = limits.is_barred("192.0.2.1")

    assert (barred, later) == ((True, False), False)
