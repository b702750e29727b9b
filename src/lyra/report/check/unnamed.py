"""Which pages a sentence without a citation or a name is about: those that have most of its rare words."""

import math
from collections.abc import Sequence
from functools import cached_property

from lyra.model.check import Source, TextFragment
from lyra.report.check.elsewhere import words_of
from lyra.report.check.figures import without_figures
from lyra.text import is_japanese

# Weighted share of a sentence's words, its figures left out, that a passage must have, and how near to the best another
# page must come. Chosen on benchmarks/check_fourth and check_third, where no true sentence is called wrong by it.
_LEAST_SHARE = 0.45
_SHARE_OF_BEST = 0.85
_LEAST_WORDS = 3
_MOST_SOURCES = 3


class LikelySources:
    """The passages of all sources by their words; rare words weigh more."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def of(self, sentence: str) -> tuple[Source, ...]:
        """The sources that have most of a sentence, best first; none where no passage has enough of it."""
        wanted = without_figures(sentence)
        if len(wanted) < _LEAST_WORDS:
            return ()
        scores: dict[int, float] = {}
        for word in words_of(sentence):
            for at in self._by_word.get(word, ()):
                scores[at] = scores.get(at, 0.0) + self._weight(word)
        whole = sum(map(self._weight, wanted))
        best: dict[str, tuple[float, Source]] = {}
        for at, score in scores.items():
            source, fragment = self._passages[at]
            is_same = is_japanese(sentence) == is_japanese(fragment.text)
            if is_same and score > best.get(source.page_id, (0.0, source))[0]:
                best[source.page_id] = (score, source)
        ranked = sorted(best.values(), key=lambda one: -one[0])[:_MOST_SOURCES]
        least = max(_LEAST_SHARE * whole, _SHARE_OF_BEST * ranked[0][0]) if ranked else 0.0
        return tuple(source for score, source in ranked if score >= least)

    def _weight(self, word: str) -> float:
        """Of a word that no passage has it is the greatest."""
        return math.log((len(self._passages) + 1) / (len(self._by_word.get(word, ())) + 1))

    @cached_property
    def _passages(self) -> list[tuple[Source, TextFragment]]:
        return [(source, fragment) for source in self._sources for fragment in source.fragments]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, (_, fragment) in enumerate(self._passages):
            for word in words_of(f"{fragment.heading} {fragment.text}"):
                found.setdefault(word, []).append(at)
        return found
