"""The sources of a task: pages whose words support or refute one of its claims, with their works."""

import json
from typing import Any

from apsw import Connection

from lyra.model.report import CitedSource
from lyra.storage.columns import moment, strings


def of_task(connection: Connection, task_id: str) -> tuple[CitedSource, ...]:
    """Every page that takes a stance on a claim of the task, by address."""
    rows = connection.execute(
        """
        select p.id, p.url, coalesce(w.title, p.title), p.domain, p.fetched_at, coalesce(w.authors, p.authors),
            coalesce(w.published, p.published_date), coalesce(w.year, p.year), w.venue,
            coalesce(w.identifiers, '[]'),
            exists (select 1 from edges e where e.page_id = p.id and e.no_vote = 'retracted')
        from pages p
        left join works w on w.id = p.work_id
        where p.id in (
            select e.page_id
            from edges e
            where e.task_id = ? and e.relation in ('supports', 'refutes')
        )
        order by p.url
        """,
        (task_id,),
    )
    return tuple(_source(row) for row in rows)


def keys_of_task(connection: Connection, task_id: str) -> dict[str, str]:
    """For each page that takes a stance on a claim of the task the work or publisher it counts as."""
    rows = connection.execute(
        """
        select p.id, iif(p.work_id is null, 'domain:' || p.domain, 'work:' || p.work_id)
        from pages p
        where p.id in (
            select e.page_id
            from edges e
            where e.task_id = ? and e.relation in ('supports', 'refutes')
        )
        """,
        (task_id,),
    )
    return {str(page_id): str(key) for page_id, key in rows}


def _source(row: tuple[Any, ...]) -> CitedSource:
    identifiers = dict(reversed(json.loads(row[9])))
    return CitedSource(
        page_id=row[0],
        url=row[1],
        title=row[2],
        domain=row[3],
        fetched_at=moment(row[4]),
        authors=strings(row[5]),
        published_date=row[6],
        year=row[7],
        venue=row[8],
        doi=identifiers.get("doi"),
        pmid=identifiers.get("pmid"),
        is_retracted=bool(row[10]),
    )
