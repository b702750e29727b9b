"""BM25 over English words and Japanese bigrams."""

import pytest

from simweb.ranking import Bm25, tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("The DPP-4 Inhibitors", ["dpp", "4", "inhibitor"], id="english plural and stop word"),
        pytest.param("類天疱瘡", ["類天", "天疱", "疱瘡"], id="japanese bigrams"),
        pytest.param("ＨｂＡ１ｃ 0.5", ["hba", "1", "c", "0.5"], id="full width letters"),
        pytest.param("therapies", ["therapy"], id="plural in ies"),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    """Words are lower case and singular, Japanese is cut into pairs of characters."""
    assert tokens(text) == terms


def test_a_title_counts_more_than_the_text() -> None:
    """Of two documents with the same word, the one with the word in its title comes first."""
    bm25 = Bm25([("Diet", "heart failure and diet"), ("Heart failure", "diet and walking")])

    assert [number for number, _ in bm25.rank("heart failure")] == [1, 0]


def test_a_document_with_too_few_of_the_terms_is_no_result() -> None:
    """One matching word of five is not enough to be a result."""
    bm25 = Bm25([("Garden", "melon growing at home"), ("Other", "nothing here")])

    assert bm25.rank("saxagliptin heart failure hospital home") == []
