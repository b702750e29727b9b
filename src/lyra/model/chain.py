"""The causal chain of a claim: which query led to which page, fragment, quote and judgement."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lyra.model.edge import Relation
from lyra.model.judged import JudgedText


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
    state: str
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
