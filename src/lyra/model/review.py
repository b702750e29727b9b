"""What whoever reads says of an edge, and what is still to be read."""

from dataclasses import dataclass
from datetime import datetime

from lyra.model.edge import Relation

# SPEC §13: the probability with which a reviewed edge counts for what was said.
REVIEWED_PROBABILITY = 0.98


@dataclass(frozen=True, slots=True)
class Review:
    """What was said of an edge, by whom and why; `judged_*` is the result of reader and rules that it stands over."""

    id: str
    edge_id: str
    task_id: str
    claim_id: str
    actual: Relation
    reason: str
    reviewer: str
    judged_relation: Relation
    judged_confidence: float | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """What one independent source says of a claim with one relation and nobody has reviewed.

    `fragment_id` names the edge to look at, `edges` counts all of them; `turns_verdict`: either other relation would
    change the claim's verdict.
    """

    claim_id: str
    source: str
    relation: Relation
    fragment_id: str
    edges: int
    probability: float
    turns_verdict: bool


@dataclass(frozen=True, slots=True)
class QueuedEdge:
    """A row of the queue as people and programs read it; `raw_probabilities` are the reader's own, where kept, and
    `in_context` is the quote with what the reader read beside it in square brackets."""

    edge_id: str
    relation: Relation
    probability: float
    turns_verdict: bool
    claim_id: str
    claim_text: str
    is_hypothesis: bool
    verdict: str
    quote: str
    source: str
    url: str
    title: str
    edges: int
    rule: str | None
    raw_probabilities: tuple[float, float, float] | None
    in_context: str
