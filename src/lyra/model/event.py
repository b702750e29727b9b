"""The journal's entries and measured figures."""

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


@dataclass(frozen=True, slots=True)
class Metric:
    """`value` is None where nothing was measured; `basis` is how many observations it rests on."""

    name: str
    help: str
    value: float | None
    basis: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    why_unknown: str | None = None
