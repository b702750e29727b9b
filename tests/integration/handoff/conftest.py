"""Two tasks that wait for the same domain, over a real database, with a clock that only moves when it is told to."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lyra.handoff.questions import Questions
from lyra.handoff.queue import AuthQueue
from lyra.ids import derived_id
from lyra.model.handoff import Handoff
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.storage import candidates, handoffs, searches, tasks
from lyra.storage.database import Database
from tests.clocks import NOON, HeldClock
from tests.conftest import NewDatabase

ONE, TWO = "task_000000000001", "task_000000000002"
WALL = "challenge: a captcha stands before the page"


@dataclass
class Office:
    """Where a person is waited for."""

    db: Database
    clock: HeldClock = field(default_factory=HeldClock)
    freed: list[str] = field(default_factory=list)

    @property
    def queue(self) -> AuthQueue:
        return AuthQueue(self.db, self.clock, 30, lambda: self.freed.append("freed"))

    @property
    def questions(self) -> Questions:
        return Questions(self.db, self.clock)

    async def task(self, task_id: str) -> None:
        await self.db.write(tasks.insert, Task(task_id, "心不全のリスク", TaskStatus.EXPLORING, NOON, Budget()))

    async def search(
        self,
        search_id: str,
        task_id: str = ONE,
        status: SearchStatus = SearchStatus.PARTIAL,
        pages: int = 2,
        error_code: str | None = None,
        phase: str = "done",
    ) -> None:
        made = Search(search_id, task_id, "DPP-4 阻害薬", SearchOptions(), status, NOON, pages_fetched=pages)
        await self.db.write(searches.insert, made)
        await self.db.write(searches.save, replace(made, error_code=error_code, phase=phase))

    async def found(
        self, search_id: str, url: str, state: CandidateState = CandidateState.BLOCKED, reason: str | None = WALL
    ) -> str:
        name = derived_id("i", search_id, url)
        made = Candidate(name, search_id, url, "会員ページ", "", "mojeek", 1, state=state, score=0.5, reason=reason)
        await self.db.write(candidates.add, [made])
        return name

    async def file(
        self,
        url: str,
        task_id: str = ONE,
        search_id: str = "s_1",
        *,
        domain: str = "fdso.gov",
        priority: str = "normal",
    ) -> str:
        name = derived_id("auth", task_id, url)
        item = Handoff(name, task_id, search_id, domain, url, "captcha", self.clock.now(), priority, "captcha widget")
        await self.db.write(handoffs.insert, item)
        return name

    async def file_engine(self, engine: str, task_id: str = ONE, search_id: str = "s_1") -> str:
        """An engine that asks for a person."""
        name, url = derived_id("auth", task_id, engine), f"https://www.{engine}.com/search?q=dpp4"
        item = Handoff(name, task_id, search_id, f"{engine}.com", url, "captcha", self.clock.now())
        await self.db.write(handoffs.insert, item)
        return name

    async def rows(self, sql: str) -> list[tuple[object, ...]]:
        return await self.db.read(lambda connection: connection.execute(sql).fetchall())


@pytest.fixture
async def office(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Office]:
    db = await Database.open(new_database(tmp_path / "lyra.db"))
    office = Office(db)
    await office.task(ONE)
    await office.task(TWO)
    await office.search("s_1", ONE)
    await office.search("s_2", TWO)
    yield office
    await db.close()
