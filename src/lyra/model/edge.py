"""An edge of the Evidence Graph: what a text says about a claim, who judged it on which words, and its reviews."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.claim import Verdict
from lyra.model.trust import TrustLevel


class PartRole(StrEnum):
    """What a part of a judged text is: the words that decided, or what was read beside them.

    `site`, as it calls itself, and the `beginning` of the page, which only the strong reader is given, `title` of the
    page, `heading` above the fragment, `before`: the sentence before, which a pronoun or a dropped subject points to,
    `header` of a table's column, `context`: other sentences of the fragment.
    """

    DECIDING = "deciding"
    SITE = "site"
    BEGINNING = "beginning"
    TITLE = "title"
    HEADING = "heading"
    BEFORE = "before"
    HEADER = "header"
    CONTEXT = "context"


# Stands in a text behind what is told of its page beforehand: readers that do not know it are given what follows.
PAGE_BREAK = "\u2029"
# Of the beginning of a page people are shown so much: it is told for the reader's sake.
_BEGINNING_SHOWN = 90


def page_and_text(text: str) -> tuple[str, str]:
    """Of a text that readers are given what is told of its page beforehand, and the text itself."""
    page, mark, own = text.partition(PAGE_BREAK)
    return (page, own) if mark else ("", text)


def without_page(text: str) -> str:
    """A text that readers are given, without what is told of its page beforehand."""
    return page_and_text(text)[1]


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """A part from `start` to `end` of the judged text.

    Words of a fragment have their place there too; `fragment_id` is None where it is the edge's own fragment.
    """

    role: PartRole
    start: int
    end: int
    fragment_start: int | None = None
    fragment_end: int | None = None
    fragment_id: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedText:
    """The text that the reader was given, to the letter; what is between its parts only joins them."""

    text: str
    parts: tuple[JudgedPart, ...]

    @property
    def quote_start(self) -> int | None:
        """Where the deciding words begin in the edge's fragment."""
        starts = [one.fragment_start for one in self.parts if one.role is PartRole.DECIDING]
        return min((one for one in starts if one is not None), default=None)

    def shown(self, part: JudgedPart) -> str:
        """The words of a part as people are shown them: of the beginning of the page the first."""
        words = self.text[part.start : part.end]
        is_long = part.role is PartRole.BEGINNING and len(words) > _BEGINNING_SHOWN
        return f"{words[:_BEGINNING_SHOWN].rstrip()}…" if is_long else words

    @property
    def marked(self) -> str:
        """On one line for people: what was read beside the deciding words is in square brackets."""
        pieces: list[str] = []
        at, is_context = 0, False
        for part in self.parts:
            is_beside = part.role is not PartRole.DECIDING
            joint = self.text[at : part.start]
            if is_beside != is_context:
                # A bracket opens after the joint and closes before it.
                joint = joint.rstrip() + ("" if is_beside else "]") + " " + ("[" if is_beside else "")
            pieces += [joint, self.shown(part)]
            at, is_context = part.end, is_beside
        pieces.append(self.text[at:].rstrip() + ("]" if is_context else ""))
        return " ".join("".join(pieces).split())


# The readers, by the names that edges keep.
SMALL_READER = "small"
LARGE_READER = "large"
STRONG_READER = "strong"


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """One reader's two answers as logits: whether the text bears on the claim, and which side it takes (above 0 for,
    below 0 against). `reader` is who decided: `small`, `large` or `strong`. `earlier` is the answer of the large reader
    where the strong one was asked after it: both count, each by its own calibration."""

    bears: float
    side: float
    reader: str
    model_id: str
    earlier: "ReaderAnswer | None" = None


class NoVote(StrEnum):
    """The code kept on the edge. Of several reasons the first in this order is given."""

    RETRACTED = "retracted"
    SUPERSEDED = "superseded"
    NOTICE = "notice"
    RETELLS_RETRACTED = "retells_retracted"
    RETELLS_CORRECTED = "retells_corrected"
    REVIEWED_NEUTRAL = "reviewed_neutral"

    @property
    def sentence(self) -> str:
        """The reason for people, as the end of "no vote: …"."""
        return _SENTENCES[self]


_SENTENCES = {
    NoVote.RETRACTED: "the work was retracted",
    NoVote.SUPERSEDED: "the page no longer contains these words",
    NoVote.NOTICE: "the text is about a retraction or correction, not about the claim",
    NoVote.RETELLS_RETRACTED: "the text retells a work that was retracted",
    NoVote.RETELLS_CORRECTED: "the text retells what its source has corrected",
    NoVote.REVIEWED_NEUTRAL: "a reviewer found that it says nothing about the claim",
}


def why_no_vote(code: str) -> str:
    """The sentence for a stored code; empty where the edge votes."""
    return NoVote(code).sentence if code else ""


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
    `is_notice`: the judged text is about a work's retraction or correction."""

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
    """A stance edge with what its fragment's page says about the source: all that assessing a claim needs.

    `domain` is the registrable domain; `duplicate_key` names the text, the same for every copy of it; `url` is where it
    was read. `copied_from` are the sources of the originals where the text is a copy, `origins` what its words name as
    theirs (a work, a person, an agency, an institution) and whose page it is or, of a work, what else it may be called;
    both as keys. `cites` are the sources that its page links to, of a page that is no work;
    `is_corrected`: the page says that it was corrected. `no_vote` is why the edge has no
    vote (`lyra.model.edge`), empty where it votes.
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
    cites: tuple[str, ...] = ()
    is_corrected: bool = False


# SPEC §13: the probability with which a reviewed edge counts for what was said.
REVIEWED_PROBABILITY = 0.98


@dataclass(frozen=True, slots=True)
class Review:
    """A review of an edge, by whom and why; `judged_*` is the result of reader and rules that it overrides."""

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
    """What one independent source says about a claim with one relation, not yet reviewed.

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
    verdict: Verdict
    quote: str
    source: str
    url: str
    title: str
    edges: int
    rule: str | None
    raw_probabilities: tuple[float, float, float] | None
    in_context: str
