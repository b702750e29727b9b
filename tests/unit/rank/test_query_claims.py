"""Claims of a query: those with its words first, hypotheses apart."""

from datetime import UTC, datetime

from lyra.model.claim import (
    AdoptionStatus,
    AssessedClaim,
    Assessment,
    Claim,
    Confidence,
    RefutationStatus,
    Verdict,
    VerificationStatus,
)
from lyra.rank.query_claims import by_relevance

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def claim(claim_id: str, text: str, *, is_hypothesis: bool = False) -> AssessedClaim:
    assessment = Assessment(
        claim_id=claim_id,
        evidence=Confidence(1.9, 1.0, 0.655, 0.241, 0.0, 1, 0, 0),
        independent_sources=1,
        text_confidence=0.655,
        report_confidence=0.655,
        verdict=Verdict.SUPPORTED,
        verification_status=VerificationStatus.PENDING,
        verification_reason="",
        adoption_status=AdoptionStatus.PENDING,
        refutation_status=RefutationStatus.NOT_SEARCHED,
        trust_level=None,
        has_primary_source=False,
    )
    stored = Claim(claim_id, "task_0123456789ab", text, "en", NOON, is_hypothesis=is_hypothesis)
    return AssessedClaim(stored, assessment)


def test_claims_with_the_words_of_the_query_come_first() -> None:
    """Not those that the task knows best; what shares no word keeps its order behind them."""
    found = (
        claim("c_1", "Gliptins lower HbA1c."),
        claim("c_2", "Metformin is cheap."),
        claim("c_3", "Saxagliptin raises admissions for heart failure."),
        claim("c_4", "Heart disease is common."),
    )

    ordered = by_relevance("saxagliptin heart failure", found)

    assert [one.claim.id for one in ordered] == ["c_3", "c_4", "c_1", "c_2"]


def test_japanese_queries_find_their_words() -> None:
    """Words are told apart without spaces."""
    found = (claim("c_1", "費用は安い。"), claim("c_2", "サキサグリプチンは心不全を増やす。"))

    ordered = by_relevance("心不全", found)

    assert [one.claim.id for one in ordered] == ["c_2", "c_1"]


def test_hypotheses_are_no_found_claims() -> None:
    """They are answered by themselves, also where they are all that was found."""
    assert by_relevance("heart", (claim("c_1", "Heart.", is_hypothesis=True),)) == ()
