"""The ranking as a whole, with an embedder whose meaning is a table."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.rank.ranker import RankedDocument, Ranker
from lyra.settings import Ranking

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
