"""A real database and clocks that a test holds in its hand."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lyra.storage.database import Database

START = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


class LeapingClock:
    """Time that jumps ahead by every sleep, at once; `slept` keeps the sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> datetime:
        return START + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return sum(self.slept)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


class HeldClock:
    """Time that stands still until a test moves it; sleepers wait for it."""

    def __init__(self) -> None:
        self._elapsed_s = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._has_slept = asyncio.Condition()

    def now(self) -> datetime:
        return START + timedelta(seconds=self._elapsed_s)

    def monotonic(self) -> float:
        return self._elapsed_s

    async def sleep(self, seconds: float) -> None:
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        async with self._has_slept:
            self._sleepers.append((self._elapsed_s + seconds, sleeper))
            self._has_slept.notify_all()
        await sleeper

    async def somebody_sleeps(self) -> None:
        """Until a sleeper is there that the clock would wake."""
        async with self._has_slept:
            await self._has_slept.wait_for(lambda: any(not sleeper.done() for _, sleeper in self._sleepers))

    async def advance(self, seconds: float) -> None:
        """Wait for a sleeper, move on, and wake whoever is due."""
        await self.somebody_sleeps()
        self._elapsed_s += seconds
        for due_s, sleeper in self._sleepers:
            if due_s <= self._elapsed_s and not sleeper.done():
                sleeper.set_result(None)


class Middle:
    """Chance that always takes the middle."""

    def uniform(self, low: float, high: float) -> float:
        return (low + high) / 2


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    database = await Database.open(tmp_path / "lyra.db")
    yield database
    await database.close()


@pytest.fixture
def leaping() -> LeapingClock:
    return LeapingClock()


@pytest.fixture
def held() -> HeldClock:
    return HeldClock()


@pytest.fixture
def middle() -> Middle:
    return Middle()
