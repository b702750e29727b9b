"""The default pauses between requests."""

import random
from datetime import datetime

import pytest
from pydantic import ValidationError

from lyra.policy.gate import pause_s, quiet_hours_factor
from lyra.settings import Politeness


class Fixed:
    """Chance that always takes the same share of the range."""

    def __init__(self, share: float) -> None:
        self._share = share

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self._share


@pytest.mark.parametrize(
    ("name", "share", "expected_s"),
    [
        ("domain:example.org", 0.0, 5.0),
        ("domain:example.org", 0.5, 5.0),
        ("domain:example.org", 1.0, 5.5),
        ("engine:mojeek", 0.0, 4.0),
        ("engine:mojeek", 1.0, 5.0),
        ("api:openalex", 0.7, 1.0),
    ],
)
def test_default_pause(name: str, share: float, expected_s: float) -> None:
    """Domains: the longer of 1/0.2 s and U(1.5, 5.5) s; engines: 4 s and jitter; APIs: one a second (SPEC §5, §4)."""
    assert pause_s(name, Politeness(), Fixed(share)) == expected_s


def test_random_pause_rules_where_the_rate_is_fast() -> None:
    """With a fast rate the pause is drawn between its bounds, so that visits keep no beat."""
    fast = Politeness(domain_qps=100.0)
    chance = random.Random(7)

    drawn = [pause_s("domain:example.org", fast, chance) for _ in range(200)]

    assert 1.5 <= min(drawn) < 1.6
    assert 5.4 < max(drawn) <= 5.5


@pytest.mark.parametrize(
    ("name", "expected_s"),
    [
        pytest.param("domain:slow.example", 20.0, id="slower than usual"),
        pytest.param("domain:fast.example", 3.5, id="faster, but never without the random pause"),
        pytest.param("domain:example.org", 5.0, id="no word of the user"),
        pytest.param("engine:slow.example", 4.5, id="an engine of that name"),
    ],
)
def test_users_rate_for_a_domain(name: str, expected_s: float) -> None:
    """The pause is the longer of 1/QPS, which `domains.yaml` may give, and U(1.5, 5.5) s (SPEC §5)."""
    rates = {"slow.example": 0.05, "fast.example": 10.0}

    assert pause_s(name, Politeness(), Fixed(0.5), rates.get) == expected_s


SETTINGS = Politeness(holidays=("01-01", "2026-11-23"))


@pytest.mark.parametrize(
    ("local", "expected"),
    [
        pytest.param("2026-11-18T12:00", 1.0, id="a working day"),
        pytest.param("2026-11-18T21:59", 1.0, id="before the night"),
        pytest.param("2026-11-18T22:00", 1.5, id="the night begins"),
        pytest.param("2026-11-19T06:59", 1.5, id="still night"),
        pytest.param("2026-11-19T07:00", 1.0, id="the night has ended"),
        pytest.param("2026-11-21T12:00", 1.5, id="Saturday"),
        pytest.param("2026-11-22T12:00", 1.5, id="Sunday"),
        pytest.param("2026-11-23T12:00", 1.5, id="a holiday of one year"),
        pytest.param("2027-11-23T12:00", 1.0, id="not of the next"),
        pytest.param("2027-01-01T12:00", 1.5, id="a holiday of every year"),
    ],
)
def test_quiet_times(local: str, expected: float) -> None:
    """Pauses are half as long again in quiet times, by the clock on the wall."""
    assert quiet_hours_factor("domain:fdso.gov", datetime.fromisoformat(local), SETTINGS) == expected


@pytest.mark.parametrize(("name", "expected"), [("engine:mojeek", 1.5), ("api:openalex", 1.0)])
def test_engines_rest_and_apis_do_not(name: str, expected: float) -> None:
    """An API's own limits hold at any hour."""
    assert quiet_hours_factor(name, datetime.fromisoformat("2026-11-22T12:00"), SETTINGS) == expected


@pytest.mark.parametrize(("hour", "expected"), [(0, 1.0), (1, 1.5), (4, 1.5), (5, 1.0)])
def test_a_night_within_one_day(hour: int, expected: float) -> None:
    """Night may begin after midnight."""
    settings = Politeness(night_from=1, night_until=5)

    assert (
        quiet_hours_factor("domain:fdso.gov", datetime.fromisoformat(f"2026-11-18T{hour:02}:00"), settings) == expected
    )


def test_the_same_hour_twice_is_no_night() -> None:
    """Weekends remain."""
    settings = Politeness(night_from=0, night_until=0)

    assert quiet_hours_factor("domain:fdso.gov", datetime.fromisoformat("2026-11-18T03:00"), settings) == 1.0


@pytest.mark.parametrize("day", ["", "13-01", "2026-02-30", "Christmas"])
def test_what_is_no_day_is_refused(day: str) -> None:
    """A typing error must not pass as a holiday that never comes."""
    with pytest.raises(ValidationError):
        Politeness(holidays=(day,))
