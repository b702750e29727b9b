"""Records of dated copies of pages in a public archive."""

import json
from dataclasses import asdict

from apsw import Connection

from lyra.clock import stamp
from lyra.model.archive import Memento, PageRevision
from lyra.storage.columns import moment, to_json


def save(connection: Connection, memento: Memento) -> None:
    """Keep a copy's record; the same moment again replaces it."""
    connection.execute(
        """
        insert or replace into mementos
            (page_id, snapshot_at, url, is_copy, text_content, differences, record_id, fetched_at)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            memento.page_id,
            stamp(memento.snapshot_at),
            memento.url,
            int(memento.is_copy),
            memento.text,
            to_json(asdict(memento.revision)),
            memento.record_id,
            stamp(memento.fetched_at),
        ),
    )


def of_page(connection: Connection, page_id: str) -> tuple[Memento, ...]:
    """The page's copies, newest first."""
    rows = connection.execute(
        """
        select page_id, snapshot_at, url, fetched_at, text_content, differences, is_copy, record_id
        from mementos
        where page_id = ?
        order by snapshot_at desc
        """,
        (page_id,),
    )
    return tuple(
        Memento(row[0], moment(row[1]), row[2], moment(row[3]), row[4], _revision(row[5]), bool(row[6]), row[7])
        for row in rows
    )


def _revision(text: str) -> PageRevision:
    values = json.loads(text)
    return PageRevision(
        headings_added=tuple(values.get("headings_added", ())),
        headings_removed=tuple(values.get("headings_removed", ())),
        statements_added=tuple(values.get("statements_added", ())),
        statements_removed=tuple(values.get("statements_removed", ())),
        date_before=values.get("date_before"),
        date_after=values.get("date_after"),
    )


def pages_to_compare(connection: Connection, search_id: str, limit: int) -> tuple[str, ...]:
    """Pages read by the search that speak for or against claims and have no copies yet, weightiest first.

    A page that says it was updated, that was read before in other words, or on which at least three stances rest is
    worth it. Works are left out: papers have versions of their own. So are pages about which the task has asked before.
    """
    rows = connection.execute(
        """
        select p.id
        from serp_items s
        join pages p on p.id = s.page_id
        join fragments f on f.page_id = p.id
        join edges e on e.source_id = f.id and e.source_type = 'fragment' and e.relation in ('supports', 'refutes')
        where s.query_id = ? and s.state in ('fetched', 'reused') and p.work_id is null
            and not exists (select 1 from mementos m where m.page_id = p.id)
            and not exists (
                select 1
                from queries q
                join event_log asked on asked.task_id = q.task_id and asked.kind = 'past' and asked.subject = p.url
                where q.id = s.query_id
            )
        group by p.id
        having count(*) >= 3 or p.updated_date <> coalesce(p.published_date, '')
            or exists (select 1 from page_versions v where v.page_id = p.id)
        order by coalesce(p.updated_date <> coalesce(p.published_date, ''), 0) desc, count(*) desc, p.id
        limit ?
        """,
        (search_id, limit),
    )
    return tuple(page_id for (page_id,) in rows)
