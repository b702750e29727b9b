"""An entry of the journal: what happened, to what, and because of what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """A row of `event_log`. `id` is given by the journal; `cause_id` joins what one decision led to."""

    kind: str
    created_at: datetime
    subject: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    search_id: str | None = None
    cause_id: str | None = None
    id: int | None = None
