"""All that the graph says about one claim: rows of evidence in, an `Assessment` out (SPEC §1 decisions 3–10, §13)."""

from collections.abc import Collection, Iterable, Sequence
from math import fsum, sqrt

from lyra.evidence.independence import MISSING_SCORE, one_vote_per_source, one_vote_per_text
from lyra.model.claim import (
    CONTESTED_ABOVE,
    ROUNDING_ERROR,
    AdoptionStatus,
    Assessment,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel, highest_trust

COUNTING_REFUTATION = 0.7
ADOPTION_FLOOR = 0.7
NONE_FOUND_FACTOR = 0.95
CORROBORATION = 2


def assess(
    claim_id: str,
    rows: Sequence[EvidenceRow],
    *,
    refute_search_ended: bool = False,
    joined_pages: Iterable[Collection[str]] = (),
    counting_refutation: float = COUNTING_REFUTATION,
    adoption_floor: float = ADOPTION_FLOOR,
) -> Assessment:
    """Assess one claim. `refute_search_ended`: a refute search that concerns it has come to its end."""
    rows = [row for row in rows if not row.no_vote]
    votes = one_vote_per_source(rows, tuple(joined_pages))
    evidence = beta_update(_votes(votes.strongest))
    supports = [row for row in votes.voters if row.relation is Relation.SUPPORTS]
    refutations = [row for row in votes.voters if _counts(row, counting_refutation)]
    trust = highest_trust([row.source_trust_level for row in supports])
    verification, reason = _verify(trust, refutations, len(votes.supporters))
    refutation = _refutation_status(bool(refutations), refute_search_ended)
    report_confidence = _report_confidence(evidence, refutation)
    return Assessment(
        claim_id=claim_id,
        evidence=evidence,
        independent_sources=len(votes.supporters),
        text_confidence=beta_update(_votes(one_vote_per_text(rows))).confidence,
        report_confidence=report_confidence,
        verdict=verdict_of(evidence),
        verification_status=verification,
        verification_reason=reason,
        adoption_status=_adoption(verification, report_confidence, adoption_floor),
        refutation_status=refutation,
        trust_level=trust,
        has_primary_source=trust is not None and trust.is_high,
        recovery=rejection_remedies(supports, refutations) if verification is VerificationStatus.REJECTED else (),
    )


def _votes(rows: Iterable[EvidenceRow]) -> list[tuple[Relation, float | None]]:
    return [(row.relation, row.nli_confidence) for row in rows]


def _counts(row: EvidenceRow, floor: float) -> bool:
    """Whether a row is a refutation that counts; one without a score does not."""
    return row.relation is Relation.REFUTES and row.nli_confidence is not None and row.nli_confidence >= floor


def _verify(
    trust: TrustLevel | None, refutations: Sequence[EvidenceRow], independent_supports: int
) -> tuple[VerificationStatus, str]:
    """The verification rule of SPEC §13, and its reason in one sentence."""
    claim_is_high = trust is not None and trust.is_high
    refuter_is_high = any(row.source_trust_level.is_high for row in refutations)
    if refutations and claim_is_high and refuter_is_high:
        return VerificationStatus.PENDING, "High-trust sources support and refute it; both sides are kept."
    if refutations and not claim_is_high:
        against = "high-trust" if refuter_is_high else "low-trust"
        return VerificationStatus.REJECTED, f"Refuted by a {against} source, without high-trust support."
    aside = " A low-trust refutation does not outweigh its high-trust support." if refutations else ""
    if independent_supports >= CORROBORATION:
        return VerificationStatus.VERIFIED, f"Supported by {independent_supports} independent sources.{aside}"
    found = "one independent source supports it" if independent_supports else "no source supports it yet"
    return VerificationStatus.PENDING, f"Not yet corroborated: {found}.{aside}"


def _refutation_status(is_refuted: bool, search_ended: bool) -> RefutationStatus:
    if is_refuted:
        return RefutationStatus.FOUND
    return RefutationStatus.NONE_FOUND if search_ended else RefutationStatus.NOT_SEARCHED


def _report_confidence(evidence: Confidence, refutation: RefutationStatus) -> float:
    factor = NONE_FOUND_FACTOR if refutation is RefutationStatus.NONE_FOUND else 1.0
    return factor * evidence.confidence


def _adoption(verification: VerificationStatus, report_confidence: float, floor: float) -> AdoptionStatus:
    if verification is VerificationStatus.REJECTED:
        return AdoptionStatus.NOT_ADOPTED
    if verification is VerificationStatus.VERIFIED or report_confidence >= floor:
        return AdoptionStatus.ADOPTED
    return AdoptionStatus.PENDING


WELL_SUPPORTED_FROM = 0.75
SUPPORTED_FROM = 0.6
LIKELY_FALSE_UNTIL = 0.4


def beta_update(votes: Iterable[tuple[Relation, float | None]]) -> Confidence:
    """Beta(1,1) updated by votes; a vote is a relation and its calibrated probability (missing: 0.5).

    The sums are exact, so that the order of the votes changes no digit.
    """
    scored = [(relation, MISSING_SCORE if score is None else score) for relation, score in votes]
    supports = [score for relation, score in scored if relation is Relation.SUPPORTS]
    refutes = [score for relation, score in scored if relation is Relation.REFUTES]
    support, refutation = fsum(supports), fsum(refutes)
    alpha, beta = 1.0 + support, 1.0 + refutation
    total = alpha + beta
    return Confidence(
        alpha=alpha,
        beta=beta,
        confidence=alpha / total,
        uncertainty=sqrt(alpha * beta / (total**2 * (total + 1))),
        controversy=_controversy(support, refutation),
        supporting_count=len(supports),
        refuting_count=len(refutes),
        neutral_count=sum(1 for relation, _ in scored if relation is Relation.NEUTRAL),
    )


def _controversy(support: float, refutation: float) -> float:
    """The smaller side's share of the evidence, 0 without any."""
    total = support + refutation
    return min(support, refutation) / total if total > 0 else 0.0


def verdict_of(evidence: Confidence) -> Verdict:
    """The verdict, from unrounded values."""
    if evidence.controversy > CONTESTED_ABOVE:
        return Verdict.CONTESTED
    if evidence.confidence >= WELL_SUPPORTED_FROM - ROUNDING_ERROR:
        return Verdict.WELL_SUPPORTED
    if evidence.confidence >= SUPPORTED_FROM - ROUNDING_ERROR:
        return Verdict.SUPPORTED
    if evidence.confidence <= LIKELY_FALSE_UNTIL + ROUNDING_ERROR:
        return Verdict.LIKELY_FALSE
    return Verdict.UNVERIFIED


_DOMAINS_NAMED = 3


def rejection_remedies(supports: Sequence[EvidenceRow], refutations: Sequence[EvidenceRow]) -> tuple[str, ...]:
    """Sentences for a rejected claim, whose supports are all below high trust; `refutations` are those that count."""
    is_refuted_by_high_trust = any(row.source_trust_level.is_high for row in refutations)
    then = (
        "pending, with both sides kept"
        if is_refuted_by_high_trust
        else "verified once two independent sources support it"
    )
    conditions = [
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        f"on this task: the claim is then {then}."
    ]
    domains = sorted({row.domain for row in supports})
    if domains:
        conditions.append(
            f"The user's override in domains.yaml that gives {_either(domains)} high trust, from the next search on "
            f"this task: the claim is then {then}."
        )
    return tuple(conditions)


def _either(names: Sequence[str]) -> str:
    shown = list(names[:_DOMAINS_NAMED])
    if len(names) > _DOMAINS_NAMED:
        shown[-1] = f"one of {len(names) - _DOMAINS_NAMED + 1} others"
    return " or ".join(shown)
