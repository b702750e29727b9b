"""One use of a name at a time, across searches and processes: who waited for an address finds its page stored."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.ids import new_id
from lyra.research.search_run import SearchParts
from lyra.storage import leases
from lyra.storage.renewing import renewed
from lyra.urls import canonical

if TYPE_CHECKING:
    from apsw import Connection

_POLL_S = 0.25


def hold_address(parts: SearchParts, url: str) -> contextlib.AbstractAsyncContextManager[Callable[[], Awaitable[None]]]:
    """Wait until nobody else fetches the address, then hold it; the function given releases it early."""
    return hold_lease(parts, f"page:{canonical(url)}", _POLL_S)


@contextlib.asynccontextmanager
async def hold_lease(parts: SearchParts, name: str, poll_s: float) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Wait until nobody else holds the name, asking every `poll_s`, then hold it; the function given releases it early.

    The lease is renewed like that of the job: where its process dies, both expire.
    """
    use = new_id("u")
    lease = timedelta(seconds=parts.settings.jobs.lease_s)
    while not await _take(parts, name, use, lease):
        await parts.clock.sleep(poll_s)
    async with contextlib.AsyncExitStack() as held:
        held.push_async_callback(parts.db.write, leases.forget, name, use)
        await held.enter_async_context(renewed(parts.clock, lease, lambda: _renew_lease(parts, name, use, lease)))
        yield held.aclose


async def _take(parts: SearchParts, name: str, use: str, lease: timedelta) -> bool:
    now = parts.clock.now()
    is_taken, _ = await parts.db.write(leases.acquire, name, use, now, now + lease)
    return is_taken


async def _renew_lease(parts: SearchParts, name: str, use: str, lease: timedelta) -> None:
    now = parts.clock.now()
    await parts.db.write(_renew, name, use, now, now + lease)


def _renew(connection: "Connection", name: str, use: str, now: datetime, until: datetime) -> None:
    """Release and acquire in one transaction, so that no other process gets it in between."""
    leases.forget(connection, name, use)
    leases.acquire(connection, name, use, now, until)
