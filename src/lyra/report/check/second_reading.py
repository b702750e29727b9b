"""A second reading of sentences by the strong reader, where the user has one.

It is asked once for each sentence, about the nearest sentence of the source between its neighbours: of Japanese
reversed statements it heard twice as many so as beside the nearest sentence alone. Its answer is averaged with that of
the large reader.
"""

from collections.abc import Sequence

from lyra.model.check import CheckStatus
from lyra.model.edge import STRONG_READER, Stance
from lyra.report.check.mirrored import sentences_of
from lyra.report.check.signs import plain_limits
from lyra.report.check.statements import Aligned, Judge, Judged
from lyra.text import is_japanese

# What it must say of a sentence that nothing else finds contradicted. Chosen on a part of benchmarks/check_third and
# check_fourth with the strong reader 2.0.0: of 96 true sentences none is refuted with more than 0.44.
_REFUTED, _LEFT = 0.5, 0.3
# How far it must support one that only the other readers find contradicted, and one that rules do: of 26 true sentences
# that were called contradicted it supports 14 and 6 as far, of 22 reversed ones that were found none.
_LEAST_SUPPORT, _SUPPORTED = 0.3, 0.5
_AGAINST_RULES, _LEFT_OF_RULES = 0.6, 0.3
_NEIGHBOURS = 1


async def read_again(
    judge: Judge, sentences: Sequence[tuple[str, Sequence[Aligned]]], judged: Sequence[Judged]
) -> list[Judged]:
    """What came of each sentence, as the strong reader leaves it; the same where it did not answer."""
    places = [at for at, (sentence, aligned) in enumerate(sentences) if _can_be_asked(sentence, aligned)]
    pairs = [(_passage_of(sentences[at][1][0]), plain_limits(sentences[at][0])) for at in places]
    stances = dict(zip(places, await judge.judge(pairs) if pairs else [], strict=True))
    return [
        _reconsidered(one, stances[at], sentences[at][1][0]) if at in stances else one for at, one in enumerate(judged)
    ]


def _can_be_asked(sentence: str, aligned: Sequence[Aligned]) -> bool:
    return bool(aligned) and is_japanese(sentence) == is_japanese(aligned[0].fragment.text)


def _passage_of(one: Aligned) -> str:
    """The nearest sentence with the one before and the one behind it."""
    told = sentences_of(one.fragment.text)
    at = told.index(one.quote) if one.quote in told else 0
    return " ".join(told[max(0, at - _NEIGHBOURS) : at + 1 + _NEIGHBOURS])


def _reconsidered(judged: Judged, stance: Stance, best: Aligned) -> Judged:
    if stance.reader != STRONG_READER:
        return judged
    supports, refutes, _ = stance.probabilities
    if judged.status is not CheckStatus.CONTRADICTED:
        is_refuted = refutes >= _REFUTED and supports <= _LEFT
        return Judged(CheckStatus.CONTRADICTED, best.passage) if is_refuted else judged
    is_liked = supports >= _LEAST_SUPPORT and refutes < _REFUTED and judged.is_by_readers
    if not is_liked and (supports < _AGAINST_RULES or refutes > _LEFT_OF_RULES):
        return judged
    is_said = supports >= _SUPPORTED
    return Judged(CheckStatus.RESOLVED if is_said else CheckStatus.NOT_CHECKED, best.passage, is_open=not is_said)
