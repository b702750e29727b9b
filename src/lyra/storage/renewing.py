"""Leases kept while work is under way: whoever lives renews what he holds, whoever dies loses it soon."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta

from lyra.clock import Clock
from lyra.errors import StorageError


@contextlib.asynccontextmanager
async def renewed(clock: Clock, lease: timedelta, renew: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Renew three times as often as the lease lapses, until the block ends.

    A database that is busy or has no room only skips a beat: the lease outlasts two, and the work goes on.
    """
    beat = asyncio.create_task(_beat(clock, lease.total_seconds() / 3, renew))
    try:
        yield
    finally:
        beat.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beat


async def _beat(clock: Clock, every_s: float, renew: Callable[[], Awaitable[object]]) -> None:
    while True:
        await clock.sleep(every_s)
        with contextlib.suppress(StorageError):
            await renew()
