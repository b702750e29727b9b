"""An edge of the Evidence Graph: what a text says of a claim, and which model said so."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.judged import JudgedText
from lyra.model.trust import TrustLevel


class Relation(StrEnum):
    SUPPORTS = "supports"
    REFUTES = "refutes"
    NEUTRAL = "neutral"
    CITES = "cites"


@dataclass(frozen=True, slots=True)
class AnswerProbabilities:
    """A reader's two answers as chances, its own (raw) and calibrated: that the text bears on the claim at all, and, if
    it does, that it is for it."""

    bears_raw: float
    side_raw: float
    bears: float
    side: float

    @property
    def raw_probabilities(self) -> tuple[float, float, float]:
        """Of supports, refutes, neutral, by the reader's own chances."""
        return self.bears_raw * self.side_raw, self.bears_raw * (1 - self.side_raw), 1 - self.bears_raw

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """The same by the calibrated chances, before any fit and rule."""
        return self.bears * self.side, self.bears * (1 - self.side), 1 - self.bears


@dataclass(frozen=True, slots=True)
class Stance:
    """A judgement of one text against one claim: supports, refutes, neutral; the raw probabilities are the model's.

    `rule` says why, where a rule and not the model decided; empty otherwise. `reader` is who decided, `answers` what it
    said to each of its two questions. `judged_text` is what it was given, `quote_span` the place of the deciding words
    in the text that was judged."""

    label: Relation
    confidence: float
    raw_confidence: float
    probabilities: tuple[float, float, float]
    model_id: str
    calibration_version: str
    quote_span: tuple[int, int] = (0, 0)
    judged_text: JudgedText | None = None
    raw_probabilities: tuple[float, float, float] | None = None
    rule: str = ""
    reader: str = ""
    answers: AnswerProbabilities | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """fragment → claim (stance) or page → page (cites). `origins` is what the judged words name as their source;
    `is_notice`: the judged text tells of a work's retraction or correction."""

    id: str
    source_type: str
    source_id: str
    target_type: str
    target_id: str
    relation: Relation
    created_at: datetime
    nli_label: str | None = None
    nli_confidence: float | None = None
    nli_raw: float | None = None
    model_id: str | None = None
    calibration_version: str | None = None
    source_trust_level: TrustLevel | None = None
    target_trust_level: TrustLevel | None = None
    is_origin: bool = False
    quote: str | None = None
    cause_id: str | None = None
    probabilities: tuple[float, float, float] | None = None
    citation_source: str | None = None
    is_influential: bool = False
    rule: str | None = None
    reader: str | None = None
    answers: AnswerProbabilities | None = None
    origins: tuple[str, ...] = ()
    is_notice: bool = False
    judged_text: JudgedText | None = None


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """A stance edge with what its fragment's page says of the source: all that assessing a claim needs.

    `domain` is the registrable domain; `duplicate_key` names the text, the same for every copy of it; `url` is where it
    was read. `copied_from` are the sources of the originals where the text is a copy, `origins` what its words name as
    theirs (a work, a person, an agency) or, of a work, what else it may be called; both as keys. `no_vote` is why the
    edge has no vote (`lyra.model.vote`), empty where it votes.
    """

    claim_id: str
    fragment_id: str
    page_id: str
    domain: str
    relation: Relation
    nli_confidence: float | None = None
    source_trust_level: TrustLevel = TrustLevel.UNVERIFIED
    work_id: str | None = None
    is_origin: bool = False
    duplicate_key: str = ""
    url: str = ""
    copied_from: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    no_vote: str = ""
