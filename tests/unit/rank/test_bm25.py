"""BM25 against values worked out by hand."""

from math import log

import pytest

from lyra.rank.ranker import Bm25
from lyra.text import tokens

DOCUMENTS = [
    ["sitagliptin", "lowers", "hba1c"],
    ["sitagliptin", "and", "pancreatitis", "pancreatitis"],
    ["kyoto", "festival", "visitors", "rose", "again"],
]


def test_score_follows_the_formula() -> None:
    """k1 1.2, b 0.75, idf log(1 + (N - df + 0.5) / (df + 0.5)); the mean length is 4."""
    index = Bm25(DOCUMENTS)

    scores = index.scores(["pancreatitis", "sitagliptin"])

    rare, common = log(1 + 2.5 / 1.5), log(1 + 1.5 / 2.5)
    first = common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4))
    second = rare * 2 * 2.2 / (2 + 1.2) + common * 2.2 / (1 + 1.2)
    assert scores.tolist() == pytest.approx([first, second, 0.0])


def test_word_asked_twice_counts_twice() -> None:
    """Repetition in the query is the asker's emphasis."""
    index = Bm25(DOCUMENTS)

    twice = index.scores(["hba1c", "hba1c"])

    assert twice.tolist() == pytest.approx((2 * index.scores(["hba1c"])).tolist())


def test_word_in_every_document_still_counts_a_little() -> None:
    """The idf stays above 0, so a query of common words alone still ranks."""
    index = Bm25([["diabetes", "drug"], ["diabetes", "diet", "advice"]])

    scores = index.scores(["diabetes"])

    assert scores[0] > scores[1] > 0


@pytest.mark.parametrize(
    ("documents", "query", "expected"),
    [
        pytest.param([], ["hba1c"], [], id="no documents"),
        pytest.param([[], []], ["hba1c"], [0.0, 0.0], id="documents without words"),
        pytest.param(DOCUMENTS, [], [0.0, 0.0, 0.0], id="query without words"),
        pytest.param(DOCUMENTS, ["血糖"], [0.0, 0.0, 0.0], id="unknown word"),
    ],
)
def test_nothing_to_match_scores_zero(documents: list[list[str]], query: list[str], expected: list[float]) -> None:
    """Emptiness of any kind is a score of 0, never a division by it."""
    scores = Bm25(documents).scores(query)

    assert scores.tolist() == expected


def test_japanese_is_matched_by_words() -> None:
    """Words come from the one tokeniser, so particles and inflection do not matter."""
    documents = ["シタグリプチンは血糖値を下げた。", "京都の祭りには多くの人が訪れた。", "血圧の薬を飲んでいる。"]
    index = Bm25([tokens(document) for document in documents])

    scores = index.scores(tokens("血糖値が下がる薬"))

    assert scores.argmax() == 0
    assert scores[1] == 0.0
