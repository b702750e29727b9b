"""Embeddings of claims and fragments, one per text and model, as little-endian float32."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from apsw import Connection

from lyra.ids import derived_id
from lyra.storage.columns import ids_json
from lyra.storage.rows import column

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FLOAT32 = "<f4"


def put_many(
    connection: Connection,
    target_type: str,
    rows: Iterable[tuple[str, "Sequence[float] | NDArray[np.float32]"]],
    model_id: str,
) -> int:
    """Store vectors of stored claims or fragments by id; a known one is kept. Returns the number of new rows."""
    import numpy as np

    added = 0
    for target_id, vector in rows:
        blob = np.asarray(vector, dtype=_FLOAT32).tobytes()
        connection.execute(
            """
            insert into embeddings (id, target_type, target_id, model_id, embedding_blob, dimension)
            values (?, ?, ?, ?, ?, ?)
            on conflict do nothing
            """,
            (derived_id("v", target_type, target_id, model_id), target_type, target_id, model_id, blob, len(blob) // 4),
        )
        added += connection.changes()
    return added


def missing(connection: Connection, target_type: str, ids: Iterable[str], model_id: str) -> tuple[str, ...]:
    """Those of these ids that have no vector of this model yet, in the order given."""
    return tuple(
        column(
            connection,
            """
        select i.value
        from json_each(?) i
        where not exists (
            select 1
            from embeddings e
            where e.target_type = ? and e.target_id = i.value and e.model_id = ?
        )
        order by i.key
        """,
            (ids_json(ids), target_type, model_id),
        )
    )


def claims_without(connection: Connection, model_id: str, task_id: str | None, limit: int) -> list[tuple[str, str]]:
    """Claims (of the task, or all) that have no vector of this model yet, as id and text; hypotheses first."""
    rows = connection.execute(
        """
        select c.id, c.claim_text
        from claims c
        where (:task_id is null or c.task_id = :task_id) and not exists (
            select 1
            from embeddings e
            where e.target_type = 'claim' and e.target_id = c.id and e.model_id = :model_id
        )
        order by c.is_hypothesis desc, c.seq desc
        limit :limit
        """,
        {"model_id": model_id, "task_id": task_id, "limit": limit},
    )
    return [(str(claim_id), str(text)) for claim_id, text in rows]


def get_many(
    connection: Connection, target_type: str, ids: Iterable[str], model_id: str
) -> "dict[str, NDArray[np.float32]]":
    """The known vectors of these ids."""
    import numpy as np

    rows = connection.execute(
        """
        select target_id, embedding_blob
        from embeddings
        where target_type = ? and target_id in (select value from json_each(?)) and model_id = ?
        """,
        (target_type, ids_json(ids), model_id),
    )
    return {str(target_id): np.frombuffer(blob, dtype=_FLOAT32) for target_id, blob in rows}


def has_others(connection: Connection, target_type: str, model_id: str) -> bool:
    """Whether any vector of this kind is of another model; two looks into an index, however many there are."""
    row = connection.execute(
        """
        select
            (select min(model_id) from embeddings where target_type = :target_type),
            (select max(model_id) from embeddings where target_type = :target_type)
        """,
        {"target_type": target_type},
    ).get
    return any(found not in (None, model_id) for found in row)


def fullest_model(connection: Connection, target_type: str, ids: Iterable[str], present: str) -> str:
    """The model with most vectors of these ids, the present one among equals: only vectors of one can be compared."""
    found = connection.execute(
        """
        select model_id
        from embeddings
        where target_type = ? and target_id in (select value from json_each(?))
        group by model_id
        order by count(*) desc, model_id = ? desc, model_id
        limit 1
        """,
        (target_type, ids_json(ids), present),
    ).get
    return present if found is None else str(found)
