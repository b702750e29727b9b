"""Vectors and judgements kept by what was asked."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.ml.caches import CachedEmbedder, CachedReader
from lyra.ml.cascade import Cascade


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


class CountingReader:
    """A reader that remembers what it was asked; a pair's answers are the lengths of its texts."""

    name = "small"
    model_id = "counting@1"

    def __init__(self) -> None:
        self.asked: list[list[tuple[str, str]]] = []

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked.append(list(pairs))
        return np.array([(len(text), len(claim)) for text, claim in pairs], np.float32)


async def test_a_pair_is_judged_once() -> None:
    """Asked again, alone or twice in one call, it is answered from memory, and answers stay in order."""
    inner = CountingReader()
    cached = CachedReader(inner)
    await cached.answers([("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")])

    found = await cached.answers([("a", "bb"), ("ccc", "d"), ("ccc", "d"), ("HbA1cは低下した。", "HbA1c fell.")])

    assert inner.asked == [[("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")], [("ccc", "d")]]
    assert found.tolist() == [[1, 2], [3, 1], [3, 1], [11, 11]]
    assert (cached.name, cached.model_id) == ("small", "counting@1")


async def test_text_and_claim_are_not_confused() -> None:
    """The same letters parted elsewhere, or the two sides exchanged, are another pair."""
    inner = CountingReader()
    cached = CachedReader(inner)

    found = await cached.answers([("ab", "c"), ("a", "bc"), ("c", "ab")])

    assert len(inner.asked[0]) == 3
    assert found.tolist() == [[2, 1], [1, 2], [1, 2]]


async def test_least_recently_used_answer_goes_first() -> None:
    """The memory is bounded; a call may be larger than it."""
    inner = CountingReader()
    cached = CachedReader(inner, capacity=2)
    await cached.answers([("a", "x"), ("b", "x"), ("c", "x")])

    await cached.answers([("b", "x"), ("c", "x"), ("a", "x")])

    assert inner.asked[1] == [("a", "x")]


async def test_no_pairs_no_answers() -> None:
    """An empty call asks nobody and gives an empty matrix."""
    inner = CountingReader()
    cached = CachedReader(inner)

    found = await cached.answers([])

    assert (found.shape, inner.asked) == ((0, 2), [])


async def test_kept_answers_do_not_change_which_pairs_are_read_again() -> None:
    """Of a batch the large reader rechecks two at most, whether or not a pair was answered before: the same batch gives
    the same answers in a fresh process."""
    pairs = [(f"text {at}", "claim") for at in range(4)]
    fresh, used = (
        Cascade(CachedReader(Surely("small")), CachedReader(Surely("large")), {}),
        Cascade(CachedReader(Surely("small")), CachedReader(Surely("large")), {}),
    )
    await used.read(pairs[:1], [False])

    found = await used.read(pairs, [False] * 4)

    assert [one.reader for one in found] == ["large", "large", "small", "small"]
    assert found == await fresh.read(pairs, [False] * 4)


class Surely:
    """A reader that sees a contradiction in every pair."""

    model_id = "surely@1"

    def __init__(self, name: str) -> None:
        self.name = name

    async def answers(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return np.array([(4.0, -4.0)] * len(pairs), np.float32)
