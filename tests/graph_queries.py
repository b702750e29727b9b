"""One statement of a client, on a connection that has served another before, as in a server."""

from pathlib import Path
from typing import Any

from lyra.model.graph_query import GuardedResult
from lyra.model.person import OWNER, Person
from lyra.storage.client_query import GraphQueries

_EARLIER = "select instr(claim_text, 'x') as n from claims_fts where claims_fts match 'x' limit 1"


async def run_query(path: Path, sql: str, *, person: Person = OWNER, **options: Any) -> GuardedResult:
    """What the statement gives; the connection is closed after it."""
    queries = GraphQueries(path)
    try:
        await queries.run(_EARLIER, person=person)
        return await queries.run(sql, person=person, **options)
    finally:
        await queries.close()
