"""What the verification of claims does to domains."""

import pytest

from lyra.model.claim import (
    AdoptionStatus,
    Assessment,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel
from lyra.trust.verification import Promotion, promotions


def assessment(status: VerificationStatus) -> Assessment:
    return Assessment(
        claim_id="c_1",
        evidence=Confidence(2.8, 1.0, 2.8 / 3.8, 0.2, 0.0, 2, 0, 0),
        independent_sources=2,
        text_confidence=2.8 / 3.8,
        report_confidence=2.8 / 3.8,
        verdict=Verdict.SUPPORTED,
        verification_status=status,
        verification_reason="Supported by 2 independent sources.",
        adoption_status=AdoptionStatus.ADOPTED,
        refutation_status=RefutationStatus.NOT_SEARCHED,
        trust_level="academic",
        has_primary_source=True,
    )


def row(domain: str, level: TrustLevel, relation: Relation = Relation.SUPPORTS) -> EvidenceRow:
    return EvidenceRow("c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, level)


ROWS = [
    row("type2notebook.com", TrustLevel.UNVERIFIED),
    row("hillcrest-diabetes.com", TrustLevel.UNVERIFIED),
    row("jmetd.org", TrustLevel.ACADEMIC),
    row("wikipedia.org", TrustLevel.LOW),
    row("askmeds-forum.net", TrustLevel.UNVERIFIED, Relation.REFUTES),
    row("ledgerlane.com", TrustLevel.UNVERIFIED, Relation.NEUTRAL),
]


def test_a_verified_claim_lifts_its_unverified_supporters() -> None:
    """UNVERIFIED → LOW with its cause; nobody else moves (SPEC §1 decision 8)."""
    reason = "Supported by 2 independent sources."

    found = promotions(assessment(VerificationStatus.VERIFIED), ROWS)

    assert found == [
        Promotion("hillcrest-diabetes.com", TrustLevel.UNVERIFIED, TrustLevel.LOW, "c_1", reason),
        Promotion("type2notebook.com", TrustLevel.UNVERIFIED, TrustLevel.LOW, "c_1", reason),
    ]


@pytest.mark.parametrize("status", [VerificationStatus.PENDING, VerificationStatus.REJECTED])
def test_other_claims_lift_nobody(status: VerificationStatus) -> None:
    """Only corroboration promotes, and rejection never demotes or blocks."""
    assert promotions(assessment(status), ROWS) == []
