"""What would lift a rejection, and that it would."""

import dataclasses

import pytest

from lyra.evidence.assess import assess
from lyra.model.claim import VerificationStatus
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.trust import TrustLevel

GOVERNMENT, TRUSTED, LOW = TrustLevel.GOVERNMENT, TrustLevel.TRUSTED, TrustLevel.LOW


def row(domain: str, relation: Relation, level: TrustLevel) -> EvidenceRow:
    return EvidenceRow("c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, level)


BLOG = row("type2notebook.com", Relation.SUPPORTS, LOW)
CLINIC = row("hillcrest-diabetes.com", Relation.SUPPORTS, TRUSTED)
AGENCY_AGAINST = row("fdso.gov", Relation.REFUTES, GOVERNMENT)
FORUM_AGAINST = row("askmeds-forum.net", Relation.REFUTES, LOW)


def test_a_claim_refuted_from_above_would_be_pending() -> None:
    """Both ways out are named, with the domains that the user could vouch for, and where the claim would stand."""
    found = assess("c_1", [BLOG, CLINIC, AGENCY_AGAINST])

    assert found.recovery == (
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        "on this task: the claim is then pending, with both sides kept.",
        "The user's override in domains.yaml that gives hillcrest-diabetes.com or type2notebook.com high trust, from "
        "the next search on this task: the claim is then pending, with both sides kept.",
    )


def test_a_claim_without_support_has_no_domain_to_vouch_for() -> None:
    """An override of nobody's trust would help: only the first way is left."""
    found = assess("c_1", [FORUM_AGAINST])

    assert found.recovery == (
        "Support from an independent source of high trust (primary, government or academic), found by a later search "
        "on this task: the claim is then verified once two independent sources support it.",
    )


def test_many_domains_are_counted_not_listed() -> None:
    """The sentence stays short however many sources there are."""
    supports = [row(f"site{at}.example", Relation.SUPPORTS, LOW) for at in range(6)]

    found = assess("c_1", [*supports, FORUM_AGAINST])

    assert "gives site0.example or site1.example or one of 4 others high trust" in found.recovery[1]


@pytest.mark.parametrize("rows", [[], [BLOG], [BLOG, CLINIC]], ids=["nothing", "pending", "verified"])
def test_only_rejected_claims_need_restoring(rows: list[EvidenceRow]) -> None:
    """A claim that is not rejected has nothing to recover from."""
    assert assess("c_1", rows).recovery == ()


@pytest.mark.parametrize(
    ("against", "then"),
    [
        pytest.param(AGENCY_AGAINST, VerificationStatus.PENDING, id="refuted from above"),
        pytest.param(FORUM_AGAINST, VerificationStatus.VERIFIED, id="refuted among equals"),
    ],
)
def test_what_is_promised_holds(against: EvidenceRow, then: VerificationStatus) -> None:
    """The user vouches for one supporter, or a high-trust source is found: the claim is no longer rejected."""
    rejected = assess("c_1", [BLOG, CLINIC, against])

    vouched = assess("c_1", [dataclasses.replace(BLOG, source_trust_level=GOVERNMENT), CLINIC, against])
    found = assess("c_1", [BLOG, CLINIC, against, row("nimeth.gov", Relation.SUPPORTS, GOVERNMENT)])

    assert rejected.verification_status is VerificationStatus.REJECTED
    assert (vouched.verification_status, found.verification_status) == (then, then)
