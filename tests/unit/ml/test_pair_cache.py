"""Judgements kept by pair."""

from collections.abc import Sequence

from lyra.ml.caches import CachedReaders
from lyra.model.edge import ReaderAnswer


def answer(bears: float, side: float) -> ReaderAnswer:
    return ReaderAnswer(bears, side, "small", "counting@1")


class Counting:
    """Readers that remember what they were asked; a pair's answers are the lengths of its texts."""

    def __init__(self) -> None:
        self.asked: list[list[tuple[str, str]]] = []

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        self.asked.append(list(pairs))
        return [answer(len(text), len(claim)) for text, claim in pairs]


async def test_a_pair_is_judged_once() -> None:
    """Asked again, alone or twice in one call, it is answered from memory, and answers stay in order."""
    inner = Counting()
    cached = CachedReaders(inner)
    await cached.read([("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")])

    found = await cached.read([("a", "bb"), ("ccc", "d"), ("ccc", "d"), ("HbA1cは低下した。", "HbA1c fell.")])

    assert inner.asked == [[("HbA1cは低下した。", "HbA1c fell."), ("a", "bb")], [("ccc", "d")]]
    assert found == [answer(1, 2), answer(3, 1), answer(3, 1), answer(11, 11)]


async def test_text_and_claim_are_not_confused() -> None:
    """The same letters parted elsewhere, or the two sides exchanged, are another pair."""
    inner = Counting()
    cached = CachedReaders(inner)

    found = await cached.read([("ab", "c"), ("a", "bc"), ("c", "ab")])

    assert len(inner.asked[0]) == 3
    assert found == [answer(2, 1), answer(1, 2), answer(1, 2)]


async def test_least_recently_used_goes_first() -> None:
    """The memory is bounded; a call may be larger than it."""
    inner = Counting()
    cached = CachedReaders(inner, capacity=2)
    await cached.read([("a", "x"), ("b", "x"), ("c", "x")])

    await cached.read([("b", "x"), ("c", "x"), ("a", "x")])

    assert inner.asked[1] == [("a", "x")]


async def test_nothing_asked_nothing_answered() -> None:
    """An empty call asks nobody and gives an empty list."""
    inner = Counting()
    cached = CachedReaders(inner)

    found = await cached.read([])

    assert (found, inner.asked) == ([], [])


async def test_a_pair_that_gains_weight_is_asked_again() -> None:
    """Another reader may decide it then; the answer without weight is kept apart."""
    inner = Counting()
    cached = CachedReaders(inner)

    await cached.read([("a", "bb")], [False])
    await cached.read([("a", "bb")], [True])
    await cached.read([("a", "bb")], [False])

    assert inner.asked == [[("a", "bb")], [("a", "bb")]]
