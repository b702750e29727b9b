"""What is found out about edges and pages that decides whether they vote, and the claims to assess again for it."""

from collections.abc import Iterable, Mapping

from apsw import Connection

from lyra.model.page import PageNotice
from lyra.storage import derived
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import column


def note_retellings(connection: Connection, claim_id: str, reasons: Mapping[str, str]) -> bool:
    """Say of a claim's edges which only retell what was retracted or corrected (`reasons` by fragment), and of those
    that no longer do that they vote; whether that changed any."""
    changed = connection.execute(
        """
        update edges
        set no_vote = coalesce((select value from json_each(:found) where key = source_id), '')
        where target_id = :claim and target_type = 'claim'
            and no_vote in ('', 'retells_retracted', 'retells_corrected')
            and no_vote <> coalesce((select value from json_each(:found) where key = source_id), '')
        returning id
        """,
        {"claim": claim_id, "found": to_json(dict(reasons))},
    ).fetchall()
    derived.votes_changed(connection, [str(edge_id) for (edge_id,) in changed])
    return bool(changed)


def mark_assessed(connection: Connection, claim_ids: Iterable[str]) -> None:
    """These claims have been assessed."""
    connection.execute(
        "delete from claims_to_assess where claim_id in (select value from json_each(?))", (ids_json(claim_ids),)
    )


def claims_to_assess(connection: Connection) -> dict[str, list[str]]:
    """Claims that must be assessed again, by task."""
    rows = connection.execute(
        "select c.task_id, c.id from claims_to_assess s join claims c on c.id = s.claim_id order by c.task_id, c.seq"
    )
    found: dict[str, list[str]] = {}
    for task_id, claim_id in rows:
        found.setdefault(str(task_id), []).append(str(claim_id))
    return found


def unchecked_texts(connection: Connection, limit: int) -> tuple[tuple[str, str], ...]:
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
    derived.edges_written(connection, found)


def unchecked_pages(connection: Connection, limit: int) -> tuple[str, ...]:
    """Pages of which nobody knows what they say of themselves."""
    return tuple(column(connection, "select id from pages where retraction is null limit ?", (limit,)))


def note_page(connection: Connection, page_id: str, notice: PageNotice) -> None:
    """Keep what a page says of itself."""
    connection.execute(
        "update pages set retraction = ?, retracted_on = ?, is_corrected = ?, corrected_on = ? where id = ?",
        (notice.retraction, notice.retracted_on, notice.is_corrected, notice.corrected_on, page_id),
    )
    derived.page_changed(connection, page_id)
