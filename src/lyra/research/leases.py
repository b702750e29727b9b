"""One use of a name at a time, across searches and processes: who waited for an address finds its page stored."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.ids import new_id
from lyra.research.search_run import SearchParts
from lyra.storage import leases
from lyra.storage.leases import keep_renewed
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

    async def renew() -> bool:
        now = parts.clock.now()
        return await parts.db.write(_renew, name, use, now, now + lease)

    await leases.wait_for(parts.db, parts.clock, name, use, lease, every_s=poll_s)
    async with contextlib.AsyncExitStack() as held:
        held.push_async_callback(parts.db.write, leases.forget, (name,), use)
        await held.enter_async_context(keep_renewed(parts.clock, lease, renew))
        yield held.aclose


def _renew(connection: "Connection", name: str, use: str, now: datetime, until: datetime) -> bool:
    """Renew what is held, or take it again where it has lapsed."""
    return bool(leases.renew(connection, use, until)) or leases.acquire(connection, name, use, now, until)[0]
