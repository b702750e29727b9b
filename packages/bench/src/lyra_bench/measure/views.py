"""The analysis views on a large graph, each within the limits that a client has by default."""

import random
import tempfile
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import TimedOut
from lyra.evidence.assess import assess
from lyra.evidence.whatif import dependences, group_by_claim, review_rows
from lyra.ids import derived_id, text_hash
from lyra.model.claim import Claim, Mention
from lyra.model.edge import Edge, Relation
from lyra.model.page import Fragment, FragmentType, GroupKind, Identifier, Page, PageGroup
from lyra.model.search import Candidate, CandidateState, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.storage import (
    candidates,
    citation_flows,
    claim_sources,
    claims,
    edges,
    graph_views,
    links,
    page_groups,
    pages,
    reviews,
    searches,
    status,
    tasks,
)
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

TASK = "task_00000000be7c"
_SEARCH = "s_00000000be7c"
_NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
_CITES_PER_PAGE = 10
_LINKS_PER_PAGE = 20
_RELATIONS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL, Relation.NEUTRAL)


async def measure_views(
    edge_count: int = 50_000, *, page_count: int = 1000, fragment_count: int = 20_000, claim_count: int = 5000
) -> dict[str, Any]:
    """Milliseconds of every view for one task, and of the status.

    Each view is asked for 50 rows plain, for 50 rows sorted by each of its columns, the highest first, and for its
    number of rows; the slowest of these is told, and each question that the limits stopped.
    """
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch:
        db = await Database.open(Path(scratch) / "lyra.db")
        queries = GraphQueries(db.path)
        try:
            await db.write(build_graph, page_count, fragment_count // page_count, claim_count, edge_count)
            started = time.perf_counter()
            await db.write(weigh)
            weighing_s = round(time.perf_counter() - started, 1)
            questions = [one for name in graph_views.rendered() for one in await db.read(_questions, name)]
            taken = {one: await _ask(queries, one) for one in questions}
            started = time.perf_counter()
            for count in (status.totals, status.unverified_domains, status.verification_alerts):
                await db.read(count, TASK)
            status_ms = round((time.perf_counter() - started) * 1000, 1)
        finally:
            await queries.close()
            await db.close()
    stopped = sorted(asked for (_, asked), found in taken.items() if found is None)
    told: dict[str, float] = {}
    for (view, _), found in taken.items():
        told[view] = max(told.get(view, 0.0), found or 0.0)
    return {
        "edges": edge_count,
        "pages": page_count,
        "claims": claim_count,
        "questions": len(taken),
        "slowest_ms": max(told.values(), default=None),
        "stopped": stopped,
        "status_ms": status_ms,
        "weigh_sources_s": weighing_s,
        "views_ms": dict(sorted(told.items(), key=lambda one: -one[1])),
    }


def _questions(connection: "Connection", view: str) -> list[tuple[str, str]]:
    """What a client asks of a view: plain, counted, and sorted by each column but the first, which is the task."""
    columns = [str(name) for (name,) in connection.execute("select name from pragma_table_info(?)", (view,))]
    own = f"from {view} where task_id = '{TASK}'"
    asked = [f"select * {own} limit 50", f"select count(*) {own}"]
    asked += [f"select * {own} order by {column} desc limit 50" for column in columns[1:]]
    return [(view, one) for one in asked]


async def _ask(queries: GraphQueries, question: tuple[str, str]) -> float | None:
    """Milliseconds, or none where the default limits stopped it; asked twice, the second time counts."""
    try:
        await queries.run(question[1])
        return float((await queries.run(question[1])).elapsed_ms)
    except TimedOut:
        return None


def build_graph(connection: "Connection", page_count: int, per_page: int, claim_count: int, edge_count: int) -> None:
    chance = random.Random(0)
    tasks.insert(connection, Task(TASK, "How fast are the views?", TaskStatus.EXPLORING, _NOW, Budget()))
    searches.insert(connection, Search(_SEARCH, TASK, "speed", SearchOptions(), SearchStatus.SATISFIED, _NOW))
    fragments: list[Fragment] = []
    for at in range(page_count):
        page, own = _page(at, per_page)
        pages.save(connection, page, own)
        fragments += own
        read = Candidate(f"r_{at}", _SEARCH, page.url, "", "", "made", at, CandidateState.FETCHED, page_id=page.id)
        candidates.add(connection, [read])
    known = [
        Claim(derived_id("c", str(at)), TASK, f"Drug {at} lowers outcome {at % 97}.", "en", _NOW)
        for at in range(claim_count)
    ]
    claims.insert_many(connection, known)
    claims.add_mentions(connection, [_mention(one, fragments[at]) for at, one in enumerate(known)])
    edges.insert_many(connection, _stances(chance, fragments, known, edge_count))
    edges.insert_many(connection, _citations(chance, page_count))
    for at in range(page_count):
        links.note(connection, f"p_{at}", _links(chance))
    page_groups.replace_all(connection, TASK, _groups(page_count))


def weigh(connection: "Connection") -> None:
    """What the end of a search does for every claim: how it would stand without each of its sources, and the queue."""
    for claim_id, rows in group_by_claim(edges.evidence_of_task(connection, TASK)).items():
        claim_sources.put(connection, TASK, dependences(claim_id, rows, (), assess))
        reviews.put_queue(connection, TASK, review_rows(claim_id, rows, (), assess))
    citation_flows.replace_all(connection, TASK)


def _page(at: int, per_page: int) -> tuple[Page, list[Fragment]]:
    url = f"https://www.site{at % 300}.example/{at}"
    page = Page(
        f"p_{at}",
        url,
        f"site{at % 300}.example",
        f"Article {at}",
        "en",
        _NOW,
        date=f"{1995 + at % 30}-0{1 + at % 9}-01",
    )
    texts = [f"Finding {number} of article {at}." for number in range(per_page)]
    return page, [
        Fragment(
            id=f"f_{at}_{number}",
            page_id=page.id,
            text_content=text,
            fragment_type=FragmentType.PARAGRAPH,
            heading_context="Results",
            heading_hierarchy=(),
            element_index=number,
            position=number,
            char_start=0,
            char_end=len(text),
            text_hash=text_hash(text),
            language="en",
        )
        for number, text in enumerate(texts)
    ]


def _mention(claim: Claim, fragment: Fragment) -> Mention:
    text = fragment.text_content
    return Mention(claim.id, fragment.id, text, 0, len(text), fragment.text_hash)


def _stances(chance: random.Random, fragments: list[Fragment], known: list[Claim], count: int) -> Iterable[Edge]:
    """Every claim's origin, then pairs at random, each once."""
    pairs = {(fragments[at].id, one.id): True for at, one in enumerate(known)}
    while len(pairs) < count:
        pairs.setdefault((chance.choice(fragments).id, chance.choice(known).id), False)
    for (fragment_id, claim_id), is_origin in pairs.items():
        yield Edge(
            id=f"e_{fragment_id}_{claim_id}",
            source_type="fragment",
            source_id=fragment_id,
            target_type="claim",
            target_id=claim_id,
            relation=Relation.SUPPORTS if is_origin else chance.choice(_RELATIONS),
            created_at=_NOW + timedelta(seconds=1),
            nli_confidence=round(chance.uniform(0.3, 0.98), 3),
            source_trust_level=chance.choice(list(TrustLevel)),
            is_origin=is_origin,
        )


def _links(chance: random.Random) -> list[tuple[str, Identifier]]:
    """What a page links to: some addresses that others link to as well, most of them unread."""
    urls = {f"https://www.cited{chance.randrange(8000)}.example/report" for _ in range(_LINKS_PER_PAGE)}
    return [(url, Identifier("url", url)) for url in sorted(urls)]


def _groups(page_count: int) -> list[PageGroup]:
    """One page in five belongs to a story that four sites tell."""
    return [
        PageGroup(GroupKind.NARRATIVE, frozenset(f"p_{at + step}" for step in range(4)))
        for at in range(0, page_count - 4, 20)
    ]


def _citations(chance: random.Random, page_count: int) -> Iterable[Edge]:
    for at in range(page_count):
        for cited in {chance.randrange(page_count) for _ in range(_CITES_PER_PAGE)} - {at}:
            yield Edge(f"e_p{at}_{cited}", "page", f"p_{at}", "page", f"p_{cited}", Relation.CITES, _NOW)
