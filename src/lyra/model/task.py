"""A research task: the question, its budget and hypotheses, its figures, and what deleting it removes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class TaskStatus(StrEnum):
    CREATED = "created"
    EXPLORING = "exploring"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"


class FinalStatus(StrEnum):
    """How a task ended."""

    COMPLETED = "completed"
    PARTIAL = "partial"
    CANCELLED = "cancelled"


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
    final_status: FinalStatus | None = None
    reason: str | None = None
    last_call_at: datetime | None = None
    settings_digest: str = ""
    held_at: datetime | None = None
    owner: str | None = None
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class TaskTotals:
    """Counts over one task; ratios are 0 where there is nothing to divide by.

    `pages` were reached by a search or judged; `fragments` mention a claim or were judged; `duplicate_rate` is the
    share of those fragments that nearly repeat another text; `domain_diversity` is domains per page;
    `primary_source_ratio` the share of judged pages whose source has high trust; `top_domains` gave the most evidence.
    """

    pages: int
    fragments: int
    claims: int
    not_adopted: int
    supporting_edges: int
    refuting_edges: int
    neutral_edges: int
    top_domains: tuple[str, ...]
    duplicate_rate: float
    domain_diversity: float
    primary_source_ratio: float


@dataclass(frozen=True, slots=True)
class BlockedDomain:
    """A domain that is never asked, since when and why."""

    domain: str
    blocked_at: str | None
    reason: str
    cause_id: str | None
    original_trust_level: str | None


@dataclass(frozen=True, slots=True)
class VerificationAlert:
    """A domain many of whose judged claims were rejected."""

    domain: str
    judged: int
    rejected: int


@dataclass(frozen=True, slots=True)
class KeptSite:
    """A site that a hard deletion cannot forget, or not yet."""

    domain: str
    reason: str
    is_resting: bool = False


@dataclass(frozen=True, slots=True)
class TaskRemoval:
    """Rows taken away by table, and what became of the archive files that held the removed pages.

    `lone_files` (below the archive directory) are referred to by no stored page any more; `shared_files` hold records
    of removed pages too, but other pages need them. `records` are to be taken out of the archive's files. `texts` are
    what the task alone had asked, `sites` what it alone had reached, so that logs can be cleared of both; `kept_sites`
    cannot be forgotten. `held_pages` are addresses of pages that a running search may be reading: they go after it.
    `cited_pages` are those of which another task's search found a citation: they go with that task.
    """

    counts: Mapping[str, int]
    lone_files: tuple[str, ...] = ()
    shared_files: tuple[str, ...] = ()
    records: int = 0
    texts: frozenset[str] = frozenset()
    sites: frozenset[str] = frozenset()
    kept_sites: tuple[KeptSite, ...] = ()
    held_pages: tuple[str, ...] = ()
    cited_pages: tuple[str, ...] = ()
