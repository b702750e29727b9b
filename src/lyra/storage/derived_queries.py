"""Queries sent for searches, and what engines and rules have yielded, counted in the graph itself."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.search import PageYield, SentQuery
from lyra.storage.columns import moment, to_json

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


def save(connection: Connection, sent: Iterable[SentQuery]) -> None:
    """Note what was sent; the same query of the same search is noted once, with its latest figures."""
    connection.executemany(
        """
        insert into derived_queries (id, query_id, text, parent, rule, family, page, category, engines, results,
            new_results, why, created_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do update
        set engines = excluded.engines, results = excluded.results, new_results = excluded.new_results
        """,
        [
            (
                one.id,
                one.search_id,
                one.text,
                one.parent,
                one.rule,
                one.family,
                one.page,
                one.category,
                to_json(one.engines),
                one.results,
                one.new_results,
                one.why,
                stamp(one.created_at),
            )
            for one in sent
        ],
    )


def of_search(connection: Connection, search_id: str) -> tuple[SentQuery, ...]:
    """What was sent for a search, in order."""
    rows = connection.execute(
        """
        select id, query_id, text, parent, rule, family, created_at, page, category, engines, results, new_results, why
        from derived_queries
        where query_id = ?
        order by rowid
        """,
        (search_id,),
    )
    return tuple(_sent(row) for row in rows)


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


def _sent(row: tuple[Any, ...]) -> SentQuery:
    return SentQuery(
        id=row[0],
        search_id=row[1],
        text=row[2],
        parent=row[3],
        rule=row[4],
        family=row[5],
        created_at=moment(row[6]),
        page=row[7],
        category=row[8],
        engines=tuple(json.loads(row[9])),
        results=row[10],
        new_results=row[11],
        why=row[12],
    )
