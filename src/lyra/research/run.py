"""One search under way: its task, its figures so far, and when it has to stop."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.model.search import Search, SearchStatus
from lyra.model.task import Task, TaskStatus
from lyra.research.harvest import Novelty, harvest_rate
from lyra.research.kit import Kit
from lyra.research.tasks import HELD
from lyra.storage import searches, tasks

if TYPE_CHECKING:
    from apsw import Connection


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a search ends before its candidates do. A pause is not an end: the job waits for the next call."""

    reason: str
    is_pause: bool = False


class SearchRun:
    """The only thing about a search that changes while it runs; every change is written at once."""

    def __init__(self, kit: Kit, task: Task, search: Search, max_pages: int | None = None) -> None:
        self._kit = kit
        self.task = task
        self.search = search
        self._max_pages = max_pages
        self._novelty = novelty(kit)
        self._counted_from = kit.clock.monotonic()

    @property
    def page_limit(self) -> int:
        """Pages this search may fetch; the task's budget limits it besides."""
        return self._max_pages or self.search.options.max_pages or self._kit.settings.research.pages_per_search

    async def take_up(self, since: datetime) -> None:
        """Know what the search has read so far, by this job, which began then, or by an earlier one."""
        tally = await self._kit.db.read(searches.tally, self.search.id)
        self.search = replace(self.search, pages_fetched=tally.pages_fetched, useful_fragments=tally.useful_fragments)
        earlier, own = await self._kit.db.read(searches.flags, self.search.id, since)
        self._novelty = replace(self._novelty, earlier=earlier, history=own)

    async def enter(self, phase: str) -> None:
        """Note which phase has begun."""
        await self._save(phase=phase, started_at=self.search.started_at or self._kit.clock.now())

    async def read(self, flags: Sequence[bool] | None) -> None:
        """Note what a page's fragments gave: one flag each, true for new and useful.

        A page on which nothing was worth a look counts as one that was not; None is a page with nothing unread.
        """
        if flags is not None:
            self._novelty = self._novelty.after(tuple(flags) or (False,))
        tally = await self._kit.db.read(searches.tally, self.search.id)
        await self._save(
            pages_fetched=tally.pages_fetched,
            useful_fragments=tally.useful_fragments,
            harvest_rate=harvest_rate(tally.useful_fragments, tally.pages_read),
            novelty_score=self._novelty.score(tally.pages_read),
        )

    async def finish(self, status: SearchStatus, **figures: object) -> None:
        """Write how the search ended."""
        await self._save(status=status, phase="done", finished_at=self._kit.clock.now(), **figures)

    async def pause(self, reason: str) -> None:
        """Write that the search waits, and its task with it, for the next call."""
        self.search = replace(self.search, phase="paused")
        await self._kit.db.write(_pause, self.search, reason)

    async def _save(self, **changes: object) -> None:
        self.search = replace(self.search, **changes)  # type: ignore[arg-type]
        await self._kit.db.write(_save_running, self.search)

    async def should_stop(self, under_way: int = 0) -> Stop | None:
        """Asked before every page: budget, novelty, and whether anybody still listens.

        Pages under way count as fetched, so that several workers together keep to the limit.
        """
        await self._spend()
        self.task = await self._kit.db.read(tasks.get, self.task.id)
        return why_stop(self.task, self.search, self._novelty, self.page_limit, under_way, is_idle=self._is_idle())

    async def _spend(self) -> None:
        now = self._kit.clock.monotonic()
        await self._kit.db.write(tasks.add_usage, self.task.id, 0, now - self._counted_from)
        self._counted_from = now

    def _is_idle(self) -> bool:
        return is_idle(self.task, self._kit.clock, self._kit.settings.research.idle_seconds)


def _save_running(connection: "Connection", search: Search) -> bool:
    """Write a search unless it was ended from outside meanwhile: what was cancelled stays cancelled."""
    stored = searches.get(connection, search.id)
    if stored is None or stored.status is not SearchStatus.RUNNING:
        return False
    searches.save(connection, search)
    return True


def _pause(connection: "Connection", search: Search, reason: str) -> None:
    if _save_running(connection, search):
        tasks.set_status(connection, search.task_id, TaskStatus.PAUSED, reason=reason)


def novelty(kit: Kit) -> Novelty:
    settings = kit.settings.research
    return Novelty(settings.novelty_window, settings.novelty_cycle, settings.novelty_floor)


def is_idle(task: Task, clock: Clock, limit_s: float) -> bool:
    """Whether no client has called for the task for `limit_s` seconds."""
    last = task.last_call_at or task.created_at
    return (clock.now() - last).total_seconds() > limit_s


def why_stop(
    task: Task, search: Search, novelty: Novelty, page_limit: int, under_way: int, *, is_idle: bool
) -> Stop | None:
    """The first reason to stop, or none (SPEC §3)."""
    if task.held_at is not None:
        return Stop(HELD, is_pause=True)
    if task.pages_used + under_way >= task.budget.max_pages:
        return Stop(f"the task's budget of {task.budget.max_pages} pages is used up")
    if task.seconds_used >= task.budget.max_seconds:
        return Stop(f"the task's budget of {task.budget.max_seconds:.0f} seconds is used up")
    if search.pages_fetched + under_way >= page_limit:
        return Stop(f"{page_limit} pages were fetched, the limit of this search")
    if novelty.is_stale:
        return Stop("nothing new was found over two cycles")
    if is_idle:
        return Stop("no client has asked for a while; the next call goes on", is_pause=True)
    return None
