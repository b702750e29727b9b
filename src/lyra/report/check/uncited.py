"""Figures of sentences that cite nothing: compared with the sentence of any source that has the same words, or with the
pages that have most of its words and one of its figures."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from lyra.model.check import CheckStatus, Finding, Source, TextFragment
from lyra.report.check.figures import check_figures, without_figures
from lyra.report.check.layout import Layout, Sentence
from lyra.report.check.numbers import has_figure, stated
from lyra.report.check.opposite_words import sentences_of
from lyra.report.check.parts import without_attribution
from lyra.report.check.statements import NOT_SAID, Aligned, align
from lyra.report.check.unnamed import LikelySources

# Share of a sentence's words, its figures left out, from which a sentence of a page says the same.
SAME_WORDING = 0.8
_LEAST_WORDS = 5
_MOST = 6


class UncitedFigures:
    """Compares figures of sentences that cite nothing with the sentences of all sources that have figures."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources

    def check(self, layout: Layout, sentence: Sentence, quotations: Sequence[tuple[int, int]]) -> list[Finding]:
        """Findings on its figures, where pages have its words; of those that none of them has, the other figure."""
        near = self._near(sentence.plain)
        sources = tuple(dict.fromkeys(one.source for one in near))
        found = check_figures(layout, sentence, sources, near, quotations) if near else []
        kept = [one for one in found if one.status in (CheckStatus.RESOLVED, CheckStatus.OTHER_NUMBER)]
        return kept or self._in_other_words(layout, sentence, quotations)

    def _in_other_words(
        self, layout: Layout, sentence: Sentence, quotations: Sequence[tuple[int, int]]
    ) -> list[Finding]:
        """Figures that no page with the same statement in other words has, where these have another one beside a figure
        of the sentence."""
        own = [one for one in stated(sentence.plain) if not (one.is_year or one.is_small_word)]
        plain = without_attribution(sentence.plain)
        sources = self._likely.of(plain) if own and sentence.is_statement else ()
        near = [
            replace(one, quote=quote, share=max(one.share, NOT_SAID))
            for one in align(plain, sources)
            for quote in sentences_of(one.fragment.text)
            if any(has_figure(figure, quote) for figure in own)
        ]
        found = check_figures(layout, sentence, sources, near, quotations) if near else []
        return [one for one in found if one.status is CheckStatus.OTHER_NUMBER]

    @cached_property
    def _likely(self) -> LikelySources:
        return LikelySources(self._sources)

    def _near(self, sentence: str) -> list[Aligned]:
        """The sentences with most of a sentence's words, best first; none where it has no figure or few words."""
        words = without_figures(sentence)
        if len(words) < _LEAST_WORDS or not any(not (one.is_year or one.is_small_word) for one in stated(sentence)):
            return []
        counts: dict[int, int] = {}
        for word in words:
            for at in self._by_word.get(word, ()):
                counts[at] = counts.get(at, 0) + 1
        best = sorted((-count, at) for at, count in counts.items() if count >= SAME_WORDING * len(words))[:_MOST]
        return [Aligned(*self._places[at][:2], -count / len(words), self._places[at][2]) for count, at in best]

    @cached_property
    def _places(self) -> list[tuple[Source, TextFragment, str]]:
        return [
            (source, fragment, quote)
            for source in self._sources
            for fragment in source.fragments
            for quote in sentences_of(fragment.text)
            if stated(quote)
        ]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for at, (_, _, quote) in enumerate(self._places):
            for word in without_figures(quote):
                found.setdefault(word, []).append(at)
        return found
