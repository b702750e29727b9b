"""Clocks that a test holds in its hand."""

import asyncio
from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class HeldClock:
    """Time stands still until a test moves it, or somebody sleeps: that passes at once, and `slept` keeps it."""

    def __init__(self, start: datetime = NOON) -> None:
        self._start = start
        self.moment = start
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return (self.moment - self._start).total_seconds()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_by(seconds)

    def pass_by(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class StoppedClock:
    """Time stands still until a test moves it; whoever sleeps waits for that."""

    def __init__(self, start: datetime = NOON) -> None:
        self._start = start
        self._elapsed_s = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._has_slept = asyncio.Condition()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed_s)

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
