"""Whether a source says what a sentence says: how much of it the source has, and which side the reader takes.

The readers alone call one true sentence in ten refuted, so that a contradiction needs a second sign: another count of
negations, another direction, figures in the other order, an opposite that the reader prefers, or that both readings are
sure. What the page says the other way round amid the same words (`mirrored`) needs no reader.
"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from lyra.claims.sentences import sentence_spans
from lyra.claims.windows import Setting
from lyra.claims.words import directions, matching_words, negations
from lyra.model.check import CheckStatus, DecidingPassage, Source, TextFragment
from lyra.model.edge import Relation, Stance
from lyra.report.check.mirrored import amount_sides, mirrored
from lyra.report.check.numbers import change_side, has_figure, keeps_order, stated, turned_round
from lyra.report.check.opposites import opposites
from lyra.report.check.quotations import passage
from lyra.text import is_japanese

# Shares of the sentence's words that the best passage has. Of 57 true sentences of the texts for tuning none had less
# than 0.53; of other sources cited in the same texts one in twelve had 0.5 or more.
SAID = 0.5
NOT_SAID = 0.4
BETTER_ELSEWHERE = 0.15
# From here on the wording is so near that only its sense can be wrong.
VERBATIM = 0.75
REFUTED = 0.55
SURELY_REFUTED = 0.7
SURELY_NEUTRAL = 0.8
_PREFERRED = 0.2
_LEAST_WORDS = 4
_MOST_OPPOSITES = 4
_REMEMBERED = 16_384


class Judge(Protocol):
    """The product's stance judge."""

    async def judge(
        self,
        pairs: Sequence[tuple[str, str]],
        settings: Sequence[Setting] | None = None,
        weighty: Sequence[bool] | None = None,
    ) -> list[Stance]:
        """The stance of each text towards its claim."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """The passage of a source that has most of a sentence's words; `share` of them, `quote` its nearest sentence."""

    source: Source
    fragment: TextFragment
    share: float
    quote: str

    @property
    def passage(self) -> DecidingPassage:
        return passage(self.source, self.fragment, self.quote)


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a sentence; `elsewhere` is a source that says it better than those that it cites."""

    status: CheckStatus
    passage: DecidingPassage | None
    elsewhere: Aligned | None = None


words_of = lru_cache(_REMEMBERED)(matching_words)


def align(sentence: str, sources: Sequence[Source], most: int = 3) -> list[Aligned]:
    """The passages that have most of the sentence's words, best first."""
    wanted = words_of(sentence)
    if not wanted:
        return []
    shares = [
        (len(wanted & words_of(f"{fragment.heading} {fragment.text}")) / len(wanted), -at, source, fragment)
        for source in sources
        for at, fragment in enumerate(source.fragments)
    ]
    best = sorted(shares, key=lambda one: (one[0], one[1]), reverse=True)[:most]
    return [Aligned(source, fragment, share, _nearest(wanted, fragment.text)) for share, _, source, fragment in best]


def _nearest(wanted: frozenset[str], text: str) -> str:
    spans = sentence_spans(text)
    return max((text[slice(*span)] for span in spans), key=lambda one: len(wanted & words_of(one)), default=text)


def is_checkable(sentence: str, names: Iterable[str] = ()) -> bool:
    """Whether a sentence says enough by itself, beside the names of authors, to be looked for in a source."""
    return len(words_of(sentence) - {word for name in names for word in words_of(name)}) >= _LEAST_WORDS


async def judge_sentences(
    judge: Judge, sentences: Sequence[tuple[str, Sequence[Aligned], Sequence[Source]]], *, is_weighty: bool = True
) -> list[Judged]:
    """Of each sentence with the passages of its sources, and the other sources of the task, what came of it."""
    asked: list[tuple[str, str]] = []
    settings: list[Setting] = []
    spans: list[tuple[int, int]] = []
    for sentence, aligned, _ in sentences:
        pairs, around = _questions(sentence, aligned, is_weighty=is_weighty)
        spans.append((len(asked), len(asked) + len(pairs)))
        asked += pairs
        settings += around
    stances = await judge.judge(asked, settings, [is_weighty] * len(asked)) if asked else []
    return [
        await asyncio.to_thread(_decide, sentence, aligned, others, stances[start:end])
        for (sentence, aligned, others), (start, end) in zip(sentences, spans, strict=True)
    ]


def _questions(
    sentence: str, aligned: Sequence[Aligned], *, is_weighty: bool
) -> tuple[list[tuple[str, str]], list[Setting]]:
    """The passage with its heading, the nearest sentence alone, and that sentence for each opposite.

    Where the wording is so near that only its sense can be wrong no opposite is asked about, and in long texts nothing.
    """
    if not aligned:
        return [], []
    best = aligned[0]
    is_verbatim = best.share >= VERBATIM and not signs_differ(sentence, best.quote)
    if is_verbatim and not is_weighty:
        return [], []
    turned = () if is_verbatim else opposites(sentence)[:_MOST_OPPOSITES]
    pairs = [(best.fragment.text, sentence), (best.quote, sentence), *((best.quote, one) for one in turned)]
    return pairs, [Setting(best.source.title, best.fragment.heading), *([Setting()] * (len(pairs) - 1))]


def _decide(sentence: str, aligned: Sequence[Aligned], others: Sequence[Source], stances: Sequence[Stance]) -> Judged:
    if not aligned:
        return Judged(CheckStatus.NOT_CHECKED, None)
    best = aligned[0]
    if any(turned_round(sentence, one.quote) for one in aligned if one.share >= SAID):
        return Judged(CheckStatus.CONTRADICTED, best.passage)
    goes_the_other_way = _goes_the_other_way(sentence, best)
    is_supported = any(one.label is Relation.SUPPORTS for one in stances[:2])
    opposite = _mirrored(sentence, aligned, is_supported=is_supported)
    is_refuted = goes_the_other_way is not False and _is_contradicted(sentence, best, stances)
    if goes_the_other_way or opposite is not None or is_refuted:
        return Judged(CheckStatus.CONTRADICTED, opposite or best.passage)
    if is_supported or best.share >= SAID or _has_its_figures(sentence, best.quote):
        return Judged(CheckStatus.RESOLVED, best.passage)
    if is_japanese(sentence) != is_japanese(best.fragment.text):
        return Judged(CheckStatus.NOT_CHECKED, best.passage)
    elsewhere = next(iter(align(sentence, others, 1)), None)
    is_better = elsewhere is not None and elsewhere.share >= max(SAID, best.share + BETTER_ELSEWHERE)
    if best.share < NOT_SAID or is_better or stances[0].probabilities[2] >= SURELY_NEUTRAL:
        return Judged(CheckStatus.UNSUPPORTED, best.passage, elsewhere if is_better else None)
    return Judged(CheckStatus.RESOLVED, best.passage)


def _goes_the_other_way(sentence: str, best: Aligned) -> bool | None:
    """Whether the sentence says up, in nearly the page's words, where the page's figures go down, or the other way.

    None where no figures tell.
    """
    side, mine = change_side(best.quote), amount_sides(sentence)
    if not side or len(mine) != 1 or best.share < VERBATIM:
        return None
    if keeps_order(sentence, best.quote) or mine & amount_sides(best.quote):
        return False
    return side not in mine


def _has_its_figures(sentence: str, quote: str) -> bool:
    """Whether the nearest sentence has all figures of one that has several: it tells the same in other words."""
    figures = [one for one in stated(sentence) if not one.is_small_word]
    return len(figures) > 1 and all(has_figure(one, quote) for one in figures)


def _mirrored(sentence: str, aligned: Sequence[Aligned], *, is_supported: bool) -> DecidingPassage | None:
    """Where a source says the opposite; a reader that finds support in another sentence than that one is believed."""
    found = mirrored(sentence, tuple(dict.fromkeys(one.source for one in aligned)))
    if found is None or keeps_order(sentence, found.quote) or (is_supported and found.quote != aligned[0].quote):
        return None
    return passage(found.source, found.fragment, found.quote)


def _is_contradicted(sentence: str, best: Aligned, stances: Sequence[Stance]) -> bool:
    if not stances or best.share < NOT_SAID or keeps_order(sentence, best.quote):
        return False
    whole, alone = (stances[at].probabilities[1] for at in (0, 1))
    if min(whole, alone) >= SURELY_REFUTED:
        return True
    own = max(one.probabilities[0] for one in stances[:2])
    turned = max((one.probabilities[0] for one in stances[2:]), default=0.0)
    is_signed = signs_differ(sentence, best.quote) or turned >= own + _PREFERRED
    return is_signed and (whole + alone) / 2 >= REFUTED


def signs_differ(sentence: str, quote: str) -> bool:
    """Whether one says no, or up, where the other does not."""
    if _negations(sentence) % 2 != _negations(quote) % 2:
        return True
    mine, theirs = directions(sentence), directions(quote)
    return bool(mine) and bool(theirs) and set(mine) != set(theirs)


def _negations(text: str) -> int:
    return negations(_NO_LIMIT.sub(" ", text))


# "No fewer than ten" and 少ない deny nothing.
_NO_LIMIT = re.compile(
    r"\b(?:no|not) (?:fewer|less|more|later|earlier) than\b|\bnot only\b|少な[いくか]", re.IGNORECASE
)
