"""A research task: the question, its budget and the client's hypotheses."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TaskStatus(StrEnum):
    CREATED = "created"
    EXPLORING = "exploring"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"


class Polarity(StrEnum):
    """Whether the client expects the hypothesis to hold."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEUTRAL = "neutral"


class Granularity(StrEnum):
    ATOMIC = "atomic"
    COMPOUND = "compound"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a task may spend. Seconds count while a search is running."""

    max_pages: int = 120
    max_seconds: float = 1200.0


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """An atomic claim into which the client has broken its question."""

    text: str
    expected_polarity: Polarity = Polarity.POSITIVE
    granularity: Granularity = Granularity.ATOMIC


@dataclass(frozen=True, slots=True)
class TaskConfig:
    budget: Budget = Budget()
    priority_domains: tuple[str, ...] = ()
    language: str | None = None
    hypotheses: tuple[Hypothesis, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    id: str
    query: str
    status: TaskStatus
    created_at: datetime
    budget: Budget
    priority_domains: tuple[str, ...] = ()
    language: str | None = None
    pages_used: int = 0
    seconds_used: float = 0.0
    final_status: str | None = None
    reason: str | None = None
    last_call_at: datetime | None = None
    settings_digest: str = ""
    held_at: datetime | None = None
