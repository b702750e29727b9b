"""A claim, its mentions, the confidence that evidence gives it, and how far it depends on single sources."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.task import Granularity, Polarity


class VerificationStatus(StrEnum):
    PENDING = "pending"
    VERIFIED = "verified"
    REJECTED = "rejected"


class AdoptionStatus(StrEnum):
    PENDING = "pending"
    ADOPTED = "adopted"
    NOT_ADOPTED = "not_adopted"


class RefutationStatus(StrEnum):
    NOT_SEARCHED = "not_searched"
    NONE_FOUND = "none_found"
    FOUND = "found"


# What binary fractions may add to decimal ones: seven votes of 0.9 against three are a controversy of 0.3 exactly.
ROUNDING_ERROR = 1e-9
# SPEC §1 decision 4: the controversy above which a claim is contested, over all its evidence or within a decade.
CONTESTED_ABOVE = 0.3 + ROUNDING_ERROR


class Verdict(StrEnum):
    CONTESTED = "contested"
    WELL_SUPPORTED = "well_supported"
    SUPPORTED = "supported"
    LIKELY_FALSE = "likely_false"
    UNVERIFIED = "unverified"


@dataclass(frozen=True, slots=True)
class Statement:
    """A checkable sentence found in a fragment, with its exact place there.

    `score` says how far it is worth checking, from 0 to 1; `is_hedged` that the author does not commit to it.
    """

    text: str
    quote: str
    start: int
    end: int
    language: str
    score: float = 0.0
    is_hedged: bool = False


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a task: found in a fragment, or put by the client as a hypothesis."""

    id: str
    task_id: str
    claim_text: str
    language: str
    created_at: datetime
    expected_polarity: Polarity = Polarity.POSITIVE
    granularity: Granularity = Granularity.ATOMIC
    is_hypothesis: bool = False
    search_id: str | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """One place where a claim is stated: the exact quote and its position within the fragment."""

    claim_id: str
    fragment_id: str
    quote: str
    char_start: int
    char_end: int
    quote_hash: str


@dataclass(frozen=True, slots=True)
class Confidence:
    """The Beta update of SPEC §1 decision 3, unrounded."""

    alpha: float
    beta: float
    confidence: float
    uncertainty: float
    controversy: float
    supporting_count: int
    refuting_count: int
    neutral_count: int

    @property
    def evidence_count(self) -> int:
        return self.supporting_count + self.refuting_count + self.neutral_count


@dataclass(frozen=True, slots=True)
class Assessment:
    """All that the graph says about one claim.

    `evidence` counts independent sources, `text_confidence` is the same update over every distinct text; `recovery` is
    what would lift a rejection, in sentences.
    """

    claim_id: str
    evidence: Confidence
    independent_sources: int
    text_confidence: float
    report_confidence: float
    verdict: Verdict
    verification_status: VerificationStatus
    verification_reason: str
    adoption_status: AdoptionStatus
    refutation_status: RefutationStatus
    trust_level: str | None
    has_primary_source: bool
    recovery: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssessedClaim:
    """A claim with its stored assessment, and an address where it is stated (a hypothesis may have none).

    `is_retracted`: that page was retracted, and so was every other one that states the claim.
    """

    claim: Claim
    assessment: Assessment
    source_url: str | None = None
    is_retracted: bool = False


@dataclass(frozen=True, slots=True)
class SourceDependence:
    """One independent source that takes a stance on a claim, and the claim without it.

    `members` are the works and publishers that count as this one source; `supports` and `refutes` count its stances.
    """

    claim_id: str
    source: str
    members: tuple[str, ...]
    supports: int
    refutes: int
    without: Assessment


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A claim whose verdict is another one than when a search began."""

    claim_id: str
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """One independent source that takes a stance on a claim, with the works and publishers that count as it."""

    claim_id: str
    source: str
    members: tuple[str, ...]
    supports: int
    refutes: int
