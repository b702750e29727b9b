"""Evidence for a reader: quotes with their sources, dated evidence, and the chain from query to judgement."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lyra.model.claim import Assessment, Claim
from lyra.model.edge import JudgedText, NoVote, Relation, why_no_vote
from lyra.model.search import CandidateState


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
    (`lyra.model.edge`), empty where they vote; the dates are those of the version that was read.
    `page_number` counts the pages of a PDF from 1. `char_start` and `char_end` are places in that text of the page
    whose SHA-256 is `text_hash`; `content_hash` is that of its bytes, empty where the page has others since."""

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
    page_number: int | None = None
    edge_id: str = ""
    char_end: int = 0
    text_hash: str = ""
    content_hash: str = ""

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
    """A page that speaks for or against a claim of a task, with the paper it is, where it is one. `content_hash` is the
    SHA-256 of the bytes that were read."""

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
    content_hash: str = ""


@dataclass(frozen=True, slots=True)
class ReviewProgress:
    """The reviews of a task in the order they were made, each whether it corrected the judgement; how many texts wait
    to be reviewed, and how many of those could turn a verdict."""

    corrections: tuple[bool, ...] = ()
    waiting: int = 0
    turning: int = 0


# SPEC §13: recent is within so many years of the newest evidence.
RECENT_YEARS = 2


@dataclass(frozen=True, slots=True)
class DatedEvidence:
    """A stance with what is known of its time: the page's own dates, when Lyra saw it, and what became of it since.

    `published_date` and `updated_date` are those of the version that was read. `superseded_at`: from then on the page
    no longer held these words; `superseded_on` is the day on which the page says it changed since. `is_corrected`: the
    page says that it was corrected, on `corrected_on`. `retraction_seen_at`: when the work was first found to
    be retracted; `retracted_on` is the day that the retraction itself names. `archived_from` is the day of the oldest
    archived copy that holds these words, `absent_on` that of the newest one that does not; `copied_on` is set where the
    page itself could not be opened and was read from a copy of that day. `no_vote` is why the stance has no vote.
    """

    claim_id: str
    fragment_id: str
    page_id: str
    url: str
    domain: str
    relation: Relation
    quote: str
    seen_at: str
    published_date: str | None = None
    updated_date: str | None = None
    superseded_at: str | None = None
    work_id: str | None = None
    is_retracted: bool = False
    retraction_seen_at: str | None = None
    archived_from: str | None = None
    absent_on: str | None = None
    copied_on: str | None = None
    retracted_on: str | None = None
    is_corrected: bool = False
    corrected_on: str | None = None
    superseded_on: str | None = None
    no_vote: str = ""


@dataclass(frozen=True, slots=True)
class Discovery:
    """How a search came upon a page: the client's query, what was really asked, the engine and the rank it gave.

    `fetch` is the journal's note of the request (rung, outcome, status_code, record_id, elapsed_s); none where the
    page was known or read as an abstract. `climbed` are the notes of the rungs that were tried before it. `rule` says
    by which rule the derived query came from the client's. `cited_with` is the paper that led here by a citation.
    """

    search_id: str
    query: str
    engine: str
    rank: int
    state: CandidateState
    derived_query: str | None = None
    referer: str | None = None
    cited_with: str | None = None
    fetch: Mapping[str, Any] | None = None
    fetched_at: datetime | None = None
    rule: str | None = None
    climbed: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class ChainPage:
    id: str
    url: str
    title: str
    fetched_at: datetime
    content_hash: str | None
    extractor: str
    warc_path: str | None = None
    warc_offset: int | None = None
    warc_record_id: str | None = None


@dataclass(frozen=True, slots=True)
class ChainFragment:
    """`char_start` and `char_end` are places in the text of the page."""

    id: str
    text: str
    heading_context: str
    char_start: int
    char_end: int
    text_hash: str
    page_number: int | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The edge: what a model made of the fragment, the rule that had the last word, if any, the search that asked, and
    what the model was given; `in_context` is the quote with what was read beside it in square brackets; `no_vote` is
    why the edge has no vote, as a code and as a sentence, both empty where it votes."""

    edge_id: str
    relation: Relation
    quote: str
    confidence: float | None
    raw_confidence: float | None
    probabilities: tuple[float, ...] | None
    model_id: str | None
    calibration_version: str | None
    trust_level: str | None
    search_id: str | None
    judged_at: datetime
    rule: str | None = None
    no_vote: str = ""
    no_vote_reason: str = ""
    judged_text: JudgedText | None = None
    in_context: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """One way from a query to a claim: `stated` are the quotes in which the fragment states the claim itself."""

    discoveries: tuple[Discovery, ...]
    page: ChainPage
    fragment: ChainFragment
    stated: tuple[str, ...]
    judgement: Judgement | None
