"""Readers by size: a small one answers for every pair, a large one those that may bear on the claim, and a strong one,
where there is one, those of which the large one does not say that they are surely silent.

A text that surely says nothing about a claim, as most do, costs the small reader alone (seed 004 §3.3). Where a reader
fails the others go on without it, and `troubles` says so; one that has never answered is not asked again.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lyra.errors import ModelError
from lyra.ml.protocols import Reader
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER, ReaderAnswer, without_page
from lyra.text import is_japanese

# From this chance of the small reader that a text refutes a found claim the large one is asked too; of a batch, which
# is a page, no more than so many.
_RECHECK_FROM = 0.7
_MAX_RECHECKS = 2
# exp of it is as good as 0, and of its opposite still a float.
_LEAST_LOGIT = -700.0


def pair_language(text: str, claim: str) -> str:
    """The language whose threshold holds for a pair; a heading without kana is Japanese too."""
    return "ja" if any(is_japanese(one) or _is_mostly_han(one) for one in (text, claim)) else "en"


def _is_mostly_han(text: str) -> bool:
    letters = [one for one in text if one.isalpha()]
    return 2 * sum("\u3400" <= one <= "\u9fff" for one in letters) > len(letters)


class Cascade:
    """By language, `asks_from` is the small reader's raw chance that a text bears on the claim, from which the large
    one is asked, and `strong_from` the large one's, from which the strong one is. Where the large one is missing, the
    small one's chance stands for its."""

    def __init__(
        self,
        small: Reader,
        large: Reader | None,
        asks_from: Mapping[str, float],
        strong: Reader | None = None,
        strong_from: Mapping[str, float] | None = None,
    ) -> None:
        self._small = small
        self._large = large
        self._strong = strong
        self._least = {language: _logit(chance) for language, chance in asks_from.items()}
        self._strong_from = strong_from or {}
        self._failed: dict[str, str] = {}
        self._left_without: dict[str, int] = {}
        self._worked: set[str] = set()

    @property
    def model_ids(self) -> dict[str, str]:
        """The readers at work, by name."""
        readers = [one for one in (self._small, self._large, self._strong) if one is not None]
        return {one.name: one.model_id for one in readers if one.name not in self._failed}

    def troubles(self) -> tuple[str, ...]:
        """Readers that failed, and why; of those at work again, how many pairs were judged without them."""
        missed = {name: count for name, count in self._left_without.items() if name not in self._failed}
        return (
            *(f"The {name} reader is out of use: {why}" for name, why in self._failed.items()),
            *(f"The {name} reader failed for a while: pairs judged without it: {n}." for name, n in missed.items()),
        )

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        """One answer per pair, in order; `ModelError` where no reader is left. What a text tells of its page beforehand
        is given to the strong one alone.

        `weighty` (all by default) are the pairs worth the time of larger readers: the large one takes ten times that of
        the small one, the strong one ten times that of the large one.
        """
        if not pairs:
            return []
        chosen = weighty or [True] * len(pairs)
        found: dict[int, ReaderAnswer] = await self._asked(self._small, pairs, range(len(pairs)))
        if self._large:
            found |= await self._asked(self._large, pairs, self._open(pairs, found, chosen))
        if self._strong:
            decided = await self._asked(self._strong, pairs, self._left_open(pairs, found, chosen))
            found |= {at: _after(one, found.get(at)) for at, one in decided.items()}
        if len(found) < len(pairs):
            why = " ".join(dict.fromkeys(self._failed.values()))
            raise ModelError(f"No reader can judge: {why}", remedy="Run `lyra doctor`; reinstall the reader it names.")
        return [found[at] for at in range(len(pairs))]

    def _open(
        self, pairs: Sequence[tuple[str, str]], found: Mapping[int, ReaderAnswer], weighty: Sequence[bool]
    ) -> list[int]:
        """The places at which the large reader is asked: weighty pairs that may bear, and of the others the few where
        the small one most surely sees a contradiction, for most of those are none.

        A text that holds the claim to the letter needs no second reader: every claim that was found meets the sentence
        it was taken from."""
        left = [at for at, (text, claim) in enumerate(pairs) if at in found and claim not in text]
        open_ = [at for at in range(len(pairs)) if at not in found]
        open_ += [at for at in left if weighty[at] and found[at].bears >= _least_of(self._least, pairs[at])]
        seen = [at for at in left if not weighty[at] and _refute_probability(found[at]) >= _RECHECK_FROM]
        return sorted(open_ + sorted(seen, key=lambda at: -_refute_probability(found[at]))[:_MAX_RECHECKS])

    def _left_open(
        self, pairs: Sequence[tuple[str, str]], found: Mapping[int, ReaderAnswer], weighty: Sequence[bool]
    ) -> list[int]:
        """The places at which the strong reader is asked: weighty pairs that may bear, as far as anybody said.

        What only the small reader has seen is surely silent, or the large one is missing."""
        return [
            at
            for at, pair in enumerate(pairs)
            if weighty[at] and pair[1] not in pair[0] and (at not in found or self._may_bear(pair, found[at]))
        ]

    def _may_bear(self, pair: tuple[str, str], answer: ReaderAnswer) -> bool:
        """Whether the last answer leaves a pair open; the small reader's does only where the large one is missing."""
        is_last = answer.reader != SMALL_READER or self._large is None or self._large.name in self._failed
        return is_last and _chance(answer.bears) >= self._strong_from.get(pair_language(*pair), 0.0)

    async def _asked(
        self, reader: Reader, pairs: Sequence[tuple[str, str]], places: Sequence[int]
    ) -> dict[int, ReaderAnswer]:
        """The reader's answers at these places; none where it fails."""
        if not places or (reader.name in self._failed and reader.name not in self._worked):
            return {}
        try:
            is_told = reader.name == STRONG_READER
            rows = await reader.answers(
                [pairs[at] if is_told else (without_page(pairs[at][0]), pairs[at][1]) for at in places]
            )
        except ModelError as exc:
            self._failed[reader.name] = exc.message
            self._left_without[reader.name] = self._left_without.get(reader.name, 0) + len(places)
            return {}
        self._worked.add(reader.name)
        self._failed.pop(reader.name, None)
        return {
            at: ReaderAnswer(float(bears), float(side), reader.name, reader.model_id)
            for at, (bears, side) in zip(places, rows.tolist(), strict=True)
        }


def _least_of(least: Mapping[str, float], pair: tuple[str, str]) -> float:
    return least.get(pair_language(*pair), -math.inf)


def _refute_probability(answer: ReaderAnswer) -> float:
    """The reader's own chance that the text refutes the claim."""
    return _chance(answer.bears) * _chance(-answer.side)


def _after(answer: ReaderAnswer, earlier: ReaderAnswer | None) -> ReaderAnswer:
    """The answer with that of the large reader, where it was asked before."""
    return replace(answer, earlier=earlier) if earlier is not None and earlier.reader == LARGE_READER else answer


def _chance(logit: float) -> float:
    """Of a logit of any size."""
    return 1 / (1 + math.exp(-logit)) if logit > 0 else 1 - 1 / (1 + math.exp(max(logit, _LEAST_LOGIT)))


def _logit(chance: float) -> float:
    if chance <= 0:
        return -math.inf
    return math.inf if chance >= 1 else math.log(chance / (1 - chance))
