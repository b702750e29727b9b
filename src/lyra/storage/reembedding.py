"""Texts whose vectors are of other models than the present one, and their replacement.

A text waits while it has a vector of another model and none of the present one. The others are removed at once when
nothing waits any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from apsw import Connection

from lyra.storage import embeddings
from lyra.storage.columns import ids_json
from lyra.storage.vectors import not_yet_embedded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# In this order: claims are fewer, and asked for more often.
KINDS = ("claim", "fragment")
# Larger than every `seq`: from here downwards the newest texts come first.
NEWEST = 2**63 - 1
# Along `seq` and by no index: an index would be read and sorted whole for every batch.
_WAITING = {
    "claim": """
        select e.seq, c.id, c.claim_text, null
        from embeddings e not indexed
        join claims c on c.id = e.target_id
        where e.target_type = 'claim' and e.model_id <> :model_id and e.seq < :before and not exists (
            select 1
            from embeddings n
            where n.target_type = 'claim' and n.target_id = e.target_id and n.model_id = :model_id
        )
        order by e.seq desc
        limit :limit
    """,
    "fragment": """
        select e.seq, f.id, f.text_content, f.text_hash
        from embeddings e not indexed
        join fragments f on f.id = e.target_id
        where e.target_type = 'fragment' and e.model_id <> :model_id and e.seq < :before and not exists (
            select 1
            from embeddings n
            where n.target_type = 'fragment' and n.target_id = e.target_id and n.model_id = :model_id
        )
        order by e.seq desc
        limit :limit
    """,
}


@dataclass(frozen=True, slots=True)
class WaitingText:
    """`seq` is that of its newest vector of another model; `text_hash` is empty for claims."""

    seq: int
    id: str
    text: str
    text_hash: str = ""


def waiting(connection: Connection, target_type: str, model_id: str, before: int, limit: int) -> list[WaitingText]:
    """Texts that wait, newest first, from those below a `seq`; one with vectors of several models comes once."""
    rows = connection.execute(_WAITING[target_type], {"model_id": model_id, "before": before, "limit": limit})
    found: dict[str, WaitingText] = {}
    for seq, target_id, text, text_hash in rows:
        one = WaitingText(int(seq), str(target_id), str(text), text_hash or "")
        found.setdefault(one.id, one)
    return list(found.values())


def count_waiting(connection: Connection, model_id: str) -> int:
    """How many texts wait."""
    return sum(not_yet_embedded(connection, kind, model_id) for kind in KINDS)


def put(
    connection: Connection, target_type: str, rows: "Sequence[tuple[str, NDArray[np.float32]]]", model_id: str
) -> None:
    """Store the new vectors of texts that are still there: with a text its vectors were removed."""
    found = connection.execute(
        "select target_id from embeddings where target_type = ? and target_id in (select value from json_each(?))",
        (target_type, ids_json(key for key, _ in rows)),
    )
    present = {str(target_id) for (target_id,) in found}
    embeddings.put_many(connection, target_type, [row for row in rows if row[0] in present], model_id)


def finish(connection: Connection, model_id: str) -> bool:
    """Remove all vectors of other models; false, and nothing is removed, where a text still waits."""
    if any(waiting(connection, kind, model_id, NEWEST, 1) for kind in KINDS):
        return False
    connection.execute("delete from embeddings where model_id <> ?", (model_id,))
    connection.execute("delete from sentence_vectors where model_id <> ?", (model_id,))
    return True


def tasks_with_claims(connection: Connection) -> dict[str, int]:
    """The tasks whose claims may stand differently when pages are grouped by other vectors, with their claims."""
    rows = connection.execute("select task_id, count(*) from claims group by task_id order by task_id")
    return {str(task_id): int(number) for task_id, number in rows}
