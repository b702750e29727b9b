"""The same statement asked by different people: each sees the tasks that are theirs or shared, and nothing else."""

from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.model.person import OWNER, Person, Role
from lyra.storage import graph_schema, graph_views, people, tasks
from lyra.storage.database import Database
from tests.graph_queries import run_query

from .conftest import NOW, OTHER_TASK, TASK

READER = Person("p_00000000000a", "Sato", Role.READER)
RESEARCHER = Person("p_00000000000b", "Mori", Role.RESEARCHER, NOW)
NAMES = (*graph_views.purposes(), *graph_schema.TABLES)
EVERYWHERE = frozenset({"calibration_evaluations"})


async def counts(db: Database, person: Person) -> dict[str, int]:
    """How many rows of every table and view the person sees."""
    found = {}
    for name in NAMES:
        answer = await run_query(db.path, f"select count(*) as n from {name}", timeout_ms=2000, person=person)
        found[name] = answer.rows[0]["n"]
    return found


async def own(db: Database, person: Person, task_id: str) -> None:
    """Make the task that person's."""

    def write(connection: Any) -> None:
        people.insert(connection, person, "hash of a token")
        connection.execute("update tasks set owner = ? where id = ?", (person.id, task_id))

    await db.write(write)


async def test_without_a_shared_task_nothing_is_seen(db: Database, graph: Any) -> None:
    """Not a row of any table or view, whatever the graph holds."""
    everything = await counts(db, OWNER)

    seen = await counts(db, READER)

    assert everything["claims"] > 0
    assert {name: count for name, count in seen.items() if count} == {}


async def test_shared_task_is_seen_whole(db: Database, graph: Any) -> None:
    """With every task shared, a reader counts the same rows as the owner in every table and view."""
    for task_id in (TASK, OTHER_TASK):
        await db.write(tasks.set_shared, task_id, is_shared=True)
    everything = await counts(db, OWNER)

    seen = await counts(db, READER)

    reached = everything | {"domains": seen["domains"]}  # of domains only those of visible pages
    assert seen == reached


async def test_own_task_is_seen_by_its_researcher_alone(db: Database, graph: Any) -> None:
    """The owner of one task sees its claims and not those of the other; another researcher sees none."""
    await own(db, RESEARCHER, TASK)
    stranger = Person("p_00000000000c", "Ito", Role.RESEARCHER)
    sql = "select distinct task_id from claims"

    mine = await run_query(db.path, sql, person=RESEARCHER)
    theirs = await run_query(db.path, sql, person=stranger)

    assert (mine.rows, theirs.rows) == (({"task_id": TASK},), ())


async def test_full_text_keeps_its_snippets(db: Database, graph: Any) -> None:
    """A search in the full text works as it does for the owner, but for the rank, which counts everyone's texts."""
    await db.write(tasks.set_shared, TASK, is_shared=True)
    sql = (
        "select snippet(claims_fts, 0, '[', ']', '…', 4) as words "
        "from claims_fts where claims_fts match 'gliptins' order by rowid"
    )

    everything = await run_query(db.path, sql)
    seen = await run_query(db.path, sql, person=READER)

    assert len(seen.rows) > 0
    assert seen.rows == everything.rows


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("select * from main.claims", "SQLite refuses the statement: no such table: main.claims."),
        ("with claims as (select * from main.claims) select * from claims", "no such table: main.claims"),
        ("select * from visible_tasks", "The table 'visible_tasks' cannot be read."),
        ("select * from temp.visible_tasks", "The table 'visible_tasks' cannot be read."),
        ("select sql from temp.sqlite_schema", "The table 'sqlite_temp_master' cannot be read."),
        ("select * from pragma_database_list", "The table 'pragma_database_list' cannot be read."),
        ("select * from people", "The table 'people' cannot be read."),
        ("select * from domain_trust", "The table 'domain_trust' cannot be read."),
        ("select count(*) from service_health", "The table 'service_health' cannot be read."),
        ("select * from jobs", "The table 'jobs' cannot be read."),
        (
            "select bm25(claims_fts) from claims_fts where claims_fts match 'gliptins'",
            "The function bm25() is not allowed.",
        ),
        ("select rank from claims_fts where claims_fts match 'gliptins'", "no such column: rank"),
    ],
)
async def test_no_statement_reaches_past_the_views(db: Database, graph: Any, sql: str, message: str) -> None:
    """Whatever names the tables behind the views is refused."""
    with pytest.raises(InvalidParams) as refused:
        await run_query(db.path, sql, person=READER)

    assert message in refused.value.message


async def test_steps_do_not_tell_what_others_have(db: Database, graph: Any) -> None:
    """However few steps are allowed, the statement is not stopped by them: their number would depend on all texts."""
    answer = await run_query(db.path, "select count(*) as n from claims", max_vm_steps=1, person=READER)

    assert (answer.rows, answer.elapsed_ms % 100) == (({"n": 0},), 0)
