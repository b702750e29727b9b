"""The sources of a task: pages whose words support or refute one of its claims, with their works."""

from apsw import Connection

from lyra.model.report import CitedSource
from lyra.storage.rows import read


def of_task(connection: Connection, task_id: str) -> tuple[CitedSource, ...]:
    """Every page that takes a stance on a claim of the task, by address."""
    return read(
        connection,
        CitedSource,
        """
        select p.id as page_id, p.url, coalesce(w.title, p.title) as title, p.domain, p.fetched_at,
            coalesce(w.authors, p.authors) as authors, coalesce(w.published, p.published_date) as published_date,
            coalesce(w.year, p.year) as year, w.venue,
            (select i.value ->> 1 from json_each(w.identifiers) i where i.value ->> 0 = 'doi' limit 1) as doi,
            (select i.value ->> 1 from json_each(w.identifiers) i where i.value ->> 0 = 'pmid' limit 1) as pmid,
            exists (select 1 from edges e where e.page_id = p.id and e.no_vote = 'retracted') as is_retracted,
            p.content_hash
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


def citations_of_task(connection: Connection, task_id: str) -> tuple[tuple[str, str], ...]:
    """Which of the pages that take a stance on a claim of the task cites which other one, by their ids."""
    rows = connection.execute(
        """
        with cited (page_id) as (
            select distinct e.page_id
            from edges e
            where e.task_id = ? and e.relation in ('supports', 'refutes')
        )
        select distinct e.source_id, e.target_id
        from edges e
        join cited a on a.page_id = e.source_id
        join cited b on b.page_id = e.target_id
        where e.relation = 'cites' and e.source_id <> e.target_id
        order by e.source_id, e.target_id
        """,
        (task_id,),
    )
    return tuple((str(citing), str(cited)) for citing, cited in rows)
