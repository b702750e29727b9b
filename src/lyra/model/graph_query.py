"""What a client asks of the graph: rows of a guarded SQL query, and texts nearest in meaning."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GuardedResult:
    """Rows as they can be sent as JSON. `truncated`: there was more than the limits on rows and size let through.

    `origins`: the stored column, with its table, that a result column shows, None where it is computed; `read`: the
    tables and columns that the statement names; `is_row_by_row`: each row is made of one row of one table.
    """

    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    row_count: int
    truncated: bool
    elapsed_ms: int
    schema: tuple[Mapping[str, Any], ...] | None = None
    origins: tuple[tuple[str, str] | None, ...] = ()
    read: frozenset[tuple[str, str]] = frozenset()
    is_row_by_row: bool = False


@dataclass(frozen=True, slots=True)
class SimilarHit:
    """A claim or fragment with its cosine similarity and the beginning of its words."""

    id: str
    similarity: float
    text_preview: str


@dataclass(frozen=True, slots=True)
class SimilarAnswer:
    """`not_yet_embedded` counts texts in scope that have only vectors of another model, and were not searched."""

    hits: tuple[SimilarHit, ...]
    total_searched: int
    not_yet_embedded: int = 0
