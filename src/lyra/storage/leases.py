"""Leases: exclusive use of a name across processes until it is given back or lapses, with a pause after each use.

Domains, engines, APIs, pages under way, jobs and seats of slots are held by this one mechanism. Whoever lives renews
what it holds, whoever dies loses it soon.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from apsw import Connection

from lyra.clock import Clock, stamp, wait_until
from lyra.errors import StorageError
from lyra.storage.columns import ids_json, moment
from lyra.storage.rows import column

if TYPE_CHECKING:
    from lyra.storage.database import Database

# No process holds a name longer without renewing it (`jobs.lease_s` is less), and no server is left alone longer
# between two requests: what lasts longer was written by a clock that was ahead, and holds nobody up.
LONGEST_LEASE = timedelta(hours=1)
LONGEST_PAUSE = timedelta(days=1)


def acquire(
    connection: Connection, name: str, owner: str, now: datetime, until: datetime
) -> tuple[bool, datetime | None]:
    """Take the name until then, if nobody holds it and its pause is over; otherwise say when to ask again.

    A lapsed lease is free. One owner does not get the same name twice, so an owner is one use, not one process.
    """
    connection.execute(
        """
        insert into leases (name, owner, until)
        values (:name, :owner, :until)
        on conflict (name) do update
        set owner = excluded.owner, until = excluded.until
        where (leases.owner is null or leases.until <= :now or leases.until > :latest_lease)
            and (coalesce(leases.next_at, '') <= :now or leases.next_at > :latest_pause)
        """,
        {"name": name, "owner": owner, "until": stamp(until), **_moments(now)},
    )
    if connection.changes():
        return True, None
    again_at = connection.execute(
        """
        select max(
            iif(owner is not null and until > :now and until <= :latest_lease, until, ''),
            iif(next_at <= :latest_pause, next_at, '')
        )
        from leases
        where name = :name
        """,
        {"name": name, **_moments(now)},
    ).get
    return False, moment(again_at)


def _moments(now: datetime) -> dict[str, str]:
    return {
        "now": stamp(now),
        "latest_lease": stamp(now + LONGEST_LEASE),
        "latest_pause": stamp(now + LONGEST_PAUSE),
    }


def renew(connection: Connection, owner: str, until: datetime, names: Iterable[str] | None = None) -> set[str]:
    """Hold everything of an owner, or these names, until then; returns the names that it still has."""
    return set(
        column(
            connection,
            """
            update leases
            set until = :until
            where owner = :owner and (:names is null or name in (select value from json_each(:names)))
            returning name
            """,
            {"owner": owner, "until": stamp(until), "names": None if names is None else ids_json(names)},
        )
    )


def release(connection: Connection, name: str, owner: str, next_at: datetime) -> None:
    """Give the name back; nobody gets it before `next_at`. A lease that lapsed and was taken by another stays his."""
    connection.execute(
        """
        update leases
        set owner = null, until = null,
            next_at = max(iif(next_at <= :latest, next_at, ''), :next_at)
        where name = :name and owner = :owner
        """,
        {"next_at": stamp(next_at), "latest": stamp(next_at + LONGEST_PAUSE), "name": name, "owner": owner},
    )


def forget(connection: Connection, names: Iterable[str], owner: str | None = None) -> None:
    """Give back names, of one owner or whoever has them, that need no pause and may never be asked for again."""
    connection.execute(
        """
        delete from leases
        where name in (select value from json_each(:names)) and (:owner is null or owner = :owner)
        """,
        {"names": ids_json(names), "owner": owner},
    )


async def wait_for(db: "Database", clock: Clock, name: str, owner: str, lease: timedelta, *, every_s: float) -> None:
    """Take the name as soon as nobody else holds it and its pause is over, asking every `every_s` seconds."""

    async def take() -> bool | None:
        now = clock.now()
        is_taken, _ = await db.write(acquire, name, owner, now, now + lease)
        return is_taken or None

    await wait_until(take, clock, every_s=every_s)


@contextlib.asynccontextmanager
async def keep_renewed(clock: Clock, lease: timedelta, renew: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Renew three times as often as the lease lapses, until the block ends.

    A database that is busy or has no room only skips a beat: the lease outlasts two, and the work goes on.
    """
    beat = asyncio.create_task(_renew_forever(clock, lease.total_seconds() / 3, renew))
    try:
        yield
    finally:
        beat.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await beat


async def _renew_forever(clock: Clock, every_s: float, renew: Callable[[], Awaitable[object]]) -> None:
    while True:
        await clock.sleep(every_s)
        with contextlib.suppress(StorageError):
            await renew()
