"""Time and chance as objects, so that a test can hold them."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clock(Protocol):
    """What Lyra asks of time."""

    def now(self) -> datetime:
        """The wall clock, in UTC."""

    def monotonic(self) -> float:
        """Seconds that never go back."""

    async def sleep(self, seconds: float) -> None:
        """Wait without holding the event loop."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def wait_until(
    probe: Callable[[], Awaitable[T | None]], clock: Clock, *, every_s: float, limit_s: float = math.inf
) -> T | None:
    """The first answer of `probe` that is not None; None where none came within the limit. Asks at least once.

    The one loop for what gives no notice of its own.
    """
    deadline = clock.monotonic() + limit_s
    while True:
        found = await probe()
        if found is not None or clock.monotonic() >= deadline:
            return found
        await clock.sleep(every_s)


class Chance(Protocol):
    """What Lyra asks of randomness."""

    def uniform(self, low: float, high: float) -> float:
        """A number between low and high."""


def system_chance(seed: int | None = None) -> Chance:
    """A generator of its own, seeded where a run must repeat."""
    return random.Random(seed)


def stamp(moment: datetime) -> str:
    """UTC as stored and shown everywhere: 2026-01-31T09:30:00.123Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def exact_stamp(moment: datetime) -> str:
    """UTC to the microsecond: a record of the archive is named by its address and moment."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def day_of(moment: datetime) -> str:
    """The day (UTC) on which something counts: 2026-01-31."""
    return moment.astimezone(UTC).date().isoformat()


def until_tomorrow_s(now: datetime) -> float:
    """Seconds until the next day (UTC), when what is counted by the day begins again."""
    midnight = datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), datetime.min.time(), UTC)
    return (midnight - now).total_seconds()


def parse_http_date(text: str) -> datetime | None:
    """The moment in a header of HTTP, in UTC where it names no zone; None where it is absent or nonsense."""
    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # year 99999, or in UTC the year 10000
        return None


def parse_stamp(text: str) -> datetime:
    """The moment written by `stamp`."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
