"""Deleting a task on random graphs: nobody else loses anything, and the three ways to do it agree."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lyra.clock import stamp
from lyra.errors import TaskNotFound
from lyra.ids import derived_id, text_hash
from lyra.model.claim import Claim, Mention
from lyra.model.edge import Edge, Relation
from lyra.model.event import Event
from lyra.model.handoff import Handoff, Question
from lyra.model.job import Job, JobState
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Identifier, Page
from lyra.model.person import Person, Role
from lyra.model.search import (
    Candidate,
    CandidateState,
    EngineAnswer,
    Search,
    SearchOptions,
    SearchOutcome,
    SearchStatus,
    SentQuery,
)
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.work import Work
from lyra.storage import (
    caches,
    candidates,
    claims,
    cleanup,
    derived_queries,
    edges,
    embeddings,
    graph_views,
    handoffs,
    jobs,
    journal,
    leases,
    migrate,
    pages,
    people,
    questions,
    quotes,
    searches,
    tasks,
    works,
)
from lyra.storage.connection import connect, create_file

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
TASKS = ("task_00000000000a", "task_00000000000b", "task_00000000000c")
GONE = TASKS[0]
LEASED_UNTIL = NOW + timedelta(seconds=15)
PAGES = 5
FRAGMENTS = 2
WORKS = (None, "10.5555/savor", "10.5555/teclos")
FILES = (None, "20260314/a.warc.gz", "20260314/b.warc.gz")
STANCES = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)


@dataclass(frozen=True)
class Plan:
    """A graph to be built: everything by index, so that a failing example can be read."""

    works: tuple[int, ...]
    files: tuple[int, ...]
    read: frozenset[tuple[int, int]]  # task, page
    judged: frozenset[tuple[int, int, int, int]]  # task, page, fragment, stance
    mentioned: frozenset[tuple[int, int, int]]  # task, page, fragment
    cited: frozenset[tuple[int, int, int]]  # page, page, task that found it (3: unknown)
    repeated: frozenset[tuple[int, int, int, int]]  # page and fragment that nearly repeat page and fragment
    changed: frozenset[int]  # pages that later lost their first fragment
    awaited: frozenset[int]  # pages that a running search of the last task is about to read


_page, _fragment, _task = st.integers(0, PAGES - 1), st.integers(0, FRAGMENTS - 1), st.integers(0, 2)
_plans = st.builds(
    Plan,
    works=st.tuples(*[st.integers(0, 2)] * PAGES),
    files=st.tuples(*[st.integers(0, 2)] * PAGES),
    read=st.frozensets(st.tuples(_task, _page), max_size=8),
    judged=st.frozensets(st.tuples(_task, _page, _fragment, st.integers(0, 2)), max_size=6),
    mentioned=st.frozensets(st.tuples(_task, _page, _fragment), max_size=4),
    cited=st.frozensets(st.tuples(_page, _page, st.integers(0, 3)), max_size=3),
    repeated=st.frozensets(st.tuples(_page, _fragment, _page, _fragment), max_size=3),
    changed=st.frozensets(_page, max_size=2),
    awaited=st.frozensets(_page, max_size=1),
)


def page_of(plan: Plan, at: int, *, later: bool = False) -> Page:
    url = f"https://site{at}.example/gliptins"
    path = FILES[(plan.files[at] + later) % len(FILES)]
    text = " ".join(texts_of(at)[1:] if later else texts_of(at))
    return Page(
        id=derived_id("p", url),
        url=url,
        domain=f"site{at}.example",
        title="DPP-4阻害薬と心不全",
        language="en",
        fetched_at=NOW + timedelta(minutes=5 if later else 0),
        date="2021-05-01",
        archive=ArchiveRef(path, 10 * at, 10, f"<urn:{at}>") if path else None,
        text=text,
    )


def texts_of(at: int) -> list[str]:
    return [f"Saxagliptin raised admissions by {at + 10}{part} percent." for part in range(FRAGMENTS)]


def fragments_of(at: int, page: Page, *, later: bool = False) -> list[Fragment]:
    return [
        Fragment(
            id=derived_id("f", page.id, text),
            page_id=page.id,
            text_content=text,
            fragment_type=FragmentType.PARAGRAPH,
            heading_context="Results",
            heading_hierarchy=(),
            element_index=position,
            position=position,
            char_start=0,
            char_end=len(text),
            text_hash=text_hash(text),
            language="en",
        )
        for position, text in enumerate(texts_of(at)[1:] if later else texts_of(at))
    ]


def fragment_id(at: int, part: int) -> str:
    return derived_id("f", derived_id("p", f"https://site{at}.example/gliptins"), texts_of(at)[part])


def build(connection: apsw.Connection, plan: Plan) -> None:
    for at in range(PAGES):
        page = page_of(plan, at)
        pages.save(connection, page, fragments_of(at, page))
        pages.index(connection, "url", f"https://site{at}.example/moved", page.id)
        rows = [(one.id, [1.0, float(at)]) for one in fragments_of(at, page)]
        embeddings.put_many(connection, "fragment", rows, "minilm")
        doi = WORKS[plan.works[at]]
        if doi:
            work = Work(f"doi:{doi}", "SAVOR", year=2013, identifiers=(Identifier("doi", doi),))
            works.link(connection, page.id, works.save(connection, work).id)
    connection.execute("update works set updated_at = '2026-03-14T09:00:00.000Z'")
    for number, task_id in enumerate(TASKS):
        build_task(connection, plan, number, task_id)
    for citing, cited, finder in sorted(plan.cited):
        ends = [derived_id("p", f"https://site{at}.example/gliptins") for at in (citing, cited)]
        edge = Edge(
            derived_id("e", *ends), "page", ends[0], "page", ends[1], Relation.CITES, NOW, cause_id=f"s_{finder}"
        )
        edges.insert_many(connection, [edge])
    pages.set_near_duplicates(
        connection, [(fragment_id(a, b), fragment_id(c, d)) for a, b, c, d in sorted(plan.repeated) if (a, b) != (c, d)]
    )
    for at in sorted(plan.changed):
        page = page_of(plan, at, later=True)
        pages.save(connection, page, fragments_of(at, page, later=True))


def build_task(connection: apsw.Connection, plan: Plan, number: int, task_id: str) -> None:
    tasks.insert(connection, Task(task_id, "Are DPP-4 inhibitors safe?", TaskStatus.CREATED, NOW, Budget()))
    is_running = number == 2
    status = SearchStatus.RUNNING if is_running else SearchStatus.SATISFIED
    begun = NOW + timedelta(minutes=3)
    search = Search(f"s_{number}", task_id, "DPP-4 阻害薬 心不全", SearchOptions(), status, NOW, started_at=begun)
    searches.insert(connection, search)
    state = JobState.RUNNING if is_running else JobState.DONE
    jobs.enqueue(connection, Job(f"j_{number}", "search", state, NOW, task_id=task_id))
    if is_running:
        leases.acquire(connection, f"job:j_{number}", "a process", NOW, LEASED_UNTIL)
    journal.append(
        connection,
        [
            Event("answer", NOW, "mojeek", task_id=task_id, search_id=search.id),
            Event("fetch", NOW, "https://www.mojeek.com/search?q=DPP-4", cause_id=search.id),
            Event("trust_changed", NOW, "site0.example", cause_id=search.id),
        ],
    )
    url = "https://site0.example/login"
    handoffs.insert(connection, Handoff(f"auth_{number}", task_id, search.id, "site0.example", url, "captcha", NOW))
    claim = Claim(f"c_{number}", task_id, "Saxagliptin increases heart failure.", "en", NOW, search_id=search.id)
    claims.insert_many(connection, [claim])
    embeddings.put_many(connection, "claim", [(claim.id, [0.0, 1.0])], "minilm")
    for at in sorted(page for reader, page in plan.read if reader == number):
        connection_add(connection, plan, number, at, CandidateState.FETCHED)
    for at in sorted(plan.awaited if is_running else ()):
        connection_add(connection, plan, number, at, CandidateState.PENDING)
    for _, at, part, stance in sorted(one for one in plan.judged if one[0] == number):
        source = fragment_id(at, part)
        edge = Edge(derived_id("e", source, claim.id), "fragment", source, "claim", claim.id, STANCES[stance], NOW)
        edges.insert_many(connection, [replace(edge, nli_confidence=0.8)])
    for _, at, part in sorted(one for one in plan.mentioned if one[0] == number):
        text = texts_of(at)[part]
        claims.add_mentions(connection, [Mention(claim.id, fragment_id(at, part), text, 0, len(text), text_hash(text))])


def connection_add(connection: apsw.Connection, plan: Plan, number: int, at: int, state: CandidateState) -> None:
    page = page_of(plan, at)
    known = None if state is CandidateState.PENDING else page.id
    candidate = Candidate(f"r_{number}_{at}", f"s_{number}", page.url, "Title", "…", "mojeek", 1, state, page_id=known)
    candidates.add(connection, [candidate])
    journal.append(connection, [Event("fetch", NOW, page.url, cause_id=candidate.id)])


def rows(connection: apsw.Connection, statement: str, **values: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in connection.execute(statement, values)), key=repr)


def everything(connection: apsw.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, the full-text index and the removal counter of the vector index left out."""
    names = connection.execute(
        "select name from sqlite_schema where type = 'table' and name not like '%\\_fts%' escape '\\'"
        " and name not like 'sqlite_%' and name not in ('meta', 'embedding_removals')"
    ).fetchall()
    return {name: rows(connection, f"select * from {name}") for (name,) in names}


def holdings(connection: apsw.Connection, task_id: str) -> dict[str, Any]:
    """All that a task has: its own rows, what it reached, and what its evidence looks like through the storage."""
    reached = "select page_id from task_pages where task_id = :task"
    near = f"select f.id from fragments f where f.page_id in ({reached})"
    asked = {
        "tasks": "select * from tasks where id = :task",
        "queries": "select * from queries where task_id = :task",
        "serp_items": "select s.* from serp_items s join queries q on q.id = s.query_id where q.task_id = :task",
        "claims": "select * from claims where task_id = :task",
        "mentions": "select m.* from claim_mentions m join claims c on c.id = m.claim_id where c.task_id = :task",
        "edges": "select * from edges where task_id = :task",
        "years": "select * from claim_years where task_id = :task",
        "jobs": "select * from jobs where task_id = :task",
        "events": "select * from event_log where task_id = :task",
        "requests": """
            select * from event_log where cause_id in (
                select id from queries where task_id = :task
                union all select s.id from serp_items s join queries q on q.id = s.query_id where q.task_id = :task
            )""",
        "handoffs": "select * from intervention_queue where task_id = :task",
        "pages": f"select * from pages where id in ({reached})",
        "fragments": f"select * from fragments where page_id in ({reached}) and superseded_at is null",
        "old words": f"""
            select f.* from fragments f where f.page_id in ({reached}) and f.superseded_at is not null and (
                exists (select 1 from edges e where e.source_id = f.id and e.task_id = :task)
                or exists (select 1 from claim_mentions m join claims c on c.id = m.claim_id
                    where m.fragment_id = f.id and c.task_id = :task)
            )""",
        "claim vectors": """
            select v.* from embeddings v join claims c on c.id = v.target_id where c.task_id = :task""",
        "fragment vectors": f"""
            select v.* from embeddings v join fragments f on f.id = v.target_id
            where f.page_id in ({reached}) and f.superseded_at is null""",
        "works": f"select w.* from works w join pages p on p.work_id = w.id where p.id in ({reached})",
        "addresses": f"select kind, value, page_id from resource_index where kind = 'url' and page_id in ({reached})",
        "identifiers": f"""
            select r.kind, r.value, r.work_id from resource_index r join pages p on p.work_id = r.work_id
            where p.id in ({reached})""",
        "citations": f"""
            select * from edges where relation = 'cites' and source_id in ({reached}) and target_id in ({reached})""",
        "repeated": f"select id, near_duplicate_of from fragments where id in ({near}) and superseded_at is null",
        "awaited": """
            select p.* from serp_items s join queries q on q.id = s.query_id join pages p on p.url = s.url
            where q.task_id = :task and s.state = 'pending'""",
    }
    found: dict[str, Any] = {name: rows(connection, statement, task=task_id) for name, statement in asked.items()}
    found["evidence"] = edges.evidence_of_task(connection, task_id)
    found["quotes"] = quotes.of_task(connection, task_id)
    return found


def without(held: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in held.items() if name not in names}


def identifiers(held: dict[str, Any], name: str) -> list[tuple[Any, ...]]:
    """The number, id, page and words of each row."""
    return [row[:4] for row in held[name]]


def broken(connection: apsw.Connection) -> list[Any]:
    """What refers to nothing: foreign keys, ends of edges, vectors, and rows of the full-text index."""
    dangling = """
        select 'edge', id from edges where source_type = 'fragment' and source_id not in (select id from fragments)
        union all
        select 'edge', id from edges where target_type = 'claim' and target_id not in (select id from claims)
        union all
        select 'cites', id from edges where relation = 'cites'
            and (source_id not in (select id from pages) or target_id not in (select id from pages))
        union all
        select 'vector', id from embeddings
        where target_id not in (select id from fragments union select id from claims)
        union all
        select 'index', value from resource_index where page_id is null and work_id is null
    """
    for table in ("fragments_fts", "claims_fts"):
        connection.execute(f"insert into {table} ({table}, rank) values ('integrity-check', 1)")
    return [*connection.execute("pragma foreign_key_check"), *connection.execute(dangling)]


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    path: Path = tmp_path_factory.mktemp("cleanup") / "lyra.db"
    create_file(path)
    connection = connect(path)
    migrate.migrate(connection, path)
    graph_views.install(connection)
    connection.execute("pragma synchronous = off")
    yield connection
    connection.close()


class Trial:
    """A graph in a transaction that is taken back: every example begins with an empty file."""

    def __init__(self, connection: apsw.Connection, plan: Plan) -> None:
        self._connection = connection
        self._plan = plan

    def __enter__(self) -> apsw.Connection:
        self._connection.execute("begin immediate")
        build(self._connection, self._plan)
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.execute("rollback")


_thorough = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, database=None
)


@_thorough
@given(plan=_plans, is_hard=st.booleans())
def test_no_other_task_loses_anything(empty: apsw.Connection, plan: Plan, is_hard: bool) -> None:
    """Whatever the graph, other tasks keep every row, page, quote, vector and citation, and nothing dangles."""
    with Trial(empty, plan) as connection:
        before = [holdings(connection, task_id) for task_id in TASKS[1:]]

        cleanup.delete_task(connection, GONE, is_hard=is_hard, now=NOW)

        after = [holdings(connection, task_id) for task_id in TASKS[1:]]
        assume([one["repeated"] for one in after] == [one["repeated"] for one in before])
        assert after == before
        assert broken(connection) == []


# What follows from which text is known as the original of which.
FROM_ORIGINALS = ("fragments", "old words", "repeated", "years", "evidence")


@_thorough
@given(plan=_plans)
def test_where_an_original_goes_nothing_else_does(empty: apsw.Connection, plan: Plan) -> None:
    """Texts of other tasks that repeat it are known by another; all else that those tasks have is as it was."""
    with Trial(empty, plan) as connection:
        before = [holdings(connection, task_id) for task_id in TASKS[1:]]

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        after = [holdings(connection, task_id) for task_id in TASKS[1:]]
        assert [without(one, FROM_ORIGINALS) for one in after] == [without(one, FROM_ORIGINALS) for one in before]
        assert [identifiers(one, "fragments") for one in after] == [identifiers(one, "fragments") for one in before]
        assert [identifiers(one, "old words") for one in after] == [identifiers(one, "old words") for one in before]
        assert broken(connection) == []


@_thorough
@given(plan=_plans)
def test_soft_then_hard_is_hard(empty: apsw.Connection, plan: Plan) -> None:
    """Who deletes softly first and hard later ends where hard alone would have ended, to the row."""
    with Trial(empty, plan) as connection:
        connection.execute("savepoint built")
        cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)
        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)
        in_two_steps = everything(connection)
        connection.execute("rollback to built")

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert everything(connection) == in_two_steps


@_thorough
@given(plan=_plans, is_hard=st.booleans())
def test_a_rehearsal_counts_what_the_deed_does_and_changes_nothing(
    empty: apsw.Connection, plan: Plan, is_hard: bool
) -> None:
    """The counts of a dry run are the real ones, and they are the rows that are really gone."""
    with Trial(empty, plan) as connection:
        before = everything(connection)
        rehearsed = cleanup.preview_deletion(connection, GONE, is_hard=is_hard, now=NOW)
        untouched = everything(connection)

        done = cleanup.delete_task(connection, GONE, is_hard=is_hard, now=NOW)

        after = everything(connection)
        assert untouched == before
        assert rehearsed == done
        assert dict(done.counts) == {table: len(before[table]) - len(after[table]) for table in done.counts}


@_thorough
@given(plan=_plans)
def test_files_go_only_when_no_page_needs_them(empty: apsw.Connection, plan: Plan) -> None:
    """An archive file holds many records: it is named for removal when the last page that lies in it is gone."""
    with Trial(empty, plan) as connection:
        before = dict(connection.execute("select id, warc_path from pages"))

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        used = "select warc_path from pages union select warc_path from page_versions"
        kept = {path for (path,) in connection.execute(used)}
        gone = set(before) - {page for (page,) in connection.execute("select id from pages")}
        assert set(done.lone_files) & kept == set()
        assert set(done.lone_files) | set(done.shared_files) >= {before[page] for page in gone} - {None}


NOTHING = Plan((0,) * PAGES, (0,) * PAGES, *[frozenset()] * 7)  # type: ignore[arg-type]


def pages_left(connection: apsw.Connection) -> set[str]:
    return {domain for (domain,) in connection.execute("select domain from pages")}


@pytest.mark.parametrize(
    ("plan", "left"),
    [
        pytest.param(replace(NOTHING, read=frozenset({(0, 0)})), {1, 2, 3, 4}, id="only this task read it"),
        pytest.param(replace(NOTHING, read=frozenset({(0, 0), (1, 0)})), {0, 1, 2, 3, 4}, id="another read it too"),
        pytest.param(NOTHING, {0, 1, 2, 3, 4}, id="pages that nobody read are not this task's"),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0)}), repeated=frozenset({(1, 0, 0, 0)})),
            {1, 2, 3, 4},
            id="a text that stays was known as its near-duplicate",
        ),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0), (0, 1)}), repeated=frozenset({(1, 0, 0, 0)})),
            {2, 3, 4},
            id="both texts go",
        ),
        pytest.param(
            replace(
                NOTHING,
                read=frozenset({(0, 0), (0, 1), (0, 2)}),
                repeated=frozenset({(3, 0, 2, 0), (2, 0, 1, 0), (1, 0, 0, 0)}),
            ),
            {3, 4},
            id="a text that stays repeats one that repeats one that repeats another",
        ),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0)}), cited=frozenset({(1, 0, 1)})),
            {0, 1, 2, 3, 4},
            id="another task's search found a citation of it",
        ),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0)}), cited=frozenset({(1, 0, 0)})),
            {1, 2, 3, 4},
            id="its own citation does not hold it",
        ),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0)}), awaited=frozenset({0})),
            {0, 1, 2, 3, 4},
            id="a running search of another task is about to read it",
        ),
        pytest.param(
            replace(NOTHING, read=frozenset({(0, 0), (0, 1)}), changed=frozenset({0})),
            {2, 3, 4},
            id="it was saved after a running search began, which would have recorded it",
        ),
    ],
)
def test_which_pages_hard_cleanup_takes(empty: apsw.Connection, plan: Plan, left: set[int]) -> None:
    """Pages that only the deleted task reached and that nothing else needs, and no others."""
    with Trial(empty, plan) as connection:
        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert pages_left(connection) == {f"site{at}.example" for at in left}


READ = replace(NOTHING, read=frozenset({(0, 0)}))
AWAITED = replace(READ, awaited=frozenset({0}))
URL = page_of(NOTHING, 0).url


def end_search(connection: apsw.Connection, status: str) -> None:
    connection.execute("update queries set status = ? where id = 's_2'", (status,))


@pytest.mark.parametrize("extractor", ["abstract:openalex", "registry:wikidata"])
def test_an_abstract_stored_since_a_running_search_began_is_held(empty: apsw.Connection, extractor: str) -> None:
    """Abstracts and records are stored before they are noted among what a search has read."""
    with Trial(empty, READ) as connection:
        since = stamp(NOW + timedelta(minutes=4))
        connection.execute("update pages set extractor = ?, fetched_at = ? where url = ?", (extractor, since, URL))

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert (done.held_pages, done.counts["pages"]) == ((URL,), 0)


def test_an_abstract_stored_before_a_running_search_began_goes(empty: apsw.Connection) -> None:
    """That search cannot have stored it."""
    with Trial(empty, READ) as connection:
        connection.execute("update pages set extractor = 'abstract:openalex' where url = ?", (URL,))

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert (done.held_pages, done.counts["pages"]) == ((), 1)


def test_what_a_search_holds_is_named_and_deleted_when_it_has_ended(empty: apsw.Connection) -> None:
    """Until then it is known which deletion is unfinished; afterwards nothing of it is left."""
    with Trial(empty, AWAITED) as connection:
        first = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)
        unfinished = cleanup.unfinished(connection)
        again = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)
        end_search(connection, "exhausted")

        last = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert (first.held_pages, unfinished, again.held_pages) == ((URL,), (GONE,), (URL,))
        assert (last.held_pages, last.counts["pages"]) == ((), 1)
        assert cleanup.unfinished(connection) == ()
        assert connection.execute("select count(*) from deleted_tasks").get == 0


def test_what_a_held_page_is_repeated_from_goes(empty: apsw.Connection) -> None:
    """The search that reads the held page does not need the other: the held text is an original from then on."""
    plan = replace(AWAITED, read=frozenset({(0, 0), (0, 1)}), repeated=frozenset({(0, 0, 1, 0)}))
    with Trial(empty, plan) as connection:
        first = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)
        end_search(connection, "cancelled")

        last = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert (first.held_pages, first.counts["pages"]) == ((URL,), 1)
        assert (last.held_pages, last.counts["pages"]) == ((), 1)


def originals(connection: apsw.Connection) -> dict[str, str | None]:
    return dict(connection.execute("select id, near_duplicate_of from fragments where near_duplicate_of is not null"))


@pytest.mark.parametrize(
    ("repeated", "left"),
    [
        pytest.param({(1, 0, 0, 0)}, {}, id="its only copy"),
        pytest.param({(1, 0, 0, 0), (2, 0, 0, 0)}, {(2, 0): (1, 0)}, id="two copies still count as one"),
        pytest.param({(1, 0, 0, 0), (0, 0, 3, 0)}, {(1, 0): (3, 0)}, id="what it repeated itself"),
        pytest.param({(1, 0, 0, 0), (0, 0, 1, 0)}, {}, id="each was known by the other"),
    ],
)
def test_a_copy_is_known_by_the_next_original(
    empty: apsw.Connection, repeated: set[tuple[int, int, int, int]], left: dict[tuple[int, int], tuple[int, int]]
) -> None:
    """Where there is none it is an original itself, and the claims that rest on it are assessed anew."""
    plan = replace(
        NOTHING,
        read=frozenset({(0, 0), (1, 1), (1, 2), (1, 3)}),
        judged=frozenset({(1, 1, 0, 0), (1, 2, 0, 0)}),
        repeated=frozenset(repeated),
    )
    with Trial(empty, plan) as connection:
        connection.execute("delete from claims_to_assess")

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert (done.counts["pages"], done.held_pages) == (1, ())
        assert originals(connection) == {fragment_id(*copy): fragment_id(*one) for copy, one in left.items()}
        assert rows(connection, "select claim_id from claims_to_assess") == [("c_1",)]


@pytest.mark.parametrize("has_another", [True, False])
def test_a_copy_of_sentences_is_known_by_what_else_it_holds(empty: apsw.Connection, has_another: bool) -> None:
    """A text that holds two others loses one of them; of two that held the same one, the second holds the first."""
    plan = replace(
        NOTHING,
        read=frozenset({(0, 0), (1, 1), (1, 2), (1, 3)}),
        judged=frozenset({(1, 1, 0, 0)}),
        repeated=frozenset({(1, 0, 0, 0), (2, 0, 0, 0)}),
    )
    kept = [fragment_id(3, 0)] * has_another
    with Trial(empty, plan) as connection:
        held = {fragment_id(1, 0): [fragment_id(0, 0)], fragment_id(2, 0): [fragment_id(0, 0), *kept]}
        pages.set_contained_originals(connection, held)

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        other = fragment_id(3, 0) if has_another else fragment_id(1, 0)
        assert originals(connection) == {fragment_id(2, 0): other}
        assert rows(connection, "select * from contained_originals") == [(fragment_id(2, 0), other)]


def test_what_another_task_cites_is_named_and_goes_with_that_task(empty: apsw.Connection) -> None:
    """It is nobody's when that task goes, and no later command would reach it."""
    plan = replace(NOTHING, read=frozenset({(0, 0), (1, 1)}), cited=frozenset({(1, 0, 1)}))
    with Trial(empty, plan) as connection:
        first = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        last = cleanup.delete_task(connection, TASKS[1], is_hard=True, now=NOW)

        assert (first.cited_pages, first.held_pages, first.counts["pages"]) == ((URL,), (), 0)
        assert (last.cited_pages, last.counts["pages"]) == ((), 2)
        assert pages_left(connection) == {f"site{at}.example" for at in (2, 3, 4)}


def deleted_before(connection: apsw.Connection, moment: datetime, *, is_hard: bool) -> None:
    journal.append(connection, [Event("task_deleted", moment, TASKS[1], details={"is_hard": is_hard, "removed": {}})])


@pytest.mark.parametrize(
    ("since", "is_hard", "url", "left"),
    [
        pytest.param(timedelta(hours=1), True, URL, {1}, id="stored before a hard deletion"),
        pytest.param(timedelta(hours=-1), True, URL, {0, 1}, id="stored since"),
        pytest.param(timedelta(hours=1), False, URL, {0, 1}, id="the deletion was soft"),
        pytest.param(timedelta(hours=1), True, "file:///notes.md", {0, 1}, id="a document of one's own"),
    ],
)
def test_what_an_earlier_deletion_left_goes_with_the_next(
    empty: apsw.Connection, since: timedelta, is_hard: bool, url: str, left: set[int]
) -> None:
    """A page of the web that nobody reached, stored before a hard deletion: that should have taken it."""
    everybody = frozenset({(1, at) for at in range(1, PAGES)})
    with Trial(empty, replace(NOTHING, read=everybody)) as connection:
        connection.execute("update pages set url = ? where url = ?", (url, URL))
        deleted_before(connection, NOW + since, is_hard=is_hard)

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert pages_left(connection) == {f"site{at}.example" for at in left | {2, 3, 4}}


def test_what_a_soft_deletion_left_waits_for_its_own_hard_one(empty: apsw.Connection) -> None:
    """The deletion of another task is no reason to take it."""
    with Trial(empty, replace(NOTHING, read=frozenset({(1, at) for at in range(PAGES)}))) as connection:
        deleted_before(connection, NOW + timedelta(hours=1), is_hard=True)
        cleanup.delete_task(connection, TASKS[1], is_hard=False, now=NOW)

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        assert done.counts["pages"] == 0


def test_a_search_whose_process_is_gone_holds_nothing(empty: apsw.Connection) -> None:
    """Its row is still `running`, but nobody renews the lease of its job: whoever takes it up fetches the page anew."""
    with Trial(empty, AWAITED) as connection:
        done = cleanup.delete_task(connection, GONE, is_hard=True, now=LEASED_UNTIL)

        assert (done.held_pages, done.counts["pages"], cleanup.unfinished(connection)) == ((), 1, ())


def test_a_soft_deletion_is_not_finished_as_a_hard_one(empty: apsw.Connection) -> None:
    """Its pages are remembered, and wait for somebody who wants them gone."""
    with Trial(empty, AWAITED) as connection:
        cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)

        assert cleanup.unfinished(connection) == ()


def ask(connection: apsw.Connection, number: int, prompt: str, **fields: Any) -> None:
    asked = Question(f"wait_{number}", prompt, NOW, NOW + timedelta(hours=1))
    questions.insert(connection, replace(asked, **fields))


def test_questions_to_a_person_go_where_they_repeat_the_task(empty: apsw.Connection) -> None:
    """They have no task; one that repeats nothing of it, that another person asked or that is older stays."""
    question = "Is Tanaka's saxagliptin safe?"
    with Trial(empty, NOTHING) as connection:
        connection.execute("update tasks set query = ? where id = ?", (question, GONE))
        people.insert(connection, Person("u_1", "Aoi", Role.RESEARCHER, NOW), "hash")
        ask(connection, 0, f"May I ask a registry about this? {question.upper()}")
        ask(connection, 1, f"Stop {GONE}?")
        ask(connection, 2, "Which one?", choices=(question, "another"))
        ask(connection, 3, "Which ward?")
        ask(connection, 4, question, owner="u_1")
        ask(connection, 5, question, asked_at=NOW - timedelta(days=1))

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        left = connection.execute("select id from user_questions order by id").fetchall()
        assert (done.counts["user_questions"], left) == (3, [("wait_3",), ("wait_4",), ("wait_5",)])


def test_the_note_beside_a_correction_goes_with_its_edge(empty: apsw.Connection) -> None:
    """The figures stay, for they say nothing of the question; a note of another task's edge, or of none, stays too."""
    plan = replace(NOTHING, read=frozenset({(0, 0)}), judged=frozenset({(0, 0, 0, 0), (1, 1, 0, 0)}))
    with Trial(empty, plan) as connection:
        found = dict(connection.execute("select task_id, id from edges where task_id is not null"))
        insert = """
            insert into calibration_samples (id, source, language, basis, prediction, actual, edge_id, context,
                created_at)
            values (?, 'nli_judge', 'en', 'base', 0.5, 'true', ?, 'About Tanaka.', '2026-03-14')
        """
        connection.executemany(insert, [("x0", found[GONE]), ("x1", found[TASKS[1]]), ("x2", None)])

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        left = connection.execute("select id, prediction, context from calibration_samples order by id").fetchall()
        assert left == [("x0", 0.5, ""), ("x1", 0.5, "About Tanaka."), ("x2", 0.5, "About Tanaka.")]


def test_soft_cleanup_takes_what_the_task_owns(empty: apsw.Connection) -> None:
    """ADR5's list, counted; pages and fragments stay for whoever meets them again."""
    plan = replace(
        NOTHING, read=frozenset({(0, 0)}), judged=frozenset({(0, 0, 1, 0)}), mentioned=frozenset({(0, 0, 1)})
    )

    with Trial(empty, plan) as connection:
        done = cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)

        counted = {table: count for table, count in done.counts.items() if table != "event_log"}
        assert connection.execute("select count(*) from event_log where task_id = ?", (GONE,)).get == 0
        assert counted == {
            "claim_mentions": 1,
            "claims": 1,
            "edges": 1,
            "embeddings": 1,
            "intervention_queue": 1,
            "jobs": 1,
            "queries": 1,
            "reviews": 0,
            "serp_cache": 0,
            "serp_items": 1,
            "tasks": 1,
            "user_questions": 0,
        }
        assert pages_left(connection) == {f"site{at}.example" for at in range(PAGES)}


def test_the_requests_of_a_task_go_with_it(empty: apsw.Connection) -> None:
    """Their addresses hold the words that were asked; what was decided of a domain on the way outlives the task."""
    with Trial(empty, replace(NOTHING, read=frozenset({(0, 0), (1, 0)}))) as connection:
        cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)

        left = connection.execute("select kind, cause_id from event_log where task_id is null order by id").fetchall()

    assert left == [
        ("trust_changed", "s_0"),
        ("fetch", "s_1"),
        ("trust_changed", "s_1"),
        ("fetch", "r_1_0"),
        ("fetch", "s_2"),
        ("trust_changed", "s_2"),
    ]


def test_kept_answers_go_where_no_other_task_has_asked(empty: apsw.Connection) -> None:
    """A result page kept for a day names the query; the one that every task has asked stays."""
    asked = ("DPP-4 阻害薬 心不全", "saxagliptin heart failure")
    with Trial(empty, NOTHING) as connection:
        sent = SentQuery("dq_0", "s_0", asked[1], asked[0], "mirror:en", "mirror:en", NOW)
        derived_queries.save(connection, [sent])
        for query in asked:
            caches.save_serp(connection, query, EngineAnswer("mojeek", query, SearchOutcome.EMPTY), NOW)

        done = cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)

        left = connection.execute("select key from serp_cache").fetchall()

    assert (done.counts["serp_cache"], left) == (1, [(asked[0],)])


def test_deleted_words_are_not_left_in_the_file(tmp_path: Path) -> None:
    """SQLite only unlinks what is deleted; a confidential text must not be found by whoever reads the bytes."""
    path = tmp_path / "lyra.db"
    create_file(path)
    connection = connect(path)
    migrate.migrate(connection, path)
    connection.execute("begin immediate")
    build(connection, replace(NOTHING, read=frozenset({(0, 0)})))
    connection.execute("update pages set text_content = 'Patient Tanaka, ward 7. ' || text_content")
    connection.execute("commit")

    connection.execute("begin immediate")
    cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)
    connection.execute("commit")

    connection.close()
    assert path.read_bytes().count(b"Patient Tanaka, ward 7. Saxagliptin raised admissions by 100 percent.") == 0


def test_hard_cleanup_counts_pages_with_all_that_hangs_on_them(empty: apsw.Connection) -> None:
    """A page of a work: its fragments with their vectors, its address, the work and its DOI, and the archive file."""
    plan = replace(NOTHING, works=(1, 0, 0, 0, 0), files=(1, 2, 0, 0, 0), read=frozenset({(0, 0)}))

    with Trial(empty, plan) as connection:
        cleanup.delete_task(connection, GONE, is_hard=False, now=NOW)
        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

    assert {table: count for table, count in done.counts.items() if count} == {
        "embeddings": 2,
        "fragments": 2,
        "pages": 1,
        "resource_index": 2,
        "works": 1,
    }
    assert (done.lone_files, done.shared_files) == (("20260314/a.warc.gz",), ())


def test_words_that_a_shared_page_lost_go_with_their_only_reader(empty: apsw.Connection) -> None:
    """A superseded fragment was kept because this task's claim rested on it; another task reads the page as it is."""
    plan = replace(
        NOTHING,
        files=(1, 0, 0, 0, 0),
        read=frozenset({(0, 0), (1, 0)}),
        judged=frozenset({(0, 0, 0, 0)}),
        changed=frozenset({0}),
    )

    with Trial(empty, plan) as connection:
        kept = connection.execute("select count(*) from fragments where superseded_at is not null").get

        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        left = connection.execute("select count(*) from fragments where superseded_at is not null").get
        assert (kept, left, done.counts["page_versions"]) == (1, 0, 1)
        assert (done.lone_files, done.shared_files) == (("20260314/a.warc.gz",), ())


def test_old_words_that_only_forgotten_ones_repeat_are_forgotten_too(empty: apsw.Connection) -> None:
    """Three pages stay and have lost their first words, each a near-duplicate of the one before: all three go."""
    plan = replace(
        NOTHING,
        read=frozenset({(task, page) for task in (0, 1) for page in (0, 1, 2)}),
        judged=frozenset({(0, 0, 0, 0), (0, 1, 0, 0), (0, 2, 0, 0)}),
        repeated=frozenset({(2, 0, 1, 0), (1, 0, 0, 0)}),
        changed=frozenset({0, 1, 2}),
    )

    with Trial(empty, plan) as connection:
        kept = connection.execute("select count(*) from fragments where superseded_at is not null").get

        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        left = connection.execute("select count(*) from fragments where superseded_at is not null").get
        assert (kept, left) == (3, 0)


def test_old_words_stay_while_a_copy_is_known_by_them(empty: apsw.Connection) -> None:
    """A superseded fragment stands for a near-duplicate in another task: without it the copy would count anew."""
    plan = replace(
        NOTHING,
        read=frozenset({(0, 0), (1, 0), (1, 1)}),
        judged=frozenset({(0, 0, 0, 0), (1, 1, 0, 0)}),
        repeated=frozenset({(1, 0, 0, 0)}),
        changed=frozenset({0}),
    )

    with Trial(empty, plan) as connection:
        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        original = connection.execute("select near_duplicate_of from fragments where id = ?", (fragment_id(1, 0),)).get
        assert original == fragment_id(0, 0)


def test_a_file_stays_for_an_earlier_version_that_is_evidence(empty: apsw.Connection) -> None:
    """The bytes behind another task's superseded quote lie in the same file as the page that goes."""
    plan = replace(
        NOTHING,
        files=(1, 1, 0, 0, 0),
        read=frozenset({(1, 0), (0, 1)}),
        judged=frozenset({(1, 0, 0, 0)}),
        changed=frozenset({0}),
    )

    with Trial(empty, plan) as connection:
        done = cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

    assert (done.lone_files, done.shared_files) == ((), ("20260314/a.warc.gz",))


def test_an_identifier_leads_to_the_page_that_is_left(empty: apsw.Connection) -> None:
    """Two pages present one work; the DOI led to the one that goes, and must not be forgotten with it."""
    plan = replace(NOTHING, works=(1, 1, 0, 0, 0), read=frozenset({(0, 0), (1, 1)}))

    with Trial(empty, plan) as connection:
        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        led = connection.execute(
            "select p.domain, r.work_id from resource_index r join pages p on p.id = r.page_id where r.kind = 'doi'"
        ).fetchall()
        assert led == [("site1.example", "doi:10.5555/savor")]


@pytest.mark.parametrize("is_hard", [False, True])
def test_an_unknown_task_is_refused(empty: apsw.Connection, is_hard: bool) -> None:
    """A typing error must not look like a success."""
    with Trial(empty, NOTHING) as connection, pytest.raises(TaskNotFound):
        cleanup.delete_task(connection, "task_ffffffffffff", is_hard=is_hard, now=NOW)


@pytest.mark.parametrize("again_hard", [False, True])
def test_what_was_deleted_hard_is_gone(empty: apsw.Connection, again_hard: bool) -> None:
    """After a hard cleanup nothing is left to clean, and nothing remembers the task."""
    with Trial(empty, NOTHING) as connection:
        cleanup.delete_task(connection, GONE, is_hard=True, now=NOW)

        with pytest.raises(TaskNotFound):
            cleanup.delete_task(connection, GONE, is_hard=again_hard, now=NOW)
