"""The evidence of one task as plain records, and the digest by which two such graphs are compared.

The digest knows no row ids, times and durations, and no order: a replay, an import or another machine that comes to the
same pages, fragments, claims, edges and verdicts has the same digest.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lyra.model.claim import AdoptionStatus, RefutationStatus, Verdict, VerificationStatus
from lyra.model.edge import Relation
from lyra.model.task import Granularity, Polarity
from lyra.model.trust import TrustLevel

# Sums of the same numbers in another order differ in the last bits.
_PLACES = 6


@dataclass(frozen=True, slots=True)
class EvidencePage:
    """A page in the version that was read: `version` is the hash of its text, `record_id` its archived answer."""

    id: str
    url: str
    final_url: str
    domain: str
    title: str
    language: str
    published_date: str | None
    updated_date: str | None
    page_type: str
    version: str
    extractor: str
    fetched_at: str
    record_id: str | None
    work_id: str | None


@dataclass(frozen=True, slots=True)
class EvidenceFragment:
    """A passage that was judged or states a claim, with its place in the text of its page's version."""

    id: str
    page_id: str
    version: str
    text: str
    text_hash: str
    char_start: int
    char_end: int
    page_number: int | None
    fragment_type: str
    heading_context: str
    language: str


@dataclass(frozen=True, slots=True)
class EvidenceClaim:
    """A claim with its verdict and the figures behind it."""

    id: str
    text: str
    language: str
    is_hypothesis: bool
    expected_polarity: Polarity
    granularity: Granularity
    verdict: Verdict
    confidence: float
    uncertainty: float
    controversy: float
    text_confidence: float
    report_confidence: float
    supporting_count: int
    refuting_count: int
    neutral_count: int
    independent_sources: int
    verification_status: VerificationStatus
    adoption_status: AdoptionStatus
    refutation_status: RefutationStatus
    trust_level: TrustLevel | None
    has_primary_source: bool


@dataclass(frozen=True, slots=True)
class EvidenceMention:
    """A place in a fragment where a claim is stated."""

    claim_id: str
    fragment_id: str
    quote: str
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class EvidenceEdge:
    """A stance of a fragment on a claim, by whom and by which rule; `quote` are the deciding words of the fragment."""

    claim_id: str
    fragment_id: str
    relation: Relation
    nli_label: str | None
    nli_confidence: float | None
    nli_raw: float | None
    model_id: str | None
    calibration_version: str | None
    reader: str | None
    rule: str | None
    source_trust_level: TrustLevel | None
    is_origin: bool
    no_vote: str
    quote: str | None


@dataclass(frozen=True, slots=True)
class EvidenceCitation:
    """One page of the evidence cites another one."""

    citing_page_id: str
    cited_page_id: str
    citation_source: str | None
    is_influential: bool


@dataclass(frozen=True, slots=True)
class TaskEvidence:
    """Everything that the verdicts of a task rest on."""

    pages: tuple[EvidencePage, ...] = ()
    fragments: tuple[EvidenceFragment, ...] = ()
    claims: tuple[EvidenceClaim, ...] = ()
    mentions: tuple[EvidenceMention, ...] = ()
    edges: tuple[EvidenceEdge, ...] = ()
    citations: tuple[EvidenceCitation, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 over sorted JSON; see `canonical_records`."""
        text = json.dumps(canonical_records(self), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def canonical_records(evidence: TaskEvidence) -> dict[str, list[Any]]:
    """What the digest is taken of: a page by address and hash of its text, a fragment by its page, words and place, a
    claim by its words, each edge by its two ends; every list sorted."""
    urls = {(page.id, page.version): page.url for page in evidence.pages}
    address = {page.id: page.url for page in evidence.pages}
    place = {
        one.id: [urls[one.page_id, one.version], one.text_hash, one.char_start, one.char_end]
        for one in evidence.fragments
    }
    words = {one.id: one.text for one in evidence.claims}
    return {
        "pages": _sorted([page.url, page.version] for page in evidence.pages),
        "fragments": _sorted(place.values()),
        "claims": _sorted(
            [one.text, one.language, one.is_hypothesis, one.expected_polarity, one.granularity]
            for one in evidence.claims
        ),
        "mentions": _sorted(
            [words[one.claim_id], place[one.fragment_id], one.char_start, one.char_end, one.quote]
            for one in evidence.mentions
        ),
        "edges": _sorted([words[edge.claim_id], place[edge.fragment_id], *_stance(edge)] for edge in evidence.edges),
        "citations": _sorted(
            [address[one.citing_page_id], address[one.cited_page_id], one.citation_source or "", one.is_influential]
            for one in evidence.citations
        ),
        "verdicts": _sorted([one.text, *_verdict(one)] for one in evidence.claims),
    }


def _stance(edge: EvidenceEdge) -> list[Any]:
    return [
        edge.relation,
        edge.nli_label,
        _rounded(edge.nli_confidence),
        _rounded(edge.nli_raw),
        edge.model_id,
        edge.calibration_version,
        edge.reader,
        edge.rule,
        edge.source_trust_level,
        edge.is_origin,
        edge.no_vote,
        edge.quote,
    ]


def _verdict(claim: EvidenceClaim) -> list[Any]:
    figures = (
        claim.confidence,
        claim.uncertainty,
        claim.controversy,
        claim.text_confidence,
        claim.report_confidence,
    )
    return [
        claim.verdict,
        *map(_rounded, figures),
        claim.supporting_count,
        claim.refuting_count,
        claim.neutral_count,
        claim.independent_sources,
        claim.verification_status,
        claim.adoption_status,
        claim.refutation_status,
        claim.trust_level,
        claim.has_primary_source,
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _PLACES) + 0.0  # -0.0 is 0.0


def _sorted(rows: Iterable[list[Any]]) -> list[Any]:
    return sorted(rows, key=lambda row: json.dumps(row, ensure_ascii=False))
