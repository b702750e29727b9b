"""The answer to a question put to the graph in SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GuardedResult:
    """Rows as they can be sent as JSON. `truncated`: there was more than the limits on rows and size let through."""

    rows: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    row_count: int
    truncated: bool
    elapsed_ms: int
    schema: tuple[Mapping[str, Any], ...] | None = None
