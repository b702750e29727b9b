"""A task's evidence as JSON. The types say what it holds; the published JSON Schema is made from them."""

import json
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict  # pydantic refuses that of typing before Python 3.12

from lyra.clock import stamp
from lyra.model.claim import RefutationStatus, Verdict, VerificationStatus
from lyra.model.edge import PartRole, Relation
from lyra.model.report import CitedSource, QuotedEvidence, ReportClaim, ReviewMark
from lyra.report.export.records import TaskRecords
from lyra.report.links import passage_link

# The number before the point changes when a field goes or means something else, the one after it when a field comes.
SCHEMA_VERSION = "1.0"
SCHEMA_ID: Literal["urn:lyra-mcp:schema:evidence:1"] = "urn:lyra-mcp:schema:evidence:1"

Sha256 = Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]
Share = Annotated[float, Field(ge=0, le=1)]


class JudgedPartFields(TypedDict):
    """A part of the text that the reader was given, from `start` to `end`."""

    role: Annotated[PartRole, Field(description="The words that decided, or what was read beside them.")]
    start: int
    end: int
    fragment_start: int | None
    fragment_end: int | None
    fragment_id: Annotated[str | None, Field(description="Null where it is the quote's own fragment.")]


class JudgedTextFields(TypedDict):
    """The text that the reader was given."""

    text: str
    parts: list[JudgedPartFields]


class ReviewFields(TypedDict):
    """That a person or client set the stance, and what reader and rules had made of it."""

    reviewer: str
    reviewed_at: str
    reason: str
    judged_relation: Relation


class QuoteFields(TypedDict):
    """The words of a page for or against a claim, with the way back to them."""

    stance: Literal["supports", "refutes"]
    quote: str
    char_start: Annotated[int, Field(ge=0, description="Where the words begin in the text of the page.")]
    char_end: Annotated[int, Field(ge=0, description="Where they end; characters that are not shown count.")]
    text_hash: Annotated[Sha256, Field(description="SHA-256 of that text of the page, in UTF-8.")]
    content_hash: Annotated[Sha256, Field(description="SHA-256 of the page's bytes; empty where it has others since.")]
    judged_text: JudgedTextFields | None
    heading: str
    page_number: Annotated[int | None, Field(description="Of a PDF, from 1.")]
    url: str
    link: Annotated[str, Field(description="The address that opens the page at these words.")]
    title: str
    domain: str
    trust_level: str
    published_date: str | None
    updated_date: str | None
    found_at: str
    nli_confidence: Annotated[Share, Field(description="Of the judgement that the words have this stance.")]
    model_id: str | None
    is_origin: Annotated[bool, Field(description="Whether the claim was found in these words.")]
    votes: Annotated[bool, Field(description="Whether the words count.")]
    no_vote: Annotated[str | None, Field(description="Code of the reason why they do not.")]
    no_vote_reason: str | None
    is_retracted: bool
    review: Annotated[ReviewFields | None, Field(description="Null where nobody reviewed the stance.")]
    edge_id: str
    fragment_id: str
    page_id: str


class ClaimFields(TypedDict):
    """A claim with its figures, and its quotes: those that vote first, then the strongest."""

    id: str
    text: str
    language: str
    is_hypothesis: bool
    verdict: Verdict
    confidence: Share
    uncertainty: Annotated[float, Field(ge=0)]
    controversy: Share
    independent_sources: Annotated[int, Field(ge=0)]
    text_confidence: Share
    report_confidence: Share
    verification_status: VerificationStatus
    verification_details: str
    refutation_status: RefutationStatus
    recovery: Annotated[list[str], Field(description="What would lift a rejection.")]
    supports: list[QuoteFields]
    refutes: list[QuoteFields]


class SourceFields(TypedDict):
    """A page that is quoted, with the paper it is, where it is one."""

    page_id: str
    url: str
    title: str
    domain: str
    authors: list[str]
    published_date: str | None
    year: int | None
    venue: str | None
    doi: str | None
    pmid: str | None
    is_retracted: bool
    fetched_at: str
    content_hash: Sha256


class CitationFields(TypedDict):
    """That one source cites another, by their `page_id`."""

    citing: str
    cited: str


class Evidence(TypedDict):
    schema: Annotated[Literal["urn:lyra-mcp:schema:evidence:1"], Field(description="The schema's `$id`.")]
    schema_version: Annotated[str, Field(pattern=r"^1\.\d+$")]
    task_id: str
    query: str
    created_at: str
    settings_digest: str
    claims: list[ClaimFields]
    sources: list[SourceFields]
    citations: list[CitationFields]


def json_text(records: TaskRecords) -> str:
    """The evidence as indented JSON."""
    return json.dumps(evidence(records), ensure_ascii=False, indent=2) + "\n"


def evidence(records: TaskRecords) -> Evidence:
    """JSON-ready; probabilities to 3 places."""
    task = records.task
    return {
        "schema": SCHEMA_ID,
        "schema_version": SCHEMA_VERSION,
        "task_id": task.id,
        "query": task.query,
        "created_at": stamp(task.created_at),
        "settings_digest": task.settings_digest,
        "claims": [_claim_fields(one) for one in records.claims],
        "sources": [_source_fields(one) for one in records.sources],
        "citations": [{"citing": citing, "cited": cited} for citing, cited in records.citations],
    }


def _claim_fields(one: ReportClaim) -> ClaimFields:
    assessment, figures = one.assessment, one.assessment.evidence
    return {
        "id": one.claim.id,
        "text": one.claim.claim_text,
        "language": one.claim.language,
        "is_hypothesis": one.claim.is_hypothesis,
        "verdict": assessment.verdict,
        "confidence": round(figures.confidence, 3),
        "uncertainty": round(figures.uncertainty, 3),
        "controversy": round(figures.controversy, 3),
        "independent_sources": assessment.independent_sources,
        "text_confidence": round(assessment.text_confidence, 3),
        "report_confidence": round(assessment.report_confidence, 3),
        "verification_status": assessment.verification_status,
        "verification_details": assessment.verification_reason,
        "refutation_status": assessment.refutation_status,
        "recovery": list(assessment.recovery),
        "supports": [quote_fields(quoted) for quoted in one.supports],
        "refutes": [quote_fields(quoted) for quoted in one.refutes],
    }


def quote_fields(quoted: QuotedEvidence) -> QuoteFields:
    """A quote for or against a claim as plain data."""
    return {
        "stance": "supports" if quoted.relation is Relation.SUPPORTS else "refutes",
        "quote": quoted.quote,
        "char_start": quoted.char_start,
        "char_end": quoted.char_end,
        "text_hash": quoted.text_hash,
        "content_hash": quoted.content_hash,
        "judged_text": None if quoted.judged_text is None else _judged_text(asdict(quoted.judged_text)),
        "heading": quoted.heading_context,
        "page_number": quoted.page_number,
        "url": quoted.url,
        "link": passage_link(quoted),
        "title": quoted.title,
        "domain": quoted.domain,
        "trust_level": quoted.trust_level,
        "published_date": quoted.published_date,
        "updated_date": quoted.updated_date,
        "found_at": stamp(quoted.fetched_at),
        "nli_confidence": round(quoted.nli_confidence, 3),
        "model_id": quoted.model_id,
        "is_origin": quoted.is_origin,
        "votes": not quoted.no_vote,
        "no_vote": quoted.no_vote or None,
        "no_vote_reason": quoted.why_no_vote or None,
        "is_retracted": quoted.is_retracted,
        "review": None if quoted.review is None else _review(quoted.review),
        "edge_id": quoted.edge_id,
        "fragment_id": quoted.fragment_id,
        "page_id": quoted.page_id,
    }


def _judged_text(plain: dict[str, Any]) -> JudgedTextFields:
    return {"text": plain["text"], "parts": list(plain["parts"])}


def _review(review: ReviewMark) -> ReviewFields:
    return {
        "reviewer": review.reviewer,
        "reviewed_at": stamp(review.reviewed_at),
        "reason": review.reason,
        "judged_relation": review.judged_relation,
    }


def _source_fields(source: CitedSource) -> SourceFields:
    return {
        "page_id": source.page_id,
        "url": source.url,
        "title": source.title,
        "domain": source.domain,
        "authors": list(source.authors),
        "published_date": source.published_date,
        "year": source.year,
        "venue": source.venue,
        "doi": source.doi,
        "pmid": source.pmid,
        "is_retracted": source.is_retracted,
        "fetched_at": stamp(source.fetched_at),
        "content_hash": source.content_hash,
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of an export, made from the types."""
    from pydantic import TypeAdapter  # lazy: only whoever makes the reference needs it

    made = _without_titles(TypeAdapter(Evidence).json_schema())
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Evidence of a Lyra task",
        "description": f"Version {SCHEMA_VERSION} of what `lyra export TASK --format json` writes.",
        **made,
    }


def _without_titles(value: Any) -> Any:
    """The names that pydantic makes of the fields' names say nothing; a field may be named `title`."""
    if isinstance(value, list):
        return [_without_titles(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: _without_titles(one) for name, one in value.items() if not (name == "title" and isinstance(one, str))}
