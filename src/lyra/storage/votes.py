"""Which edges have no vote, and the year that dates an edge: both follow from what is stored, by one statement each.

Whoever changes a page, a work or an edge calls these in the same transaction. A claim whose voting edges or whose dates
have changed is noted in `stale_claims` until it is assessed again.
"""

from collections.abc import Collection, Iterable, Mapping

from apsw import Connection

from lyra.model.page import PageNotice
from lyra.storage.columns import ids_json

# Pages of the work before the indexes, of several pages the one read last: a page says first what became of it.
_IS_RETRACTED = """
coalesce(
    (
        select q.retraction = 'retracted'
        from pages q
        where (q.id = p.id or q.work_id = p.work_id) and q.retraction <> ''
        order by q.fetched_at desc, q.id
        limit 1
    ),
    w.is_retracted,
    0
)
"""
_CHANGED = f"""
select id, target_id, reason
from (
    select e.id, e.target_id, e.no_vote, case
        when {_IS_RETRACTED} then 'retracted'
        when f.superseded_at is not null and instr(p.text_content, coalesce(e.quote, f.text_content)) = 0
            then 'superseded'
        when e.is_notice = 1 then 'notice'
        when e.no_vote = 'retells_retracted' then e.no_vote
        when e.relation = 'neutral' and exists (
            select 1 from reviews r where r.edge_id = e.id and r.state = 'in_force'
        ) then 'reviewed_neutral'
        else ''
    end as reason
    from json_each(:pages) i
    join edges e on e.page_id = i.value and e.source_type = 'fragment'
    join fragments f on f.id = e.source_id
    join pages p on p.id = e.page_id
    left join works w on w.id = p.work_id
)
where no_vote <> reason
"""
# The year of the version that was read; a date after the reading is one that the page cannot have had yet.
_REDATED = """
select id, target_id, dated
from (
    select e.id, e.target_id, e.year, min(
        cast(substr(p.fetched_at, 1, 4) as integer),
        max(coalesce(p.year, 0), coalesce(cast(substr(p.updated_date, 1, 4) as integer), 0))
    ) as dated
    from json_each(:pages) i
    join edges e on e.page_id = i.value and e.source_type = 'fragment'
    join fragments f on f.id = e.source_id and f.superseded_at is null
    join pages p on p.id = e.page_id
)
where coalesce(year, 0) <> dated
"""


def renew(connection: Connection, page_ids: Iterable[str]) -> None:
    """Find out anew for every edge of these pages whether it has a vote, and why not."""
    found = connection.execute(_CHANGED, {"pages": ids_json(page_ids)}).fetchall()
    connection.executemany("update edges set no_vote = ? where id = ?", [(reason, edge) for edge, _, reason in found])
    mark_stale(connection, {str(claim_id) for _, claim_id, _ in found})


def note_retellings(connection: Connection, claim_id: str, fragment_ids: Collection[str]) -> bool:
    """Say of a claim's edges which only retell a retracted work, and of those that no longer do that they vote;
    whether that changed any."""
    changed = connection.execute(
        """
        update edges
        set no_vote = iif(source_id in (select value from json_each(:found)), 'retells_retracted', '')
        where target_id = :claim and target_type = 'claim' and no_vote in ('', 'retells_retracted')
            and (source_id in (select value from json_each(:found))) <> (no_vote = 'retells_retracted')
        returning id
        """,
        {"claim": claim_id, "found": ids_json(fragment_ids)},
    ).fetchall()
    return bool(changed)


def redate(connection: Connection, page_ids: Iterable[str]) -> None:
    """Date the edges of words that these pages hold now by the version that was read."""
    found = connection.execute(_REDATED, {"pages": ids_json(page_ids)}).fetchall()
    connection.executemany("update edges set year = ? where id = ?", [(year or None, edge) for edge, _, year in found])


def renew_work(connection: Connection, work_id: str) -> None:
    """The same for every page of a work."""
    rows = connection.execute("select id from pages where work_id = ?", (work_id,)).fetchall()
    renew(connection, [str(page_id) for (page_id,) in rows])


def mark_stale(connection: Connection, claim_ids: Iterable[str]) -> None:
    """Note claims that must be assessed again."""
    connection.execute(
        """
        insert into stale_claims (claim_id)
        select id from claims where id in (select value from json_each(?))
        on conflict do nothing
        """,
        (ids_json(claim_ids),),
    )


def settle(connection: Connection, claim_ids: Iterable[str]) -> None:
    """These claims have been assessed."""
    connection.execute(
        "delete from stale_claims where claim_id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def stale(connection: Connection) -> dict[str, list[str]]:
    """Claims that must be assessed again, by task."""
    rows = connection.execute(
        "select c.task_id, c.id from stale_claims s join claims c on c.id = s.claim_id order by c.task_id, c.seq"
    )
    found: dict[str, list[str]] = {}
    for task_id, claim_id in rows:
        found.setdefault(str(task_id), []).append(str(claim_id))
    return found


def texts_not_looked_at(connection: Connection, limit: int) -> tuple[tuple[str, str], ...]:
    """Edges of which nobody knows whether their text is a notice: ids and judged texts."""
    rows = connection.execute(
        """
        select e.id, coalesce(e.quote, f.text_content)
        from edges e
        join fragments f on f.id = e.source_id
        where e.source_type = 'fragment' and e.is_notice is null
        limit ?
        """,
        (limit,),
    )
    return tuple((str(edge_id), str(text)) for edge_id, text in rows)


def note_notices(connection: Connection, found: Mapping[str, bool]) -> None:
    """Say of edges whether their judged text is a notice."""
    connection.executemany(
        "update edges set is_notice = ? where id = ?", [(is_notice, edge_id) for edge_id, is_notice in found.items()]
    )
    rows = connection.execute(
        "select distinct page_id from edges where id in (select value from json_each(?))", (ids_json(found),)
    ).fetchall()
    renew(connection, [str(page_id) for (page_id,) in rows])


def pages_not_looked_at(connection: Connection, limit: int) -> tuple[str, ...]:
    """Pages of which nobody knows what they say of themselves."""
    rows = connection.execute("select id from pages where retraction is null limit ?", (limit,))
    return tuple(str(page_id) for (page_id,) in rows)


def note_page(connection: Connection, page_id: str, notice: PageNotice) -> None:
    """Keep what a page says of itself."""
    connection.execute(
        "update pages set retraction = ?, retracted_on = ?, is_corrected = ?, corrected_on = ? where id = ?",
        (notice.retraction, notice.retracted_on, notice.is_corrected, notice.corrected_on, page_id),
    )
    work = connection.execute("select work_id from pages where id = ?", (page_id,)).get
    renew(connection, [page_id])
    redate(connection, [page_id])
    if work is not None:
        renew_work(connection, str(work))
