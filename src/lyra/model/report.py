"""What a reader takes away from a task: claims with every quote and where it stands."""

from dataclasses import dataclass
from datetime import datetime

from lyra.model.claim import Assessment, Claim
from lyra.model.edge import Relation


@dataclass(frozen=True, slots=True)
class QuotedEvidence:
    """The words of one fragment for or against a claim, with the way back to them."""

    claim_id: str
    relation: Relation
    quote: str
    fragment_id: str
    page_id: str
    url: str
    title: str
    domain: str
    heading_context: str
    published_date: str | None
    fetched_at: datetime
    nli_confidence: float
    trust_level: str
    is_origin: bool
    char_start: int
    model_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReportClaim:
    claim: Claim
    assessment: Assessment
    supports: tuple[QuotedEvidence, ...]
    refutes: tuple[QuotedEvidence, ...]
