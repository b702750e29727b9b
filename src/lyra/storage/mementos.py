"""Records of dated copies of pages in a public archive."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.archive import Memento
from lyra.storage.columns import ids_json
from lyra.storage.rows import Table, column, read

_MEMENTOS = Table("mementos", Memento, {"text": "text_content", "revision": "differences"})


def save(connection: Connection, memento: Memento) -> None:
    """Keep a copy's record; the same moment again replaces it."""
    _MEMENTOS.save(connection, memento, "page_id, snapshot_at")


def of_page(connection: Connection, page_id: str) -> tuple[Memento, ...]:
    """The page's copies, newest first."""
    sql = f"select {_MEMENTOS.columns()} from mementos where page_id = ? order by snapshot_at desc"
    return read(connection, Memento, sql, (page_id,))


def pages_to_compare(
    connection: Connection, search_id: str, priority_domains: Iterable[str], limit: int
) -> tuple[str, ...]:
    """Pages read by the search that have no copies yet: those of priority domains first, then those that say they were
    updated or were read before in other words, then those on which most stances rest.

    Works are left out: papers have versions of their own. So are pages about which the task has asked before.
    """
    return tuple(
        column(
            connection,
            """
        select p.id
        from serp_items s
        join pages p on p.id = s.page_id
        where s.query_id = :search_id and s.state in ('fetched', 'reused') and p.work_id is null
            and p.url not like 'library:%'
            and not exists (select 1 from mementos m where m.page_id = p.id)
            and not exists (
                select 1
                from queries q
                join event_log asked on asked.task_id = q.task_id and asked.kind = 'past'
                    and (asked.subject = p.url or asked.details ->> 'page_id' = p.id)
                where q.id = s.query_id
            )
        group by p.id
        order by p.domain in (select value from json_each(:priority)) desc,
            coalesce(p.updated_date <> coalesce(p.published_date, ''), 0)
                or exists (select 1 from page_versions v where v.page_id = p.id) desc,
            (
                select count(*)
                from fragments f
                join edges e on e.source_id = f.id and e.source_type = 'fragment'
                    and e.relation in ('supports', 'refutes')
                where f.page_id = p.id
            ) desc,
            p.id
        limit :limit
        """,
            {"search_id": search_id, "priority": ids_json(priority_domains), "limit": limit},
        )
    )
