"""Which domains a claim lifts: trust follows from the independent sources behind it (SPEC §13)."""

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
from lyra.model.trust import TrustLevel, TrustPromotion
from lyra.trust.levels import trust_promotions

UNVERIFIED, LOW, TRUSTED = TrustLevel.UNVERIFIED, TrustLevel.LOW, TrustLevel.TRUSTED


def assessment(refutation: RefutationStatus = RefutationStatus.NOT_SEARCHED) -> Assessment:
    return Assessment(
        claim_id="c_1",
        evidence=Confidence(2.8, 1.0, 2.8 / 3.8, 0.2, 0.0, 2, 0, 0),
        independent_sources=2,
        text_confidence=2.8 / 3.8,
        report_confidence=2.8 / 3.8,
        verdict=Verdict.SUPPORTED,
        verification_status=VerificationStatus.VERIFIED,
        verification_reason="Supported by 2 independent sources.",
        adoption_status=AdoptionStatus.ADOPTED,
        refutation_status=refutation,
        trust_level="academic",
        has_primary_source=True,
    )


def told(
    domain: str,
    level: TrustLevel = UNVERIFIED,
    relation: Relation = Relation.SUPPORTS,
    source: str = "",
    no_vote: str = "",
) -> tuple[EvidenceRow, str]:
    """What a domain says, and the name of its independent source: its own, or that of the group it belongs to."""
    row = EvidenceRow("c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, level, no_vote=no_vote)
    return row, source or f"domain:{domain}"


def test_two_sources_of_which_one_stands_above_low_lift_the_other() -> None:
    """UNVERIFIED → LOW with the sources behind it; nobody else moves."""
    rows = [
        told("type2notebook.com"),
        told("jmetd.org", TrustLevel.ACADEMIC, source="work:doi:10.5555/a"),
        told("askmeds-forum.net", relation=Relation.REFUTES),
        told("ledgerlane.com", relation=Relation.NEUTRAL),
    ]

    found = trust_promotions(assessment(), rows)

    assert found == [
        TrustPromotion(
            "type2notebook.com",
            "c_1",
            ("domain:type2notebook.com", "work:doi:10.5555/a"),
            "A claim it supports has 2 independent sources, 1 above low: doi:10.5555/a, type2notebook.com.",
        )
    ]


@pytest.mark.parametrize(
    ("rows", "lifted"),
    [
        ([told("a.com"), told("b.com")], []),
        ([told("a.com"), told("wikipedia.org", LOW)], []),
        ([told("a.com"), told("b.com"), told("c.com")], ["a.com", "b.com", "c.com"]),
        ([told("a.com"), told("news.com", TRUSTED)], ["a.com"]),
        ([told("a.com"), told("b.com", source="domain:a.com"), told("c.com", source="domain:a.com")], []),
        ([told("a.com"), told("news.com", TRUSTED, source="domain:a.com")], []),
        ([told("a.com"), told("b.com"), told("c.com", no_vote="retracted")], []),
        ([told("a.com"), told("news.com", TRUSTED, no_vote="notice")], []),
        ([told("a.com", LOW), told("b.com"), told("c.com")], ["a.com", "b.com", "c.com"]),
        ([told("a.com", no_vote="superseded"), told("b.com"), told("news.com", TRUSTED)], ["b.com"]),
        ([], []),
    ],
    ids=[
        "two unverified",
        "unverified and low",
        "three unverified",
        "unverified and trusted",
        "three copies",
        "a copy of a trusted one",
        "a third without a vote",
        "one above low without a vote",
        "lifted before",
        "who has no vote is not lifted",
        "nothing",
    ],
)
def test_how_many_sources_it_takes(rows: list[tuple[EvidenceRow, str]], lifted: list[str]) -> None:
    """Two with one above low, otherwise three; copies are one, and what has no vote does not count."""
    assert [one.domain for one in trust_promotions(assessment(), rows)] == lifted


def test_a_counting_refutation_lifts_nobody() -> None:
    """However many support the claim."""
    rows = [told(f"{name}.com") for name in "abcd"]

    assert trust_promotions(assessment(RefutationStatus.FOUND), rows) == []


def test_many_sources_are_named_in_part() -> None:
    """Those above low first; the reason stays a sentence, the sources are all kept."""
    rows = [*(told(f"{name}.com") for name in "abcdef"), told("news.com", TRUSTED)]

    found = trust_promotions(assessment(), rows)

    assert found[0].reason == (
        "A claim it supports has 7 independent sources, 1 above low: news.com, a.com, b.com, c.com, d.com and 2 more."
    )
    assert len(found[0].sources) == 7
