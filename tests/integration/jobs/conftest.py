"""A worker over a real database, with a clock that only moves when it is told to."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import LyraError
from lyra.jobs.worker import Worker
from lyra.model.job import Job, JobState
from lyra.model.task import Budget, Task, TaskStatus
from lyra.settings.processes import Jobs
from lyra.storage import jobs, tasks
from lyra.storage.database import Database
from tests.clocks import NOON, HeldClock
from tests.conftest import NewDatabase

_WAIT_S = 30.0
TASK, OTHER, THIRD = "task_000000000001", "task_000000000002", "task_000000000003"


class Scripted:
    """A handler that does what the test says, and remembers what it was asked."""

    def __init__(self, play: Callable[[Job], Awaitable[JobState]]) -> None:
        self._play = play
        self.begun: list[tuple[str, int]] = []
        self.ended: list[str] = []
        self.cancelled: list[str] = []
        self.failures: list[tuple[str, str, str]] = []
        self._news = asyncio.Event()

    async def run(self, job: Job) -> JobState:
        self._note(self.begun, (job.id, job.attempts))
        try:
            state = await self._play(job)
        except asyncio.CancelledError:
            self._note(self.cancelled, job.id)
            raise
        self._note(self.ended, job.id)
        return state

    async def failed(self, job: Job, error: LyraError) -> None:
        self._note(self.failures, (job.id, error.code, error.message))

    def _note(self, where: list[Any], what: Any) -> None:
        where.append(what)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something that this handler noted makes the condition true."""
        async with asyncio.timeout(_WAIT_S):
            while not condition():
                await self._news.wait()
                self._news.clear()


class RecordingDatabase(Database):
    """A database that counts its write transactions, and how often the time of the last write was asked for."""

    writes = 0
    looks = 0

    async def write(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        self.writes += 1
        return await super().write(fn, *args, **kwargs)

    def last_write(self) -> int:
        self.looks += 1
        return super().last_write()

    async def until_looked_at(self, times: int) -> None:
        async with asyncio.timeout(_WAIT_S):
            while self.looks < times:
                await self.read(lambda _: None)


class Desk:
    """Everything a test of the queue needs."""

    def __init__(self, db: Database, clock: HeldClock) -> None:
        self.db = db
        self.clock = clock
        self.workers: list[Worker] = []

    def worker(self, play: Callable[[Job], Awaitable[JobState]], owner: str = "w_1", **settings: float) -> Scripted:
        """Start a worker whose jobs do what `play` does."""
        handler = Scripted(play)
        chosen = Jobs.model_validate({"poll_s": 0.01, "lease_s": 15.0, **settings})
        worker = Worker(self.db, self.clock, chosen, {"search": handler}, owner)
        worker.start()
        self.workers.append(worker)
        return handler

    async def put(self, name: str, *, task_id: str = TASK, **fields: Any) -> None:
        made = Job(name, "search", JobState.QUEUED, self.clock.now(), task_id=task_id, **fields)
        await self.db.write(jobs.enqueue, made)

    async def job(self, name: str) -> Job:
        found = await self.db.read(jobs.get, name)
        assert found is not None
        return found

    async def state(self, name: str) -> JobState:
        return (await self.job(name)).state

    async def until(self, name: str, state: JobState) -> None:
        """Wait until a job is in a state."""
        async with asyncio.timeout(_WAIT_S):
            while await self.state(name) is not state:
                pass


@pytest.fixture
async def desk(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Desk]:
    db = await RecordingDatabase.open(new_database(tmp_path / "lyra.db"))
    for task_id in (TASK, OTHER, THIRD):
        await db.write(tasks.insert, Task(task_id, "q", TaskStatus.EXPLORING, NOON, Budget()))
    desk = Desk(db, HeldClock())
    yield desk
    for worker in desk.workers:
        await worker.stop()
    await db.close()
