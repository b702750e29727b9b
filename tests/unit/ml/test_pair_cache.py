"""Judgements kept by pair."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.ml.pair_cache import CachedEntailer


class Counting:
    """An entailer that remembers what it was asked; a pair's logits are the lengths of its texts and 0."""

    model_id = "counting@1"

    def __init__(self) -> None:
        self.asked: list[list[tuple[str, str]]] = []

    async def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked.append(list(pairs))
        return np.array([[len(one), len(other), 0] for one, other in pairs], np.float32)


async def test_a_pair_is_judged_once() -> None:
    """Asked again, alone or twice in one call, it is answered from memory, and rows stay in order."""
    inner = Counting()
    cached = CachedEntailer(inner)
    await cached.logits([("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")])

    rows = await cached.logits([("a", "bb"), ("ccc", "d"), ("ccc", "d"), ("HbA1cは低下した。", "HbA1c fell.")])

    assert inner.asked == [[("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")], [("ccc", "d")]]
    assert rows.tolist() == [[1, 2, 0], [3, 1, 0], [3, 1, 0], [11, 11, 0]]


async def test_premise_and_hypothesis_are_not_confused() -> None:
    """The same letters parted elsewhere, or the two sides exchanged, are another pair."""
    inner = Counting()
    cached = CachedEntailer(inner)

    rows = await cached.logits([("ab", "c"), ("a", "bc"), ("c", "ab")])

    assert len(inner.asked[0]) == 3
    assert rows.tolist() == [[2, 1, 0], [1, 2, 0], [1, 2, 0]]


async def test_least_recently_used_goes_first() -> None:
    """The memory is bounded; a call may be larger than it."""
    inner = Counting()
    cached = CachedEntailer(inner, capacity=2)
    await cached.logits([("a", "x"), ("b", "x"), ("c", "x")])

    await cached.logits([("b", "x"), ("c", "x"), ("a", "x")])

    assert inner.asked[1] == [("a", "x")]


async def test_nothing_asked_nothing_answered() -> None:
    """An empty call asks nobody and gives an empty matrix of the right width."""
    inner = Counting()
    cached = CachedEntailer(inner)

    rows = await cached.logits([])

    assert (rows.shape, inner.asked, cached.model_id) == ((0, 3), [], "counting@1")
