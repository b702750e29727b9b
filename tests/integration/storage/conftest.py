"""A database in a fresh directory, makers of realistic records, and a small graph whose every figure is known."""

import functools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from lyra.ids import derived_id, text_hash
from lyra.model.claim import (
    AdoptionStatus,
    Assessment,
    Claim,
    Confidence,
    Mention,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import Edge, Relation
from lyra.model.page import Fragment, FragmentType, Heading, Identifier, Page
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.model.work import Work
from lyra.storage import candidates, claims, edges, migrate, pages, searches, tasks, works
from lyra.storage.connection import connect, create_file
from lyra.storage.database import Database
from tests.conftest import NewDatabase

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TASK = "task_00000000000a"
OTHER_TASK = "task_00000000000b"
SEARCH = "s_00000000000a"


class Make:
    """Records with sensible values; name only what matters."""

    now = NOW
    task_id = TASK
    other_task_id = OTHER_TASK
    search_id = SEARCH

    def task(self, task_id: str = TASK, **changes: object) -> Task:
        task = Task(task_id, "Are DPP-4 inhibitors safe for the heart?", TaskStatus.CREATED, NOW, Budget())
        return replace(task, **changes)  # type: ignore[arg-type]

    def search(self, search_id: str = SEARCH, **changes: object) -> Search:
        search = Search(search_id, TASK, "DPP-4 阻害薬 心不全", SearchOptions(), SearchStatus.RUNNING, NOW)
        return replace(search, **changes)  # type: ignore[arg-type]

    def candidate(self, url: str, **changes: object) -> Candidate:
        search_id = str(changes.get("search_id", SEARCH))
        candidate = Candidate(derived_id("i", search_id, url), search_id, url, "Title", "Snippet", "mojeek", 1)
        return replace(candidate, **changes)  # type: ignore[arg-type]

    def page(self, url: str, domain: str = "example.org", **changes: object) -> Page:
        page = Page(derived_id("p", url), url, domain, "Heart failure and gliptins", "en", NOW)
        return replace(page, **changes)  # type: ignore[arg-type]

    def fragment(self, page: Page, text: str, position: int = 0, **changes: object) -> Fragment:
        start = max(page.text.find(text), 0)
        fragment = Fragment(
            id=derived_id("f", page.id, text),
            page_id=page.id,
            text_content=text,
            fragment_type=FragmentType.PARAGRAPH,
            heading_context="Results",
            heading_hierarchy=(Heading(1, "Trial"), Heading(2, "Results")),
            element_index=position,
            position=position,
            char_start=start,
            char_end=start + len(text),
            text_hash=text_hash(text),
            language="en",
        )
        return replace(fragment, **changes)  # type: ignore[arg-type]

    def claim(self, text: str, **changes: object) -> Claim:
        claim = Claim(derived_id("c", str(changes.get("task_id", TASK)), text), TASK, text, "en", NOW)
        return replace(claim, **changes)  # type: ignore[arg-type]

    def mention(self, claim: Claim, fragment: Fragment) -> Mention:
        text = fragment.text_content
        return Mention(claim.id, fragment.id, text, 0, len(text), text_hash(text))

    def stance(self, fragment: Fragment, claim: Claim, relation: Relation, weight: float, **changes: object) -> Edge:
        edge = Edge(
            id=derived_id("e", fragment.id, claim.id),
            source_type="fragment",
            source_id=fragment.id,
            target_type="claim",
            target_id=claim.id,
            relation=relation,
            created_at=NOW,
            nli_label=relation.value,
            nli_confidence=weight,
            nli_raw=weight,
            model_id="stance-1",
            source_trust_level=TrustLevel.UNVERIFIED,
        )
        return replace(edge, **changes)  # type: ignore[arg-type]

    def citation(self, citing: Page, cited: Page, source: str) -> Edge:
        edge_id = derived_id("e", citing.id, cited.id)
        return Edge(edge_id, "page", citing.id, "page", cited.id, Relation.CITES, NOW, citation_source=source)

    def assessment(self, claim: Claim, supports: int, refutes: int, neutral: int = 0, **changes: object) -> Assessment:
        """As the graph would assess it with every weight 0.9."""
        alpha, beta = 1 + 0.9 * supports, 1 + 0.9 * refutes
        controversy = min(supports, refutes) / (supports + refutes) if supports + refutes else 0.0
        assessment = Assessment(
            claim_id=claim.id,
            evidence=Confidence(alpha, beta, alpha / (alpha + beta), 0.25, controversy, supports, refutes, neutral),
            independent_sources=supports + refutes,
            text_confidence=alpha / (alpha + beta),
            report_confidence=alpha / (alpha + beta),
            verdict=Verdict.UNVERIFIED,
            verification_status=VerificationStatus.PENDING,
            verification_reason="Not yet corroborated.",
            adoption_status=AdoptionStatus.PENDING,
            refutation_status=RefutationStatus.NOT_SEARCHED,
            trust_level=None,
            has_primary_source=False,
        )
        return replace(assessment, **changes)  # type: ignore[arg-type]


@pytest.fixture
def make() -> Make:
    return Make()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "lyra.db"


@pytest.fixture
def at_schema(path: Path) -> Callable[[int], apsw.Connection]:
    """Makes the file with an earlier schema, by the steps that made it then."""

    return functools.partial(make_at_schema, path)


def make_at_schema(path: Path, number: int) -> apsw.Connection:
    """A connection to a new file of an earlier schema."""
    create_file(path)
    connection = connect(path)
    connection.pragma("journal_mode", "wal")
    for step, sql in migrate._migrations("upgrades").items():
        if step <= number:
            connection.execute(sql)
    connection.pragma("application_id", migrate.APPLICATION_ID)
    connection.pragma("user_version", number)
    return connection


@pytest.fixture
async def db(path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    database = await Database.open(new_database(path), readers=2)
    yield database
    await database.close()


@dataclass(frozen=True, slots=True)
class Graph:
    """The small graph: pages p1–p5, fragments f1–f5 and f2b, claims c1–c4 of one task; one claim of another."""

    p: tuple[Page, ...]
    f1: Fragment
    f2: Fragment
    f2b: Fragment
    f3: Fragment
    f4: Fragment
    f5: Fragment
    c1: Claim
    c2: Claim
    c3: Claim
    c4: Claim
    other: Claim


_PLACES = (
    ("https://www.pmda.go.jp/gliptin", "pmda.go.jp", "2021-05-01"),
    ("https://www.nejm.org/savor", "nejm.org", "2013-10-03"),
    ("https://news.example.jp/shinfuzen", "example.jp", "2014-02-11"),
    ("https://blog.example.com/gliptins", "example.com", "2022"),
    ("https://old.example.org/early", "example.org", "2004-07"),
)


@pytest.fixture
async def graph(db: Database, make: Make) -> Graph:
    p = tuple(make.page(url, domain, date=date, title=domain) for url, domain, date in _PLACES)
    c1 = make.claim("Sitagliptin lowers HbA1c by 0.7 points.")
    c2 = make.claim("DPP-4阻害薬は心不全による入院を増やす。", language="ja")
    c3 = make.claim("Gliptins prolong life.", is_hypothesis=True)
    c4 = make.claim("Gliptins are well tolerated.")
    other = make.claim("Saxagliptin raises admissions for heart failure.", task_id=OTHER_TASK)
    graph = Graph(
        p=p,
        f1=make.fragment(p[0], "シタグリプチンはHbA1cを0.7ポイント下げた。", language="ja"),
        f2=make.fragment(p[1], "Sitagliptin lowered HbA1c by 0.7 points."),
        f2b=make.fragment(p[1], "More patients on saxagliptin were admitted for heart failure.", 1),
        f3=make.fragment(p[2], "HbA1cの低下は認められなかった。", language="ja"),
        f4=make.fragment(p[3], "Admissions for heart failure did not rise."),
        f5=make.fragment(p[4], "Adverse events were as frequent as with placebo."),
        c1=c1, c2=c2, c3=c3, c4=c4, other=other,
    )  # fmt: skip
    await db.write(_store, make, graph)
    return graph


def _store(connection: apsw.Connection, make: Make, graph: Graph) -> None:
    tasks.insert(connection, make.task())
    tasks.insert(connection, make.task(OTHER_TASK))
    searches.insert(connection, make.search())
    for page, fragments in zip(
        graph.p, ((graph.f1,), (graph.f2, graph.f2b), (graph.f3,), (graph.f4,), (graph.f5,)), strict=True
    ):
        pages.save(connection, page, fragments)
        state = CandidateState.FETCHED
        candidates.add(connection, [make.candidate(page.url, state=state, page_id=page.id)])
    work = works.save(
        connection,
        Work(
            "doi:10.1056/savor",
            "SAVOR",
            year=2013,
            identifiers=(Identifier("doi", "10.1056/savor"),),
            citation_count=100,
        ),
    )
    works.link(connection, graph.p[1].id, work.id)
    claims.insert_many(connection, [graph.c1, graph.c2, graph.c3, graph.c4, graph.other])
    claims.add_mentions(connection, [make.mention(graph.c1, graph.f1), make.mention(graph.c2, graph.f2b)])
    edges.insert_many(connection, _edges(make, graph))
    claims.save_assessments(
        connection,
        [
            make.assessment(graph.c1, 2, 1),
            make.assessment(graph.c2, 1, 2, 1),
            make.assessment(graph.c4, 1, 0),
        ],
        NOW + timedelta(minutes=1),
    )


def _edges(make: Make, g: Graph) -> list[Edge]:
    government, academic = TrustLevel.GOVERNMENT, TrustLevel.ACADEMIC
    yes, no, silent = Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL
    return [
        make.stance(g.f1, g.c1, yes, 0.9, is_origin=True, source_trust_level=government),
        make.stance(g.f2, g.c1, yes, 0.8, source_trust_level=academic),
        make.stance(g.f3, g.c1, no, 0.7),
        make.stance(g.f2b, g.c2, yes, 0.6, is_origin=True, source_trust_level=academic),
        make.stance(g.f4, g.c2, no, 0.9, quote="did not rise"),
        make.stance(g.f1, g.c2, no, 0.6, source_trust_level=government),
        make.stance(g.f3, g.c2, silent, 0.5),
        make.stance(g.f5, g.c4, yes, 0.5),
        make.stance(g.f2b, g.other, yes, 0.95, source_trust_level=academic),
        make.citation(g.p[0], g.p[1], "openalex"),
        make.citation(g.p[1], g.p[4], "semantic_scholar"),
        make.citation(g.p[2], g.p[3], "page"),
        make.citation(g.p[3], g.p[2], "page"),
    ]


@pytest.fixture
def later() -> datetime:
    return NOW + timedelta(hours=1)
