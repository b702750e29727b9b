"""BM25, fusion, the knee, and the order they give."""

from collections.abc import Sequence
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.rank.ranker import (
    Bm25,
    FusionWeights,
    RankedDocument,
    Ranker,
    count_before_knee,
    find_knee,
    fuse_scores,
    ranking_language,
    weights_for,
)
from lyra.settings.research import Ranking
from lyra.text import tokens

WORDS_OF_DOCUMENTS = [
    ["sitagliptin", "lowers", "hba1c"],
    ["sitagliptin", "and", "pancreatitis", "pancreatitis"],
    ["kyoto", "festival", "visitors", "rose", "again"],
]


def test_score_follows_the_formula() -> None:
    """k1 1.2, b 0.75, idf log(1 + (N - df + 0.5) / (df + 0.5)); the mean length is 4."""
    index = Bm25(WORDS_OF_DOCUMENTS)

    scores = index.scores(["pancreatitis", "sitagliptin"])

    rare, common = log(1 + 2.5 / 1.5), log(1 + 1.5 / 2.5)
    first = common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / 4))
    second = rare * 2 * 2.2 / (2 + 1.2) + common * 2.2 / (1 + 1.2)
    assert scores.tolist() == pytest.approx([first, second, 0.0])


def test_word_asked_twice_counts_twice() -> None:
    """Repetition in the query is the asker's emphasis."""
    index = Bm25(WORDS_OF_DOCUMENTS)

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
        pytest.param(WORDS_OF_DOCUMENTS, [], [0.0, 0.0, 0.0], id="query without words"),
        pytest.param(WORDS_OF_DOCUMENTS, ["血糖"], [0.0, 0.0, 0.0], id="unknown word"),
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


CARD = {"default": {"bm25": 0.4, "embedding": 0.6}, "ja": {"bm25": 1.0, "embedding": 0.0}}


def test_bm25_is_divided_by_the_pools_maximum_and_cosine_clipped() -> None:
    """0.3 and 0.7 over a BM25 of at most 1 and a cosine of at least 0."""
    score, lexical, semantic = fuse_scores(
        np.array([8.0, 2.0, 0.0]), np.array([0.5, -0.2, 1.1]), FusionWeights(0.3, 0.7)
    )

    assert lexical.tolist() == [1.0, 0.25, 0.0]
    assert semantic.tolist() == [0.5, 0.0, 1.0]
    assert score.tolist() == pytest.approx([0.65, 0.075, 0.7])


def test_pool_without_a_match_is_left_to_the_embedding() -> None:
    """Where no word matches, BM25 adds nothing instead of dividing by zero."""
    score, lexical, _ = fuse_scores(np.zeros(2), np.array([0.2, 0.4]), FusionWeights(0.3, 0.7))

    assert lexical.tolist() == [0.0, 0.0]
    assert score.tolist() == pytest.approx([0.14, 0.28])


@pytest.mark.parametrize(
    ("query", "language"),
    [
        pytest.param("DPP-4 inhibitors pancreatitis", "en", id="English"),
        pytest.param("シタグリプチンの安全性", "ja", id="kana"),
        pytest.param("糖尿病 治療 指針", "ja", id="kanji alone"),
        pytest.param("DPP-4阻害薬 HbA1c", "ja", id="mixed"),
        pytest.param("", "en", id="empty"),
    ],
)
def test_query_language_is_read_from_its_script(query: str, language: str) -> None:
    """Japanese queries are often kanji alone; the weights must not depend on a particle."""
    found = ranking_language(query)

    assert found == language


@pytest.mark.parametrize(
    ("settings", "card", "language", "expected"),
    [
        pytest.param(Ranking(), {}, "en", FusionWeights(0.3, 0.7), id="settings' defaults"),
        pytest.param(Ranking(), CARD, "en", FusionWeights(0.4, 0.6), id="card's default"),
        pytest.param(Ranking(), CARD, "ja", FusionWeights(1.0, 0.0), id="card's language"),
        pytest.param(
            Ranking(bm25_weight=0.5, embedding_weight=0.5), CARD, "ja", FusionWeights(0.5, 0.5), id="user's word"
        ),
        pytest.param(
            Ranking(bm25_weight=0.3), CARD, "ja", FusionWeights(0.3, 0.7), id="user's word, equal to the default"
        ),
    ],
)
def test_weights_come_from_the_user_then_the_card(
    settings: Ranking, card: dict[str, dict[str, float]], language: str, expected: FusionWeights
) -> None:
    """What the user set holds for every language; else the embedder knows where it is weak."""
    weights = weights_for(language, settings, card)

    assert weights == expected


HYPERBOLA = [1 / (place + 1) for place in range(10)]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param(HYPERBOLA, 2, id="hyperbola"),
        pytest.param([0.95, 0.9, 0.88, 0.3, 0.28, 0.25, 0.22, 0.2, 0.18, 0.17], 3, id="cliff after three"),
        pytest.param([1.0, 0.8, 0.6, 0.4, 0.2, 0.0], None, id="straight line"),
        pytest.param([0.5] * 8, None, id="flat"),
        pytest.param([0.9], None, id="one"),
        pytest.param([], None, id="none"),
    ],
)
def test_knee_is_where_the_curve_bends(scores: list[float], expected: int | None) -> None:
    """The hyperbola and the line are those of kneed 0.9 (convex, decreasing, S 1); the cliff is the paper's."""
    place = find_knee(scores)

    assert place == expected


def test_sensitivity_asks_for_a_sharper_bend() -> None:
    """A larger S waits longer before it calls a bend a knee."""
    scores = [1.0, 0.9, 0.3, 0.2, 0.1]

    places = (find_knee(scores, 1.0), find_knee(scores, 2.0))

    assert places == (2, None)


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([0.9, 0.1], 2, id="fewer than the minimum"),
        pytest.param(HYPERBOLA, 3, id="knee below the minimum"),
        pytest.param([0.9, 0.89, 0.88, 0.87, 0.2, 0.18, 0.16, 0.15, 0.14, 0.13], 4, id="before the cliff"),
        pytest.param([0.5] * 80, 50, id="flat, more than the maximum"),
        pytest.param([1.0, 0.99, 0.98, 0.97, 0.5, 0.0], 6, id="concave to the end"),
    ],
)
def test_cut_keeps_between_minimum_and_maximum(scores: list[float], kept: int) -> None:
    """At least 3, at most 50, what lies before the knee; everything where there is none (EX §4.3.2)."""
    count = count_before_knee(scores, minimum=3, maximum=50, sensitivity=1.0)

    assert count == kept


QUERY = "sitagliptin pancreatitis risk"
DOCUMENTS = [
    "Visitors of the festival rose again.",
    "Sitagliptin: pancreatitis risk in trials.",
    "Inflammation of the pancreas under gliptins.",
]


class Table:
    """Gives each text the vector written for it, and remembers what was asked."""

    model_id = "table@1"
    dimension = 2

    def __init__(self, cosines: dict[str, float]) -> None:
        self._cosines = cosines
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        angles = [np.arccos(self._cosines.get(text, 1.0)) for text in texts]
        return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], np.float32)


def table() -> Table:
    return Table(dict(zip(DOCUMENTS, (0.0, 0.8, 0.9), strict=True)))


async def test_words_and_meaning_are_fused() -> None:
    """0.3 for BM25 over its maximum, 0.7 for the cosine; the paraphrase comes second, the festival last."""
    ranker = Ranker(table(), Ranking())

    ranked = await ranker.rank(QUERY, DOCUMENTS)

    assert [(each.index, round(each.score, 3), round(each.bm25, 3), round(each.cosine, 3)) for each in ranked] == [
        (1, 0.86, 1.0, 0.8),
        (2, 0.63, 0.0, 0.9),
        (0, 0.0, 0.0, 0.0),
    ]


async def test_language_without_a_trusted_embedding_asks_for_none() -> None:
    """Where the card gives the embedding no weight, no vector is computed and BM25 alone decides."""
    embedder = Table({})
    ranker = Ranker(embedder, Ranking(), {"ja": {"bm25": 1.0, "embedding": 0.0}})

    ranked = await ranker.rank("膵炎の危険", ["祭りの来場者", "シタグリプチンと膵炎の危険"])

    assert [each.index for each in ranked] == [1, 0]
    assert embedder.asked == []


async def test_only_the_pool_is_embedded() -> None:
    """BM25 passes on its best; the rest costs no inference and is not ranked."""
    embedder = Table({})
    documents = [f"sitagliptin trial {number}" for number in range(8)] + ["sitagliptin sitagliptin"]
    ranker = Ranker(embedder, Ranking(bm25_pool=3))

    ranked = await ranker.rank("sitagliptin", documents)

    assert len(embedder.asked) == 1 + 3
    assert [each.index for each in ranked] == [8, 0, 1]


async def test_meaning_fills_a_pool_that_words_cannot() -> None:
    """A query that shares no word with the documents (another language) still finds what it means."""
    cosines = {f"document {number}": number / 10 for number in range(6)}
    ranker = Ranker(Table(cosines), Ranking(bm25_pool=2))

    ranked = await ranker.rank("gliptins and the pancreas", list(cosines))

    assert [each.index for each in ranked] == [5, 4]


async def test_equal_scores_keep_the_given_order() -> None:
    """Ranking is reproducible: a tie of words against meaning is decided by the engines' order."""
    documents = ["incretin drugs", "gliptins"]
    ranker = Ranker(Table({"gliptins": 0.0}), Ranking(bm25_weight=0.5, embedding_weight=0.5))

    ranked = await ranker.rank("gliptins?", documents)

    assert [(each.index, each.score) for each in ranked] == [(0, 0.5), (1, 0.5)]


async def test_nothing_to_rank_is_an_empty_ranking() -> None:
    """No documents is no error and asks the model nothing."""
    embedder = table()

    ranked = await Ranker(embedder, Ranking()).rank(QUERY, [])

    assert (ranked, embedder.asked) == ([], [])


def test_cut_uses_the_settings() -> None:
    """Minimum, maximum and sensitivity arrive where they matter."""
    ranked = [RankedDocument(place, score, 0.0, 0.0) for place, score in enumerate([0.9, 0.88, 0.2, 0.18, 0.17, 0.16])]

    kept = {
        "default": len(Ranker(table(), Ranking()).cut(ranked)),
        "minimum": len(Ranker(table(), Ranking(min_results=5)).cut(ranked)),
        "maximum": len(Ranker(table(), Ranking(min_results=1, max_results=1)).cut(ranked)),
        "sensitivity": len(Ranker(table(), Ranking(kneedle_sensitivity=20)).cut(ranked)),
    }

    assert kept == {"default": 3, "minimum": 5, "maximum": 1, "sensitivity": 6}
