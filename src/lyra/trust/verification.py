"""What the verification of claims does to their sources: promotions (L6, SPEC §13)."""

from collections.abc import Iterable
from dataclasses import dataclass

from lyra.model.claim import Assessment, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel


@dataclass(frozen=True, slots=True)
class Promotion:
    """A domain's step from unverified to low, with the claim that caused it."""

    domain: str
    before: TrustLevel
    after: TrustLevel
    claim_id: str
    reason: str


def promotions(assessment: Assessment, rows: Iterable[EvidenceRow]) -> list[Promotion]:
    """The unverified domains that a verified claim's supports stand on, in alphabetical order."""
    if assessment.verification_status is not VerificationStatus.VERIFIED:
        return []
    domains = {
        row.domain
        for row in rows
        if row.relation is Relation.SUPPORTS and row.source_trust_level is TrustLevel.UNVERIFIED
    }
    return [
        Promotion(domain, TrustLevel.UNVERIFIED, TrustLevel.LOW, assessment.claim_id, assessment.verification_reason)
        for domain in sorted(domains)
    ]
