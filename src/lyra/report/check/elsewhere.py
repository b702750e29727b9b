"""Whether another source than the cited one has what a sentence says: words that few passages have weigh more."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lyra.claims.words import matching_words
from lyra.model.check import Source, TextFragment

_REMEMBERED = 16_384
# Chosen on benchmarks/check_second: all 19 sentences with a swapped source had a gap of 0.27 or more; of 298 true ones
# one reached both bounds where neither its wording nor a reader spoke for it. Titles were not counted then.
_GAP = 0.25
_SAID_ELSEWHERE = 0.45
_HARDLY_ANYTHING = 0.12

words_of = lru_cache(_REMEMBERED)(matching_words)


@dataclass(frozen=True, slots=True)
class SourceComparison:
    """The weighted share of a sentence's words that the cited sources have at most, and the others, with the place."""

    own: float
    other: float
    source: Source | None = None
    fragment: TextFragment | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether another source has far more of it."""
        return self.other >= _SAID_ELSEWHERE and self.other - self.own >= _GAP

    @property
    def is_hardly_shared(self) -> bool:
        """Whether the cited sources have hardly a word of it."""
        return self.own < _HARDLY_ANYTHING


def compare_sources(sentence: str, own: Sequence[Source], others: Sequence[Source]) -> SourceComparison:
    """How much of a sentence its sources have, their titles and names included, and how much any other one."""
    wanted = words_of(sentence)
    weights = _weights(wanted, (*own, *others))
    whole = sum(weights.values())
    if not whole:
        return SourceComparison(1.0, 0.0)
    mine = max((_share(weights, one, each) for one in own for each in one.fragments), default=0.0)
    scored = [(_share(weights, one, each), at, one, each) for at, one in enumerate(others) for each in one.fragments]
    theirs, _, source, fragment = max(scored, key=lambda one: (one[0], -one[1]), default=(0.0, 0, None, None))
    return SourceComparison(mine / whole, theirs / whole, source, fragment)


def _weights(wanted: frozenset[str], sources: Sequence[Source]) -> dict[str, float]:
    """The weight of each word: the logarithm of how few passages have it."""
    passages = [words_of(_text(each)) for one in sources for each in one.fragments]
    return {
        word: math.log((len(passages) + 1) / (1 + sum(word in each for each in passages))) for word in sorted(wanted)
    }


def _share(weights: Mapping[str, float], source: Source, fragment: TextFragment) -> float:
    known = words_of(_text(fragment)) | words_of(" ".join((source.title, source.site_name, *source.authors)))
    return sum(weight for word, weight in weights.items() if word in known)


def _text(fragment: TextFragment) -> str:
    return f"{fragment.heading} {fragment.text}"
