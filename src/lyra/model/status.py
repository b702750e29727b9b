"""What a task's graph holds, in numbers."""

from dataclasses import dataclass


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
