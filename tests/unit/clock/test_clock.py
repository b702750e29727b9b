"""Time as it is stored: UTC, milliseconds, one spelling."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.clock import (
    SystemClock,
    day_of,
    exact_stamp,
    parse_http_date,
    parse_stamp,
    stamp,
    system_chance,
    until_tomorrow_s,
)

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


def test_a_record_of_the_archive_is_stamped_to_the_microsecond() -> None:
    """Two answers within a millisecond have names of their own."""
    assert exact_stamp(datetime(2026, 1, 31, 9, 30, 0, 123_456, tzinfo=TOKYO)) == "2026-01-31T00:30:00.123456Z"


def test_days_begin_at_midnight_utc() -> None:
    """Wherever the machine stands: an early morning in Tokyo still counts as the day before."""
    morning = datetime(2026, 1, 31, 8, 30, tzinfo=TOKYO)

    assert (day_of(morning), until_tomorrow_s(morning)) == ("2026-01-30", 1_800.0)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Sat, 31 Jan 2026 09:30:00 GMT", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("Sat, 31 Jan 2026 09:30:00 -0000", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
        ("Sat, 31 Jan 2026 09:30:00 +0900", datetime(2026, 1, 31, 9, 30, tzinfo=TOKYO)),
        ("Sat, 99 Jan 2026 09:30:00 GMT", None),
        ("soon", None),
        ("", None),
    ],
)
def test_dates_of_headers_are_read_or_left(text: str, moment: datetime | None) -> None:
    """A zone that is missing or unknown is UTC; nonsense is no date, and no fault."""
    assert parse_http_date(text) == moment


def test_the_systems_time_is_aware_and_does_not_run_back() -> None:
    """UTC, so that it can be compared with what was stored."""
    clock = SystemClock()

    assert clock.now().tzinfo is UTC
    assert clock.monotonic() <= clock.monotonic()


def test_seeded_chance_repeats() -> None:
    """A run that must be repeated gets the same pauses."""
    assert system_chance(7).uniform(1.5, 5.5) == system_chance(7).uniform(1.5, 5.5)


@pytest.mark.parametrize(
    "text",
    [
        "Fri, 31 Dec 9999 23:59:59 -0100",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2020 00:00:00 +99999999999999999999",
        f"Mon, {'9' * 5_000} Jan 2020 00:00:00 GMT",
    ],
    ids=["beyond-the-last-year-in-utc", "endless-year", "endless-zone", "endless-day"],
)
def test_a_header_with_an_impossible_date_has_none(text: str) -> None:
    """A server may write what it likes; no moment can be made of it."""
    assert parse_http_date(text) is None
