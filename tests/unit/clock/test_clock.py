"""Time as it is stored: UTC, milliseconds, one spelling."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.clock import SystemClock, parse_stamp, stamp, system_chance

TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=UTC), "2026-01-31T09:30:00.123Z"),
        (datetime(2026, 1, 31, 9, 30, tzinfo=TOKYO), "2026-01-31T00:30:00.000Z"),
        (datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC), "2026-12-31T23:59:59.999Z"),
    ],
)
def test_a_moment_is_written_in_utc_to_the_millisecond(moment: datetime, text: str) -> None:
    """Whatever the zone it came in."""
    assert stamp(moment) == text


@given(st.floats(min_value=0, max_value=7e9))
def test_stamps_sort_like_moments_and_come_back(seconds: float) -> None:
    """The database compares stamps as texts; nothing but microseconds is lost."""
    known = datetime.fromtimestamp(seconds, UTC)

    assert parse_stamp(stamp(known)) == known.replace(microsecond=known.microsecond // 1000 * 1000)
    assert stamp(known) < stamp(known + timedelta(milliseconds=1))


def test_the_systems_time_is_aware_and_does_not_run_back() -> None:
    """UTC, so that it can be compared with what was stored."""
    clock = SystemClock()

    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()


def test_seeded_chance_repeats() -> None:
    """A run that must be repeated gets the same pauses."""
    assert system_chance(7).uniform(1.5, 5.5) == system_chance(7).uniform(1.5, 5.5)
