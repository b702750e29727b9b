"""A stored graph in few words: what pages said of a claim, over a real database and a clock that stands."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from apsw import Connection

from lyra.ids import derived_id, text_hash
from lyra.model.claim import Claim, Mention
from lyra.model.edge import Edge, Relation
from lyra.model.job import Job, JobState
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Identifier, Page
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.model.work import Work
from lyra.research.search_run import SearchParts
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import candidates, claims, edges, embeddings, jobs, pages, searches, tasks, works
from lyra.storage.database import Database
from lyra.trust.levels import TrustList
from simweb import SimWeb
from tests.clocks import HeldClock
from tests.conftest import NewDatabase

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TASK = "task_00000000000a"
_FILE = "20260314/lyra-20260314-999999999-w_1.warc.gz"


@pytest.fixture(scope="module")
def web() -> Iterator[SimWeb]:
    """One simulated web a module, as fast as it can."""
    with SimWeb(latency_s=0.0) as simulated:
        yield simulated


class Model:
    """Names the model whose vectors are stored."""

    model_id = "minilm"


@pytest.fixture
def parts(db: Database, clock: Any, settings: Settings) -> SearchParts:
    """What assessing needs: database, clock, settings, trust and the name of a model."""
    trust = DomainTrust(db, clock, TrustList(settings.data_dir / "domains.yaml"))
    unused: Any = None
    return SearchParts(db, clock, settings, unused, unused, unused, unused, Model(), unused, trust, unused)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Said:
    """One page of one sentence, and what it says of the claim."""

    url: str
    domain: str
    words: str
    relation: Relation
    confidence: float
    trust: TrustLevel
    date: str | None = None
    doi: str | None = None
    is_retracted: bool = False

    @property
    def page(self) -> Page:
        return Page(
            id=derived_id("p", self.url),
            url=self.url,
            domain=self.domain,
            title=self.domain,
            language="en",
            fetched_at=NOW,
            final_url=self.url,
            date=self.date,
            archive=ArchiveRef(_FILE, 0, 8, "urn:uuid:00000000-0000-0000-0000-000000000001"),
            text=self.words,
        )

    @property
    def fragment(self) -> Fragment:
        return Fragment(
            id=derived_id("f", self.url),
            page_id=self.page.id,
            text_content=self.words,
            fragment_type=FragmentType.PARAGRAPH,
            heading_context="",
            heading_hierarchy=(),
            element_index=0,
            position=0,
            char_start=0,
            char_end=len(self.words),
            text_hash=text_hash(self.words),
            language="en",
        )


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOW)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
async def db(settings: Settings, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(settings.database_path))
    yield database
    await database.close()


@pytest.fixture
def said() -> type[Said]:
    return Said


@pytest.fixture
def write() -> Callable[..., str]:
    """Writes a task with one search, one claim and what was said of it; returns the claim's id."""
    return _write


def _write(
    connection: Connection, claim_text: str, told: Sequence[Said], *, task_id: str = TASK, running: bool = False
) -> str:
    search_id = _search(connection, task_id, running=running)
    claim = Claim(derived_id("c", task_id, claim_text), task_id, claim_text, "en", NOW, search_id=search_id)
    claims.insert_many(connection, [claim])
    for row, one in enumerate(told):
        _page(connection, one, search_id, row)
        fragment = one.fragment
        claims.add_mentions(
            connection,
            [Mention(claim.id, fragment.id, one.words, 0, len(one.words), fragment.text_hash)],
        )
        edges.insert_many(connection, [_edge(claim.id, one, search_id)])
        vector = [0.0] * 8
        vector[row % 8] = 1.0
        embeddings.put_many(connection, "fragment", [(fragment.id, vector)], "minilm")
    return claim.id


def _search(connection: Connection, task_id: str, *, running: bool) -> str:
    search_id = f"s_{task_id}"
    if searches.get(connection, search_id) is None:
        status = SearchStatus.RUNNING if running else SearchStatus.SATISFIED
        tasks.insert(connection, Task(task_id, "Do gliptins prolong life?", TaskStatus.EXPLORING, NOW, Budget()))
        searches.insert(connection, Search(search_id, task_id, "gliptins mortality", SearchOptions(), status, NOW))
        state = JobState.RUNNING if running else JobState.DONE
        made = Job(f"j_{task_id}", "search", state, NOW, {"search_id": search_id}, task_id=task_id)
        jobs.enqueue(connection, made)
    return search_id


def _page(connection: Connection, one: Said, search_id: str, row: int) -> None:
    pages.save(connection, one.page, [one.fragment])
    if one.doi:
        work = Work(
            id=f"doi:{one.doi}",
            title=one.words,
            identifiers=(Identifier("doi", one.doi),),
            is_retracted=one.is_retracted,
        )
        works.link(connection, one.page.id, works.save(connection, work).id)
    candidate = Candidate(
        id=derived_id("r", search_id, one.url),
        search_id=search_id,
        url=one.url,
        title=one.domain,
        snippet="",
        engine="mojeek",
        rank=row,
        state=CandidateState.FETCHED,
        page_id=one.page.id,
    )
    candidates.add(connection, [candidate])


def _edge(claim_id: str, one: Said, search_id: str) -> Edge:
    return Edge(
        id=derived_id("e", "fragment", one.fragment.id, "claim", claim_id),
        source_type="fragment",
        source_id=one.fragment.id,
        target_type="claim",
        target_id=claim_id,
        relation=one.relation,
        created_at=NOW,
        nli_label=one.relation.value,
        nli_confidence=one.confidence,
        nli_raw=one.confidence,
        model_id="lyra-stance",
        source_trust_level=one.trust,
        quote=one.words,
        cause_id=search_id,
    )
