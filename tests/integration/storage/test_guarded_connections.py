"""Connections of clients' SQL are kept between statements, and nothing of one statement is left for the next."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import apsw
import pytest

from lyra.errors import InvalidParams, TimedOut
from lyra.model.person import OWNER, Person, Role
from lyra.storage import guarded_connections, people, tasks
from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database

from .conftest import NOW, OTHER_TASK, TASK

READER = Person("p_00000000000a", "Sato", Role.READER)
RESEARCHER = Person("p_00000000000b", "Mori", Role.RESEARCHER, NOW)
SEEN = "select distinct task_id from claims order by task_id"
ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"


@pytest.fixture
async def queries(db: Database) -> AsyncIterator[GraphQueries]:
    found = GraphQueries(db.path)
    yield found
    await found.close()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each connection that was made whether it shows everything."""
    told: list[bool] = []

    class Counted(guarded_connections.GuardedConnection):
        def __init__(self, path: Any, *, is_whole: bool, redactor: Any = None) -> None:
            told.append(is_whole)
            super().__init__(path, is_whole=is_whole, redactor=redactor)

    monkeypatch.setattr(guarded_connections, "GuardedConnection", Counted)
    return told


async def tasks_seen(queries: GraphQueries, person: Person) -> list[str]:
    return [str(row["task_id"]) for row in (await queries.run(SEEN, person=person)).rows]


async def test_one_connection_of_each_kind_serves_statement_after_statement(
    queries: GraphQueries, graph: Any, made: list[bool]
) -> None:
    """The owner's and the others', each with a second one for addresses: whoever else asks takes the same."""
    for person in (OWNER, READER, OWNER, RESEARCHER, OWNER):
        await queries.run("select count(*) as n from v_evidence_timeline", person=person)
    first = list(made)
    for person in (OWNER, READER, OWNER, RESEARCHER, OWNER):
        await queries.run("select count(*) as n from v_contradictions", person=person)

    assert (first, made) == ([True, False], [True, False, True, False])


async def test_each_statement_sees_what_its_person_sees_now(queries: GraphQueries, db: Database, graph: Any) -> None:
    """On one connection: first one's own task, then nothing, then what was shared meanwhile, and not any longer."""

    def own(connection: Any) -> None:
        people.insert(connection, RESEARCHER, "hash of a token")
        connection.execute("update tasks set owner = ? where id = ?", (RESEARCHER.id, TASK))

    await db.write(own)
    seen = [await tasks_seen(queries, RESEARCHER), await tasks_seen(queries, READER)]
    await db.write(tasks.set_shared, OTHER_TASK, is_shared=True)
    seen += [await tasks_seen(queries, READER), await tasks_seen(queries, RESEARCHER)]
    await db.write(tasks.set_shared, OTHER_TASK, is_shared=False)
    seen += [await tasks_seen(queries, READER), await tasks_seen(queries, OWNER)]

    assert seen == [[TASK], [], [OTHER_TASK], [TASK, OTHER_TASK], [], [TASK, OTHER_TASK]]


async def test_limits_are_counted_anew(queries: GraphQueries, graph: Any, made: list[bool]) -> None:
    """A statement with many steps, patterns and functions takes nothing from the next one."""
    steps = f"{ENDLESS.replace('from n)', 'from n where i < 20000)')} where i like '%7'"
    many = "select " + " + ".join(["(1 like 2)"] * 12)

    found = [(await queries.run(sql)).row_count for sql in (steps, many, steps, many)]

    assert (found, made) == ([1, 1, 1, 1], [True])


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        pytest.param(ENDLESS, TimedOut, id="stopped"),
        pytest.param("select * from jobs", InvalidParams, id="refused"),
    ],
)
async def test_a_connection_on_which_a_statement_failed_is_not_used_again(
    queries: GraphQueries, graph: Any, made: list[bool], sql: str, error: type[Exception]
) -> None:
    """Whatever state it is in, nobody meets it."""
    with pytest.raises(error):
        await queries.run(sql)

    await queries.run("select 1 as n")

    assert made == [True, True]


async def test_rows_that_nobody_took_hold_no_snapshot(queries: GraphQueries, db: Database, graph: Any) -> None:
    """After a result that was cut the log can be emptied, and the next statement sees what was written meanwhile."""
    cut = await queries.run("select id from claims", limit=1)

    is_emptied = await db.compact()

    assert (cut.truncated, is_emptied) == (True, True)


async def test_another_schema_makes_a_new_connection(
    queries: GraphQueries, db: Database, graph: Any, made: list[bool]
) -> None:
    """A newer Lyra may bring the file to its own schema while this one serves."""
    await queries.run("select 1 as n")
    await db.write(lambda connection: connection.execute("create table newer (id text)").fetchall())

    with pytest.raises(InvalidParams) as refused:
        await queries.run("select count(*) from newer")

    assert made == [True, True]
    assert refused.value.message == "The table 'newer' cannot be read."


async def test_few_are_kept_and_none_after_the_end(db: Database, graph: Any) -> None:
    """Sixteen wait at most; what comes back after the end is closed."""
    others = len(apsw.connections())
    pool = guarded_connections.GuardedConnections(db.path)
    with contextlib.ExitStack() as late:
        late.enter_context(pool.connection_for(OWNER, ""))
        with contextlib.ExitStack() as lent:
            for _ in range(18):
                lent.enter_context(pool.connection_for(OWNER, ""))
        waiting = len(apsw.connections()) - others - 1

        pool.close()
        held = len(apsw.connections()) - others

    assert (waiting, held, len(apsw.connections()) - others) == (16, 1, 0)
