"""Queries sent for searches, and what engines and rules have yielded, counted in the graph itself."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.search import PageYield, SentQuery
from lyra.storage.rows import Table, read

# Older experience than this many addresses says little of how engines are now.
_NEWEST = 3_000
_READ = """
with recent as (
    select s.query_id, s.engine, s.derived_query, s.page_id, q.task_id
    from serp_items s
    join queries q on q.id = s.query_id
    where s.state in ('fetched', 'reused') and s.page_id is not null and s.created_at > :since
    order by s.created_at desc
    limit :newest
),
told as (
    select r.*, exists (
        select 1
        from edges e
        where e.page_id = r.page_id and e.task_id = r.task_id and e.relation in ('supports', 'refutes')
    ) as is_useful
    from recent r
)
"""
_QUERIES = Table("derived_queries", SentQuery, {"search_id": "query_id"})


def save(connection: Connection, sent: Iterable[SentQuery]) -> None:
    """Note what was sent; the same query of the same search is noted once, with its latest figures."""
    figures = "engines = excluded.engines, results = excluded.results, new_results = excluded.new_results"
    _QUERIES.insert_many(connection, sent, f"(id) do update set {figures}")


def of_search(connection: Connection, search_id: str) -> tuple[SentQuery, ...]:
    """What was sent for a search, in order."""
    sql = f"select {_QUERIES.columns()} from derived_queries where query_id = ? order by rowid"
    return read(connection, SentQuery, sql, (search_id,))


def counts(connection: Connection, task_id: str) -> Mapping[str, Mapping[str, int]]:
    """How many queries of each family were sent, by search of a task."""
    rows = connection.execute(
        """
        select d.query_id, d.family, count(*)
        from queries q
        join derived_queries d on d.query_id = q.id
        where q.task_id = ?
        group by d.query_id, d.family
        order by min(d.rowid)
        """,
        (task_id,),
    )
    told: dict[str, dict[str, int]] = {}
    for search_id, family, number in rows:
        told.setdefault(str(search_id), {})[str(family)] = int(number)
    return told


def engine_yields(connection: Connection, category: str, since: datetime) -> Mapping[str, PageYield]:
    """Pages read and useful by engine, for searches of that category."""
    return _yields(
        connection,
        """
        select t.engine, count(*), sum(t.is_useful)
        from told t
        where exists (select 1 from derived_queries d where d.query_id = t.query_id and d.category = :category)
        group by t.engine
        """,
        since,
        category=category,
    )


def family_yields(connection: Connection, since: datetime) -> Mapping[str, PageYield]:
    """Pages read and useful by the family of the rule whose query found them."""
    return _yields(
        connection,
        """
        select d.family, count(*), sum(t.is_useful)
        from told t
        join derived_queries d on d.query_id = t.query_id and d.text = t.derived_query
        group by d.family
        """,
        since,
    )


def branch_yields(connection: Connection, search_id: str) -> Mapping[str, PageYield]:
    """Pages read and useful by the query that found them, within one search."""
    rows = connection.execute(
        """
        select s.derived_query, count(*), sum(exists (
            select 1
            from edges e
            where e.page_id = s.page_id and e.task_id = q.task_id and e.relation in ('supports', 'refutes')
        ))
        from serp_items s
        join queries q on q.id = s.query_id
        where s.query_id = ? and s.state in ('fetched', 'reused') and s.derived_query is not null
        group by s.derived_query
        """,
        (search_id,),
    )
    return {str(name): PageYield(int(read), int(useful)) for name, read, useful in rows}


def _yields(connection: Connection, statement: str, since: datetime, **values: Any) -> dict[str, PageYield]:
    rows = connection.execute(_READ + statement, {"since": stamp(since), "newest": _NEWEST, **values})
    return {str(name): PageYield(int(read), int(useful)) for name, read, useful in rows}
