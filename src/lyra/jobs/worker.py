"""Runs queued jobs under a lease: a job lost by a dead process is found and taken up by a living one."""

import asyncio
import contextlib
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from lyra.clock import Clock
from lyra.errors import LyraError, PipelineError, StorageError
from lyra.model.job import Job, JobState
from lyra.observe.log import get_logger
from lyra.settings.processes import Jobs as JobSettings
from lyra.storage import jobs
from lyra.storage.database import Database

_log = get_logger(__name__)


class JobHandler(Protocol):
    """What is done for one kind of job."""

    async def run(self, job: Job) -> JobState:
        """Do the job and return its state: done, or paused until someone resumes it."""

    async def failed(self, job: Job, error: LyraError) -> None:
        """Note that the job has ended without success."""


class Worker:
    """Claims jobs of known kinds, keeps their leases alive, and gives them back when it stops."""

    def __init__(
        self, db: Database, clock: Clock, settings: JobSettings, handlers: Mapping[str, JobHandler], owner: str
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._handlers = handlers
        self._owner = owner
        self._wake = asyncio.Event()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._loop: asyncio.Task[None] | None = None
        self._seen_write = 0
        self._renew_at = self._look_at = clock.now()

    def start(self) -> None:
        """Begin to work in the background."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name="job-worker")

    def wake(self) -> None:
        """Look at the queue now: something was just put in."""
        self._wake.set()

    async def stop(self) -> None:
        """Stop at the next safe point and leave unfinished jobs to other workers."""
        if self._loop is None:
            return
        self._loop.cancel()
        tasks = [self._loop, *self._running.values()]
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._loop = None
        await self._db.write(jobs.release, self._owner, self._clock.now())

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self._look()
            except StorageError as exc:  # a full disk or a busy database passes; the queue is looked at again
                _log.warning("queue unreachable", error=exc.message)
                self._look_at = self._clock.now()
            await self._until_woken()

    async def _until_woken(self) -> None:
        """Wait for `wake`, a write of any process, or the next moment at which a lease matters.

        Only the time of the last write is looked at meanwhile. Two writes within one tick of the file system's clock
        may look like one; what that hides is seen when the leases are due.
        """
        while True:
            # Not wait_for: in Python 3.11 it may swallow a cancellation that comes together with the wake.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.poll_s):
                    await self._wake.wait()
            is_due = self._clock.now() >= self._look_at
            if self._wake.is_set() or is_due or self._db.last_write() != self._seen_write:
                return

    async def _look(self) -> None:
        """Read the queue; write only where a lease is due, a job was taken away, or there is one to claim."""
        now = self._clock.now()
        self._seen_write = self._db.last_write()
        state = await self._db.read(jobs.queue_state, self._owner, now, tuple(self._handlers))
        # Before claiming: after a long sleep its own jobs must not look abandoned.
        if self._running and (now >= self._renew_at or self._running.keys() - state.owned):
            await self._heartbeat()
        if state.is_claimable:
            await self._claim()
        lapses = () if state.next_lapse is None else (state.next_lapse,)
        self._look_at = min((now + self._renewal_interval, *lapses))

    @property
    def _renewal_interval(self) -> timedelta:
        return timedelta(seconds=self._settings.lease_s / 3)

    async def _claim(self) -> None:
        while len(self._running) < self._settings.concurrency:
            job = await self._db.write(
                jobs.claim_next, self._owner, self._clock.now(), self._lease_until(), tuple(self._handlers)
            )
            if job is None:
                return
            self._running[job.id] = asyncio.create_task(self._work(job), name=f"job-{job.id}")

    async def _heartbeat(self) -> None:
        """Keep the leases of running jobs, and stop those that were cancelled or taken away."""
        kept = await self._db.write(jobs.heartbeat, self._owner, tuple(self._running), self._lease_until())
        self._renew_at = self._clock.now() + self._renewal_interval
        for job_id, task in tuple(self._running.items()):
            if job_id not in kept:
                task.cancel()

    def _lease_until(self) -> datetime:
        return self._clock.now() + timedelta(seconds=self._settings.lease_s)

    async def _work(self, job: Job) -> None:
        try:
            state, error = await self._attempt(job)
            await self._db.write(jobs.finish, job.id, self._owner, state, error, self._clock.now())
        except StorageError as exc:  # its lease lapses, and another worker takes it
            _log.warning("job state not saved", job=job.id, error=exc.message)
        finally:
            self._running.pop(job.id, None)
            self._wake.set()

    async def _attempt(self, job: Job) -> tuple[JobState, str | None]:
        handler = self._handlers[job.kind]
        try:
            if job.attempts > self._settings.max_attempts:
                raise PipelineError(f"Given up after {self._settings.max_attempts} starts.")
            return await handler.run(job), None
        except LyraError as exc:
            error = exc
        except Exception as exc:  # noqa: BLE001 - the job worker: one broken job must not end the others
            error = _unexpected(job, exc)
        _log.warning("job failed", job=job.id, kind=job.kind, code=error.code, error=error.message)
        await handler.failed(job, error)
        return JobState.FAILED, f"{error.code}: {error.message}"


def _unexpected(job: Job, exc: Exception) -> LyraError:
    error_id = f"err_{secrets.token_hex(4)}"
    _log.error("job broke", job=job.id, kind=job.kind, error_id=error_id, exc_info=exc)
    return PipelineError(
        f"Something unexpected went wrong ({error_id}).",
        remedy="Look for the id in the log; `lyra doctor` says where it is.",
        details={"error_id": error_id},
    )
