"""Vectors kept by text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.ml.caches import CachedEmbedder


class Counting:
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
    inner = Counting()
    cached = CachedEmbedder(inner)
    await cached.embed(["HbA1c", "血糖"])

    rows = await cached.embed(["血糖", "dose", "HbA1c", "dose"])

    assert inner.asked == [["HbA1c", "血糖"], ["dose"]]
    assert rows.tolist() == [[2, ord("血")], [4, ord("d")], [5, ord("H")], [4, ord("d")]]


async def test_least_recently_used_goes_first() -> None:
    """The cache is bounded: the vector not used for longest is asked for again."""
    inner = Counting()
    cached = CachedEmbedder(inner, capacity=2)
    await cached.embed(["a", "b"])
    await cached.embed(["a"])
    await cached.embed(["c"])

    await cached.embed(["a", "b"])

    assert inner.asked == [["a", "b"], ["c"], ["b"]]


async def test_more_texts_than_capacity_are_all_answered() -> None:
    """One call may be larger than the cache."""
    cached = CachedEmbedder(Counting(), capacity=1)

    rows = await cached.embed(["a", "bb", "ccc"])

    assert rows[:, 0].tolist() == [1, 2, 3]


async def test_nothing_asked_nothing_answered() -> None:
    """An empty call gives an empty matrix of the right width."""
    cached = CachedEmbedder(Counting())

    rows = await cached.embed([])

    assert rows.shape == (0, 2)
    assert (cached.model_id, cached.dimension) == ("counting@1", 2)
