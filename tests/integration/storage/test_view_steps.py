"""Counting the queue and sorting contradictions within a client's default limits, on a tenth of the usual graph.

`lyra bench speed` asks the same of 50,000 edges under the default of 500,000 VM steps; here are 5,000 under 50,000.
What a statement costs grows with the rows of its task.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from apsw import Connection

from lyra.storage.client_query import GraphQueries
from lyra.storage.database import Database
from lyra_bench.measure.views import TASK, build_graph, weigh

pytestmark = pytest.mark.asyncio(loop_scope="module")
LIMITS = {"max_vm_steps": 50_000, "timeout_ms": 2000}
# What a contradiction is, straight from the edges: each side's strongest, where a page speaks for its stronger side.
STRONGEST = """
(
    select e.id
    from edges e
    where e.target_id = c.id and e.relation = '{0}' and e.no_vote = '' and not exists (
        select 1
        from edges o
        where o.target_id = c.id and o.relation = '{1}' and o.no_vote = '' and o.page_id = e.page_id
            and o.nli_confidence {2} e.nli_confidence
    )
    order by e.nli_confidence desc, e.source_id
    limit 1
)
"""
SIDES = f"""
select claim_id,
    (select f.text_content from edges e join fragments f on f.id = e.source_id where e.id = supporting),
    (select f.text_content from edges e join fragments f on f.id = e.source_id where e.id = refuting)
from (
    select c.id as claim_id, {STRONGEST.format("supports", "refutes", ">=")} as supporting,
        {STRONGEST.format("refutes", "supports", ">")} as refuting
    from claims c
)
where supporting is not null and refuting is not null
order by claim_id
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def db(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Database]:
    path: Path = tmp_path_factory.mktemp("steps") / "lyra.db"
    database = await Database.open(path)
    await database.write(build_graph, 200, 20, 500, 5000)
    await database.write(weigh)
    yield database
    await database.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def queries(db: Database) -> AsyncIterator[GraphQueries]:
    opened = GraphQueries(db.path)
    yield opened
    await opened.close()


def _all(connection: Connection, sql: str) -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


@pytest.mark.parametrize(("view", "rows"), [("v_review_queue", 4961), ("v_contradictions", 456)])
async def test_a_view_is_counted(queries: GraphQueries, view: str, rows: int) -> None:
    """Without reading what its columns would show."""
    found = await queries.run(f"select count(*) as n from {view} where task_id = '{TASK}'", **LIMITS)

    assert found.rows == ({"n": rows},)


async def test_contradictions_are_what_the_edges_say(db: Database) -> None:
    """What is kept of each claim's two sides is what its edges would give now."""
    sql = f"select claim_id, supporting_quote, refuting_quote from v_contradictions where task_id = '{TASK}'"

    found = await db.read(_all, f"{sql} order by claim_id")

    assert found == await db.read(_all, SIDES)


@pytest.mark.parametrize(
    "column",
    [
        "claim_id",
        "claim_text",
        "supporting_fragments",
        "refuting_fragments",
        "controversy_score",
        "support_count",
        "refute_count",
        "supporting_quote",
        "supporting_url",
        "supporting_trust_level",
        "refuting_quote",
        "refuting_url",
        "refuting_trust_level",
        "supporting_in_context",
        "refuting_in_context",
    ],
)
async def test_contradictions_are_sorted_by_any_column(db: Database, queries: GraphQueries, column: str) -> None:
    """The highest first, like a sorted list of all of them."""
    sql = f"select claim_id, {column} as shown from v_contradictions where task_id = '{TASK}'"
    everything = await db.read(_all, sql)

    found = await queries.run(f"{sql} order by shown desc, claim_id desc limit 50", **LIMITS)

    wanted = sorted(((shown, claim_id) for claim_id, shown in everything), reverse=True)[:50]
    assert [(row["shown"], row["claim_id"]) for row in found.rows] == wanted


@pytest.mark.parametrize("column", ["edge_id", "relation", "claim_id", "source", "edges"])
async def test_the_queue_is_sorted_by_its_own_columns(db: Database, queries: GraphQueries, column: str) -> None:
    """What is looked up in other tables for each row costs more."""
    sql = f"select edge_id, {column} as shown from v_review_queue where task_id = '{TASK}'"
    everything = await db.read(_all, sql)

    found = await queries.run(f"{sql} order by shown desc, edge_id desc limit 50", **LIMITS)

    wanted = sorted(((shown, edge_id) for edge_id, shown in everything), reverse=True)[:50]
    assert [(row["shown"], row["edge_id"]) for row in found.rows] == wanted


@pytest.mark.parametrize("rule", ["true", f"task_id = '{TASK}'", "claim_id = (select min(id) from claims)"])
@pytest.mark.parametrize("columns", ["edge_id", "relation, source", "edges, edge_id"])
async def test_the_queue_comes_in_its_order(db: Database, rule: str, columns: str) -> None:
    """First what would turn a verdict, least sure first, of a task or of a claim, without being sorted."""
    order = "task_id, turns_verdict desc, probability, claim_id, source, relation"

    found = await db.read(_all, f"select {columns} from v_review_queue where {rule}")

    assert found == await db.read(_all, f"select {columns} from review_queue where {rule} order by {order}")
