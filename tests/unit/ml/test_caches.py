"""Vectors and judgements kept by what was asked."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.ml.caches import CachedEmbedder, CachedReaders
from lyra.model.edge import ReaderAnswer


class CountingEmbedder:
    """An embedder that remembers what it was asked; a text's vector is its length and its first code point."""

    model_id = "counting@1"
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        return np.array([[len(text), ord(text[0])] for text in texts], np.float32).reshape(len(texts), 2)


async def test_text_is_asked_once() -> None:
    """The second call asks only for what is new, and rows stay in the order of the texts."""
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed(["HbA1c", "血糖"])

    rows = await cached.embed(["血糖", "dose", "HbA1c", "dose"])

    assert inner.asked == [["HbA1c", "血糖"], ["dose"]]
    assert rows.tolist() == [[2, ord("血")], [4, ord("d")], [5, ord("H")], [4, ord("d")]]


async def test_least_recently_used_goes_first() -> None:
    """The cache is bounded: the vector not used for longest is asked for again."""
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.embed(["a", "b"])
    await cached.embed(["a"])
    await cached.embed(["c"])

    await cached.embed(["a", "b"])

    assert inner.asked == [["a", "b"], ["c"], ["b"]]


async def test_more_texts_than_capacity_are_all_answered() -> None:
    """One call may be larger than the cache."""
    cached = CachedEmbedder(CountingEmbedder(), capacity=1)

    rows = await cached.embed(["a", "bb", "ccc"])

    assert rows[:, 0].tolist() == [1, 2, 3]


async def test_nothing_asked_nothing_answered() -> None:
    """An empty call gives an empty matrix of the right width."""
    cached = CachedEmbedder(CountingEmbedder())

    rows = await cached.embed([])

    assert rows.shape == (0, 2)
    assert (cached.model_id, cached.dimension) == ("counting@1", 2)


def answer(bears: float, side: float) -> ReaderAnswer:
    return ReaderAnswer(bears, side, "small", "counting@1")


class CountingReaders:
    """Readers that remember what they were asked; a pair's answers are the lengths of its texts."""

    def __init__(self) -> None:
        self.asked: list[list[tuple[str, str]]] = []

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        self.asked.append(list(pairs))
        return [answer(len(text), len(claim)) for text, claim in pairs]


async def test_a_pair_is_judged_once() -> None:
    """Asked again, alone or twice in one call, it is answered from memory, and answers stay in order."""
    inner = CountingReaders()
    cached = CachedReaders(inner)
    await cached.read([("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")])

    found = await cached.read([("a", "bb"), ("ccc", "d"), ("ccc", "d"), ("HbA1cは低下した。", "HbA1c fell.")])

    assert inner.asked == [[("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")], [("ccc", "d")]]
    assert found == [answer(1, 2), answer(3, 1), answer(3, 1), answer(11, 11)]


async def test_text_and_claim_are_not_confused() -> None:
    """The same letters parted elsewhere, or the two sides exchanged, are another pair."""
    inner = CountingReaders()
    cached = CachedReaders(inner)

    found = await cached.read([("ab", "c"), ("a", "bc"), ("c", "ab")])

    assert len(inner.asked[0]) == 3
    assert found == [answer(2, 1), answer(1, 2), answer(1, 2)]


async def test_least_recently_used_answer_goes_first() -> None:
    """The memory is bounded; a call may be larger than it."""
    inner = CountingReaders()
    cached = CachedReaders(inner, capacity=2)
    await cached.read([("a", "x"), ("b", "x"), ("c", "x")])

    await cached.read([("b", "x"), ("c", "x"), ("a", "x")])

    assert inner.asked[1] == [("a", "x")]


async def test_no_pairs_no_answers() -> None:
    """An empty call asks nobody and gives an empty list."""
    inner = CountingReaders()
    cached = CachedReaders(inner)

    found = await cached.read([])

    assert (found, inner.asked) == ([], [])


async def test_a_pair_that_gains_weight_is_asked_again() -> None:
    """Another reader may decide it then; the answer without weight is kept apart."""
    inner = CountingReaders()
    cached = CachedReaders(inner)

    await cached.read([("a", "bb")], [False])
    await cached.read([("a", "bb")], [True])
    await cached.read([("a", "bb")], [False])

    assert inner.asked == [[("a", "bb")], [("a", "bb")]]
