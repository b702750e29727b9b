"""Leases that are renewed while work is under way."""

import asyncio
from datetime import timedelta

import pytest

from lyra.errors import DatabaseBusy, DiskFull, StorageError
from lyra.storage.leases import keep_renewed
from tests.clocks import StoppedClock

LEASE = timedelta(seconds=15)


async def test_a_lease_is_renewed_three_times_before_it_lapses() -> None:
    """Every five seconds of fifteen, and no more once the work has ended."""
    clock, renewals = StoppedClock(), asyncio.Queue[float]()

    async with keep_renewed(clock, LEASE, lambda: renewals.put(clock.monotonic())):
        for _ in range(3):
            await clock.advance(5.0)
            await clock.somebody_sleeps()

    assert [renewals.get_nowait() for _ in range(renewals.qsize())] == [5.0, 10.0, 15.0]


@pytest.mark.parametrize("trouble", [DatabaseBusy, DiskFull, StorageError])
async def test_a_database_in_trouble_only_skips_a_beat(trouble: type[StorageError]) -> None:
    """The work that is under way does not fail because its lease could not be renewed once."""
    clock, beats = StoppedClock(), []

    async def renew() -> None:
        beats.append(clock.monotonic())
        if len(beats) == 1:
            raise trouble("not now")

    async with keep_renewed(clock, LEASE, renew):
        for _ in range(2):
            await clock.advance(5.0)
            await clock.somebody_sleeps()

    assert beats == [5.0, 10.0]
