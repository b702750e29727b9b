"""A durable piece of work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    kind: str
    state: JobState
    created_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 0
    slot: str = "network_client"
    task_id: str | None = None
    attempts: int = 0
    lease_owner: str | None = None
    lease_until: datetime | None = None
    error: str | None = None
    cause_id: str | None = None
    budget: Mapping[str, Any] = field(default_factory=dict)
