"""Time and chance as objects, so that a test can hold them."""

import asyncio
import random
import time
from datetime import UTC, datetime
from typing import Protocol


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


def parse_stamp(text: str) -> datetime:
    """The moment written by `stamp`."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
