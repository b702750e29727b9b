"""What a reader takes away from a task: claims with every quote and where it stands."""

from dataclasses import dataclass
from datetime import datetime

from lyra.model.claim import Assessment, Claim
from lyra.model.edge import Relation
from lyra.model.judged import JudgedText
from lyra.model.vote import NoVote, why_no_vote


@dataclass(frozen=True, slots=True)
class ReviewMark:
    """That a person or client set what a quote says, and what reader and rules had made of it."""

    reviewer: str
    reviewed_at: datetime
    reason: str
    judged_relation: Relation


@dataclass(frozen=True, slots=True)
class QuotedEvidence:
    """The words of one fragment for or against a claim, with the way back to them. `no_vote` is why they have no vote
    (`lyra.model.vote`), empty where they vote; the dates are those of the version that was read."""

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
    no_vote: str = ""
    updated_date: str | None = None
    judged_text: JudgedText | None = None
    review: ReviewMark | None = None

    @property
    def is_retracted(self) -> bool:
        return self.no_vote == NoVote.RETRACTED

    @property
    def why_no_vote(self) -> str:
        """The reason for people; empty where they vote."""
        return why_no_vote(self.no_vote)

    @property
    def in_context(self) -> str:
        """The quote with what the reader read beside it in square brackets."""
        return self.quote if self.judged_text is None else self.judged_text.marked


@dataclass(frozen=True, slots=True)
class ReportClaim:
    claim: Claim
    assessment: Assessment
    supports: tuple[QuotedEvidence, ...]
    refutes: tuple[QuotedEvidence, ...]

    @property
    def quotes(self) -> tuple[QuotedEvidence, ...]:
        """On either side."""
        return (*self.supports, *self.refutes)


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A page that speaks for or against a claim of a task, with the paper it is, where it is one."""

    page_id: str
    url: str
    title: str
    domain: str
    fetched_at: datetime
    authors: tuple[str, ...] = ()
    published_date: str | None = None
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    pmid: str | None = None
    is_retracted: bool = False
