"""What the verification of claims does to their sources: promotions, and alerts that nobody acts on (L6, SPEC §13)."""

from collections.abc import Iterable
from dataclasses import dataclass

from lyra.model.claim import Assessment, VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel

ALERT_ABOVE = 0.30
ALERT_FROM_JUDGED = 5


@dataclass(frozen=True, slots=True)
class Promotion:
    """A domain's step from unverified to low, with the claim that caused it."""

    domain: str
    before: TrustLevel
    after: TrustLevel
    claim_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class DomainRecord:
    """How the judged claims of one domain stand: those it supports that were verified or rejected."""

    domain: str
    rejected: int
    judged: int


@dataclass(frozen=True, slots=True)
class RejectionAlert:
    """A domain whose claims are rejected unusually often; reported, never acted on (SPEC §1 decision 9)."""

    domain: str
    rejected: int
    judged: int
    rate: float


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


def rejection_alerts(records: Iterable[DomainRecord]) -> list[RejectionAlert]:
    """Domains with more than 30 % of at least five judged claims rejected, worst first."""
    alerts = [
        RejectionAlert(record.domain, record.rejected, record.judged, record.rejected / record.judged)
        for record in records
        if record.judged >= ALERT_FROM_JUDGED and record.rejected / record.judged > ALERT_ABOVE
    ]
    return sorted(alerts, key=lambda alert: (-alert.rate, alert.domain))
