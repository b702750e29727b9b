"""The figures of a task that take long to count: kept while nothing happens in it, and counted once for all who ask."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.model.search import SearchTally
from lyra.model.task import TaskTotals, VerificationAlert
from lyra.storage import searches, status
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

Unverified = Callable[[Iterable[str]], Awaitable[tuple[str, ...]]]
# What changes without a line in the journal, such as a source's trust, is seen after this. Counting 50,000 edges
# takes 55 ms of processor time.
KEPT_S = 5.0
_MOST_KEPT = 200


@dataclass(frozen=True, slots=True)
class CountedFigures:
    """What was counted over all of a task's graph."""

    totals: TaskTotals
    tally: SearchTally
    unverified_domains: tuple[str, ...]
    verification_alerts: tuple[VerificationAlert, ...]


@dataclass(slots=True)
class _Kept:
    """What was counted last, of which state and when; whoever counts holds the lock."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    state: Hashable = None
    counted_at: float = 0.0
    figures: CountedFigures | None = None


class TaskFigures:
    """Counts the figures of tasks, at most once in five seconds and state."""

    def __init__(self, db: Database, clock: Clock, unverified: Unverified) -> None:
        """`unverified` says which of some domains nobody vouches for now."""
        self._db = db
        self._clock = clock
        self._unverified = unverified
        self._kept: dict[str, _Kept] = {}

    async def of(self, task_id: str, state: Hashable) -> CountedFigures:
        """The figures of the task in this state: whatever tells that something has happened in it."""
        if len(self._kept) >= _MOST_KEPT and task_id not in self._kept:
            self._kept.clear()
        kept = self._kept.setdefault(task_id, _Kept())
        async with kept.lock:
            is_old = self._clock.monotonic() - kept.counted_at > KEPT_S
            if kept.figures is None or is_old or kept.state != state:
                found = await self._db.read(_count, task_id)
                kept.figures = replace(found, unverified_domains=await self._unverified(found.unverified_domains))
                kept.state, kept.counted_at = state, self._clock.monotonic()
            return kept.figures


def _count(connection: "Connection", task_id: str) -> CountedFigures:
    return CountedFigures(
        status.totals(connection, task_id),
        searches.tally_of_tasks(connection, task_id),
        status.unverified_domains(connection, task_id),
        status.verification_alerts(connection, task_id),
    )
