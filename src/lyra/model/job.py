"""A durable piece of work, and the slots that bound how much runs at once on this machine (SPEC §9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
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
    """A piece of work; one with `due_at` is not taken up before then."""

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
    due_at: datetime | None = None


# A process that dies leaves what it holds taken for this long; one that lives renews it.
LEASE_S = 15.0
# How often a seat is asked for, and how long one who waits is believed without asking again.
SEAT_POLL_S = 0.05
SEAT_PATIENCE_S = 2.0


class Slot(StrEnum):
    GPU = "gpu"
    BROWSER_HEADFUL = "browser_headful"
    NETWORK_CLIENT = "network_client"
    CPU_NLP = "cpu_nlp"

    @property
    def room(self) -> str:
        """Slots of one room share its seats: inference on the GPU and a visible browser never run together."""
        return "exclusive" if self in (Slot.GPU, Slot.BROWSER_HEADFUL) else self.value


class Priority(IntEnum):
    """Who goes first where work waits; larger is sooner."""

    SERP = 100
    PREFETCH = 90
    EXTRACT = 80
    EMBED = 70
    LLM_FAST = 50
    LLM_SLOW = 40
    REEMBED = 30
    RECHECK = 20


@dataclass(frozen=True, slots=True)
class SlotUse:
    """One use of a slot, held or waiting."""

    id: str
    slot: Slot
    priority: int

    @property
    def room(self) -> str:
        return self.slot.room
