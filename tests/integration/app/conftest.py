"""Tasks, searches and status over a real database, with a clock in the test's hand; nothing is searched here."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.model.job import Job, JobState
from lyra.model.search import Search, SearchOptions
from lyra.model.task import Budget, Task, TaskConfig
from lyra.research.search_run import SearchParts, SearchRun
from lyra.research.searches import Searches
from lyra.research.status import Status
from lyra.research.tasks import Tasks
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import jobs, searches, tasks
from lyra.storage.database import Database
from lyra.trust.levels import TrustList
from tests.clocks import HeldClock
from tests.conftest import NewDatabase


@dataclass
class Office:
    """The parts that a client's calls meet."""

    db: Database
    clock: HeldClock
    settings: Settings
    tasks: Tasks
    searches: Searches
    status: Status
    woken: list[str]

    async def task(self, **config: Any) -> Task:
        task, _ = await self.tasks.create("Are DPP-4 inhibitors safe?", TaskConfig(**{"budget": Budget(), **config}))
        return task

    async def begun(self, task: Task) -> tuple[Search, Job]:
        """A search whose job a worker has claimed."""
        search = await self.searches.start(task.id, "saxagliptin heart failure", SearchOptions())
        later = self.clock.now() + timedelta(seconds=15)
        job = await self.db.write(jobs.claim_next, "w_1", self.clock.now(), later, ("search",))
        assert job is not None
        return search, job

    @property
    def parts(self) -> SearchParts:
        """Of the parts only database, clock and settings are there."""
        fields: dict[str, Any] = dict.fromkeys(SearchParts.__dataclass_fields__)
        return SearchParts(**{**fields, "db": self.db, "clock": self.clock, "settings": self.settings})

    async def run(self, search: Search) -> SearchRun:
        """The search as the pipeline holds it."""
        return SearchRun(self.parts, await self.get(search.task_id), search)

    async def get(self, task_id: str) -> Task:
        return await self.db.read(tasks.get, task_id)

    async def search(self, search_id: str) -> Search:
        found = await self.db.read(searches.get, search_id)
        assert found is not None
        return found

    async def job_states(self, task: Task) -> list[JobState]:
        return [job.state for job in await self.db.read(jobs.of_task, task.id)]

    async def settle(self, job: Job, state: JobState) -> None:
        await self.db.write(jobs.finish, job.id, "w_1", state, None, self.clock.now())


@pytest.fixture
async def office(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Office]:
    clock, settings = HeldClock(), Settings(data_dir=tmp_path)
    db = await Database.open(new_database(settings.database_path))
    known = Tasks(db, clock, settings)
    woken: list[str] = []
    trust = DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml"))
    engines = ("duckduckgo", "mojeek")
    asked = Searches(db, clock, settings, known, trust, engines, lambda: woken.append("woken"))
    yield Office(db, clock, settings, known, asked, Status(db, clock, known, trust, tuple), woken)
    await db.close()
