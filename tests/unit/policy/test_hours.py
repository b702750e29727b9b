"""Longer pauses at night, on weekends and on holidays."""

from datetime import datetime

import pytest
from pydantic import ValidationError

from lyra.policy.hours import care
from lyra.settings import Politeness

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
    assert care("domain:fdso.gov", datetime.fromisoformat(local), SETTINGS) == expected


@pytest.mark.parametrize(("name", "expected"), [("engine:mojeek", 1.5), ("api:openalex", 1.0)])
def test_engines_rest_and_apis_do_not(name: str, expected: float) -> None:
    """An API's own limits hold at any hour."""
    assert care(name, datetime.fromisoformat("2026-11-22T12:00"), SETTINGS) == expected


@pytest.mark.parametrize(("hour", "expected"), [(0, 1.0), (1, 1.5), (4, 1.5), (5, 1.0)])
def test_a_night_within_one_day(hour: int, expected: float) -> None:
    """Night may begin after midnight."""
    settings = Politeness(night_from=1, night_until=5)

    assert care("domain:fdso.gov", datetime.fromisoformat(f"2026-11-18T{hour:02}:00"), settings) == expected


def test_the_same_hour_twice_is_no_night() -> None:
    """Weekends remain."""
    settings = Politeness(night_from=0, night_until=0)

    assert care("domain:fdso.gov", datetime.fromisoformat("2026-11-18T03:00"), settings) == 1.0


@pytest.mark.parametrize("day", ["", "13-01", "2026-02-30", "Christmas"])
def test_what_is_no_day_is_refused(day: str) -> None:
    """A typing error must not pass as a holiday that never comes."""
    with pytest.raises(ValidationError):
        Politeness(holidays=(day,))
