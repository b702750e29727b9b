"""Claims of a query: those with its words first, hypotheses apart."""

from lyra.model.claim import AssessedClaim
from lyra.rank.query_claims import by_relevance
from tests import report_data


def claim(claim_id: str, text: str, *, is_hypothesis: bool = False) -> AssessedClaim:
    made = report_data.claim(text, claim_id=claim_id, is_hypothesis=is_hypothesis)
    return AssessedClaim(made.claim, made.assessment)


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
