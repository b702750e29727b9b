"""Vectors of the sentences of texts, kept by the hash of the text and the model: a cache that may be forgotten."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from apsw import Connection

from lyra.clock import stamp
from lyra.storage.columns import ids_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# About 4 KB a text: 120 MB when full. Beyond it the texts that were not asked for longest go first.
MOST = 30_000
_FLOAT32 = "<f4"


def get_many(connection: Connection, text_hashes: Iterable[str], model_id: str) -> "dict[str, NDArray[np.float32]]":
    """The known vectors of these texts by hash, one row for each sentence."""
    import numpy as np

    rows = connection.execute(
        """
        select text_hash, vectors, dimension
        from sentence_vectors
        where model_id = ? and text_hash in (select value from json_each(?))
        """,
        (model_id, ids_json(text_hashes)),
    )
    return {str(key): np.frombuffer(blob, dtype=_FLOAT32).reshape(-1, int(width)) for key, blob, width in rows}


def put_many(
    connection: Connection, vectors: "Mapping[str, NDArray[np.float32]]", model_id: str, now: datetime
) -> None:
    """Keep the vectors of texts by hash; those without a sentence are left out."""
    import numpy as np

    connection.executemany(
        """
        insert into sentence_vectors (text_hash, model_id, vectors, dimension, used_at)
        values (?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        [
            (key, model_id, np.ascontiguousarray(rows, dtype=_FLOAT32).tobytes(), rows.shape[1], stamp(now))
            for key, rows in vectors.items()
            if len(rows)
        ],
    )


def touch(connection: Connection, text_hashes: Iterable[str], model_id: str, now: datetime, most: int = MOST) -> int:
    """Note that these texts were asked for, and forget what is over the limit; returns how many were forgotten."""
    connection.execute(
        """
        update sentence_vectors
        set used_at = ?
        where model_id = ? and text_hash in (select value from json_each(?))
        """,
        (stamp(now), model_id, ids_json(text_hashes)),
    )
    connection.execute(
        """
        delete from sentence_vectors
        where rowid in (
            select rowid from sentence_vectors order by used_at, rowid
            limit max(0, (select count(*) from sentence_vectors) - ?)
        )
        """,
        (most,),
    )
    return connection.changes()


def forget(connection: Connection, older_than: datetime) -> int:
    """Forget the texts that were not asked for since; returns how many."""
    connection.execute("delete from sentence_vectors where used_at < ?", (stamp(older_than),))
    return connection.changes()
