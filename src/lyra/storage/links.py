"""What pages link to, and the citations between pages of the graph that follow from it."""

from collections.abc import Iterable
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.ids import derived_id
from lyra.model.page import Identifier
from lyra.storage import derived
from lyra.storage.columns import to_json

LINK = "link"
# A page of the task and one that it links to: by its address, the one it was redirected to, or the work it presents.
_CITED = """
select distinct l.page_id, p.id
from task_pages t
join page_links l on l.page_id = t.page_id
join pages p on p.id in (
    select id from pages where url = l.url or final_url = l.url
    union
    select page_id from resource_index where kind = l.kind and value = l.value and page_id is not null
    union
    select w.id from resource_index i join pages w on w.work_id = i.work_id where i.kind = l.kind and i.value = l.value
)
where t.task_id = :task_id and p.id <> l.page_id
    and not exists (
        select 1 from edges e where e.relation = 'cites' and e.source_id = l.page_id and e.target_id = p.id
    )
order by l.page_id, p.id
"""


def note(connection: Connection, page_id: str, links: Iterable[tuple[str, Identifier]]) -> None:
    """Keep what the page links to now: each address with what it names, itself (`url`) or a paper by its identifier."""
    rows = [(page_id, named.kind, named.value, url) for url, named in links]
    gone = connection.execute(
        """
        delete from page_links
        where page_id = ? and (kind, value) not in (select value ->> 0, value ->> 1 from json_each(?))
        returning kind, value
        """,
        (page_id, to_json([[kind, value] for _, kind, value, _ in rows])),
    ).fetchall()
    new = connection.execute(
        """
        insert into page_links (page_id, kind, value, url)
        select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?) where true
        on conflict do nothing
        returning kind, value
        """,
        (to_json(rows),),
    ).fetchall()
    derived.links_changed(connection, page_id, gone, new)


def cite(connection: Connection, task_id: str, cause_id: str | None, now: datetime) -> int:
    """Make a CITES edge for every link between two stored pages that starts at a page of the task; returns how many."""
    found = connection.execute(_CITED, {"task_id": task_id}).fetchall()
    connection.executemany(
        """
        insert into edges (id, source_type, source_id, target_type, target_id, relation, cause_id, citation_source,
            created_at)
        values (?, 'page', ?, 'page', ?, 'cites', ?, ?, ?)
        on conflict do nothing
        """,
        [
            (derived_id("e", "page", str(citing), "page", str(cited)), citing, cited, cause_id, LINK, stamp(now))
            for citing, cited in found
        ],
    )
    return len(found)


def of_task(connection: Connection, task_id: str) -> tuple[tuple[str, str, str], ...]:
    """Page, its domain, and an address it links to, for every link of the task's pages."""
    rows = connection.execute(
        """
        select l.page_id, p.domain, l.url
        from task_pages t
        join page_links l on l.page_id = t.page_id
        join pages p on p.id = l.page_id
        where t.task_id = ?
        order by l.page_id, l.url
        """,
        (task_id,),
    )
    return tuple((str(page_id), str(domain), str(url)) for page_id, domain, url in rows)
