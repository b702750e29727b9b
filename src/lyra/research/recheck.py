"""Watching tasks: which, how often, what was found; the work itself is a durable job with a due time."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock, wait_until
from lyra.errors import InvalidParams
from lyra.ids import new_id
from lyra.model.job import Job, JobState, Priority
from lyra.model.recheck import Recheck, RecheckRun, RecheckState, Snapshot
from lyra.model.search import SearchStatus
from lyra.model.task import Budget
from lyra.research.tasks import Tasks
from lyra.storage import jobs, rechecks, searches
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

RECHECK_JOB = "recheck"
MIN_EVERY_S = 3_600
MAX_EVERY_S = 366 * 86_400
_INTERVAL = re.compile(r"\s*(\d{1,9})\s*([a-z]*)\s*", re.IGNORECASE | re.ASCII)
_UNITS = {"h": 3_600, "d": 86_400, "w": 7 * 86_400}
_POLL_S = 0.25

Tell = Callable[[RecheckRun], Awaitable[None]]


def parse_interval(text: str) -> int:
    """The seconds of an interval such as 12h, 7d or 2w; InvalidParams for anything else, too short or too long."""
    found = _INTERVAL.fullmatch(text)
    unit = _UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise InvalidParams(
            f"{text[:40]!r} is not an interval.", remedy="Give a whole number of hours, days or weeks: 12h, 7d or 2w."
        )
    seconds = int(found[1]) * unit
    if not MIN_EVERY_S <= seconds <= MAX_EVERY_S:
        raise InvalidParams(
            f"An interval of {text.strip()[:40]} is not taken.", remedy="Choose one from 1h to 366d (52w)."
        )
    return seconds


class Rechecks:
    """What a user does with watched tasks."""

    def __init__(self, db: Database, clock: Clock, tasks_: Tasks, wake: Callable[[], None]) -> None:
        self._db = db
        self._clock = clock
        self._tasks = tasks_
        self._wake = wake

    def seen_through(self, tasks_: Tasks) -> "Rechecks":
        """The same for somebody who sees only some tasks: the reports of the others are not there."""
        return Rechecks(self._db, self._clock, tasks_, self._wake)

    async def add(
        self, task_id: str, every: str, max_pages: int | None = None, max_seconds: float | None = None
    ) -> Recheck:
        """Watch a task from now on, or watch it at another interval; first due one interval from now.

        A run may spend as much as the task was given, unless told otherwise. Raises InvalidParams for a bad interval
        or a task without a search, TaskNotFound.
        """
        every_s = parse_interval(every)
        task = await self._tasks.get(task_id)
        found = await self._db.read(searches.of_task, task_id)
        if not any(one.status is not SearchStatus.CANCELLED for one in found):
            raise InvalidParams(
                f"The task {task_id} has no search to repeat.", remedy="Search first: lyra search TASK QUERY."
            )
        budget = Budget(max_pages or task.budget.max_pages, max_seconds or task.budget.max_seconds)
        now = self._clock.now()
        await self._db.write(_add, Recheck(task_id, every_s, budget, now), now)
        return await self._get(task_id)

    async def remove(self, task_id: str) -> None:
        """Watch a task no longer; a run under way is ended, the reports made so far stay."""
        await self._tasks.get(task_id)
        if not await self._db.write(_remove, task_id, self._clock.now()):
            raise _not_watched(task_id)

    async def list(self) -> tuple[Recheck, ...]:
        """Every watched task, the one that is due first first."""
        await self._db.write(rechecks.mend_due_times, self._clock.now())
        return await self._db.read(rechecks.watched)

    async def due(self) -> tuple[Recheck, ...]:
        """The watched tasks whose time has come, whose run is under way, or that had no network at the last try."""
        now = self._clock.now()
        return tuple(
            one
            for one in await self.list()
            if one.job_state is JobState.RUNNING
            or one.last_state is RecheckState.WAITING
            or (one.due_at is not None and one.due_at <= now)
        )

    async def start(self, task_id: str) -> Recheck:
        """Let the task be repeated now, due or not; a run under way goes on."""
        await self._tasks.get(task_id)
        await self._get(task_id)
        await self._db.write(_make_due, task_id, self._clock.now())
        self._wake()
        return await self._get(task_id)

    async def wait(self, task_id: str) -> RecheckRun | None:
        """The run of now as soon as it has ended or cannot go on; None where a person has paused the task.

        The run may be another process's: both then show the same report.
        """
        job = await self._db.read(jobs.scheduled, task_id)
        if job is None:
            raise _not_watched(task_id)
        run_id = str(job.payload["run_id"])

        async def outcome() -> tuple[RecheckRun | None] | None:
            """The run, or None of a paused task, in a tuple; None while it goes on."""
            run = await self._db.read(rechecks.get_run, run_id)
            if run is not None and (run.state.is_ended or await self._is_put_off(run, job.id)):
                return (run,)
            if (await self._tasks.get(task_id)).held_at is not None:
                return (None,)
            now = await self._db.read(jobs.get, job.id)
            if now is not None and now.state is JobState.CANCELLED:
                raise _not_watched(task_id)
            return None

        (run,) = await wait_until(outcome, self._clock, every_s=_POLL_S) or (None,)
        return run

    async def _is_put_off(self, run: RecheckRun, job_id: str) -> bool:
        """Whether the run waits for a network, and is not being tried just now."""
        job = await self._db.read(jobs.get, job_id)
        is_later = job is not None and job.due_at is not None and job.due_at > self._clock.now()
        return run.state is RecheckState.WAITING and is_later

    async def runs(self, task_id: str | None, limit: int) -> tuple[RecheckRun, ...]:
        """Runs of a task, or of all, the newest first."""
        if task_id is not None:
            await self._tasks.get(task_id)
        return await self._db.read(rechecks.runs, task_id, limit)

    async def last(self, task_id: str) -> RecheckRun | None:
        """The last run of a task that has a report."""
        return next((one for one in await self.runs(task_id, 20) if one.report is not None), None)

    async def feed_id(self) -> str:
        return await self._db.read(rechecks.feed_id)

    async def _get(self, task_id: str) -> Recheck:
        found = await self._db.read(rechecks.get, task_id)
        if found is None:
            raise _not_watched(task_id)
        return found


def scheduled_job(task_id: str, due_at: datetime, now: datetime) -> Job:
    """The job of the next run."""
    return Job(
        id=new_id("j"),
        kind=RECHECK_JOB,
        state=JobState.QUEUED,
        created_at=now,
        payload={"run_id": new_id("rc")},
        priority=Priority.RECHECK,
        task_id=task_id,
        due_at=due_at,
    )


def _add(connection: "Connection", recheck: Recheck, now: datetime) -> None:
    """A task that is watched already keeps what it is compared with; a run under way goes on."""
    known = rechecks.get(connection, recheck.task_id)
    if known is None:
        snapshot = rechecks.current_snapshot(connection, recheck.task_id, None, Snapshot())
    else:
        snapshot = rechecks.stored_snapshot(connection, recheck.task_id)
        recheck = replace(recheck, created_at=known.created_at)
    rechecks.save(connection, recheck, snapshot)
    due_at = now + timedelta(seconds=recheck.every_s)
    job = jobs.scheduled(connection, recheck.task_id)
    if job is None:
        jobs.enqueue(connection, scheduled_job(recheck.task_id, due_at, now))
    elif job.state is JobState.QUEUED:
        jobs.postpone(connection, job.id, due_at)


def _make_due(connection: "Connection", task_id: str, now: datetime) -> None:
    job = jobs.scheduled(connection, task_id)
    if job is None:
        jobs.enqueue(connection, scheduled_job(task_id, now, now))
    elif job.state is JobState.QUEUED:
        jobs.postpone(connection, job.id, now)


def _remove(connection: "Connection", task_id: str, now: datetime) -> bool:
    if not rechecks.delete(connection, task_id):
        return False
    jobs.cancel_scheduled(connection, task_id, now)
    for run in rechecks.runs(connection, task_id, 1):
        if not run.state.is_ended:
            why = "the task is no longer watched"
            for search in searches.of_recheck(connection, run.id):
                searches.end(connection, search.id, SearchStatus.CANCELLED, why, now)
            rechecks.save_run(connection, replace(run, state=RecheckState.FAILED, finished_at=now, reason=why))
    return True


def _not_watched(task_id: str) -> InvalidParams:
    return InvalidParams(f"The task {task_id} is not watched.", remedy="Watch it: lyra recheck add TASK --every 7d.")
