"""Two things compared: whether a page compares them the other way round, in words or by the figures of each."""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lyra.report.check.numbers import Stated, is_same, stated
from lyra.report.check.opposite_words import stated_words
from lyra.report.check.vocabulary import pattern
from lyra.text import is_japanese

_REMEMBERED = 8192
# Of these axes more is a greater figure; of speed more is a shorter time.
_MEASURED = ("amount", "length", "cost")
_SIGNS = {"+": 1, "-": -1}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`one` is more (`sign` 1) or less (-1) than `other` on an axis; both are the words that only they have."""

    axis: str
    sign: int
    one: frozenset[str]
    other: frozenset[str]


def other_way_round(sentence: str, quote: str) -> bool | None:
    """Whether a quote compares what a sentence compares the other way round; None where it does not compare them."""
    mine = comparison(sentence)
    if mine is None:
        return None
    theirs = comparison(quote)
    if theirs is not None and theirs.axis == mine.axis:
        order = _order(mine, theirs)
        if order:
            return mine.sign * theirs.sign * order < 0
    return None if _tells_difference(sentence, quote) else _by_figures(mine, quote)


def _tells_difference(sentence: str, quote: str) -> bool:
    """Whether the sentence says by how much, with a figure of the quote: that one is no size of either thing."""
    known = stated(quote)
    return any(is_same(one, other) for one in stated(sentence) for other in known if not one.is_year)


@lru_cache(_REMEMBERED)
def comparison(sentence: str) -> Comparison | None:
    """The comparison of a sentence that has a single one, and does not deny it."""
    found = _parts_ja(sentence) if is_japanese(sentence) else _parts(sentence)
    if found is None:
        return None
    one, other, measured, sign = found
    sided = [word for word in stated_words(measured) if word.stem[-1] in _SIGNS]
    if not sign:
        if not sided or any(word.is_denied for word in stated_words(measured)):
            return None
        axis, sign = sided[-1].stem[:-1], _SIGNS[sided[-1].stem[-1]]
    else:
        axis = "amount"
    mine, theirs = _stems(one), _stems(other)
    return Comparison(axis, sign, mine - theirs, theirs - mine) if mine - theirs and theirs - mine else None


def _parts(sentence: str) -> tuple[str, str, str, int] | None:
    """What stands before, what behind, where the words of the axis are, and the sign where the verb gives it."""
    than = list(pattern("comparing", "than").finditer(sentence))
    exceeds = list(pattern("comparing", "exceeds").finditer(sentence))
    if len(than) + len(exceeds) != 1:
        return None
    match = (than or exceeds)[0]
    before, behind = sentence[: match.start()], sentence[match.end() :]
    apart = [one.end() for one in pattern("comparing", "apart").finditer(before)]
    before = before[apart[-1] :] if apart and len(stated_words(before[apart[-1] :])) > 1 else before
    end = pattern("comparing", "behind").search(behind)
    return before, behind[: end.start()] if end else behind, before, 0 if than else 1


def _parts_ja(sentence: str) -> tuple[str, str, str, int] | None:
    names = {"than_ja": 0, "exceeds_ja": 1, "falls_short_ja": -1}
    found = [(match, sign) for name, sign in names.items() for match in pattern("comparing", name).finditer(sentence)]
    if len(found) != 1:
        return None
    match, sign = found[0]
    starts = [one.end() for one in pattern("comparing", "before_ja").finditer(sentence, 0, match.start())]
    start = starts[-1] if starts else 0
    rest = f"{sentence[:start]} {sentence[match.end() :]}"
    return rest, sentence[start : match.start()], sentence[match.end() :], sign


def _order(mine: Comparison, theirs: Comparison) -> int:
    """1 where both name the same thing second, -1 where they are swapped, 0 where that is not clear."""
    kept = bool(mine.other & theirs.other) and not mine.other & theirs.one
    is_swapped = bool(mine.other & theirs.one) and bool(mine.one & theirs.other) and not mine.other & theirs.other
    return int(kept) - int(is_swapped)


def _by_figures(mine: Comparison, quote: str) -> bool | None:
    """By two figures of one kind, each beside the words of one of the two alone."""
    if mine.axis not in (*_MEASURED, "speed"):
        return None
    pieces = [(_stems(piece), one) for piece in _pieces(quote) if (one := _figure(piece)) is not None]
    if len(pieces) != 2 or pieces[0][1].figure.kind != pieces[1][1].figure.kind:
        return None
    alike = pieces[0][0] & pieces[1][0]
    seconds = [one for words, one in pieces if words & mine.other - alike]
    firsts = [one for words, one in pieces if words & mine.one - alike and one not in seconds]
    if len(firsts) != 1 or len(seconds) != 1:
        return None
    first, second = firsts[0], seconds[0]
    a, b = first.figure.value[-1], second.figure.value[-1]
    if a is None or b is None or a == b:
        return None
    if mine.axis == "speed" and not pattern("comparing", "duration").search(first.shown):
        return None
    sign = -mine.sign if mine.axis == "speed" else mine.sign
    return (a - b) * sign < 0


def _pieces(quote: str) -> list[str]:
    ends = [match.start() for match in pattern("comparing", "apart").finditer(quote)]
    return [quote[start:end] for start, end in pairwise([0, *ends, len(quote)])]


def _figure(piece: str) -> Stated | None:
    """The figure of a piece that has a single one, beside years and small counts."""
    found = [one for one in stated(piece) if not one.is_year and not one.is_small_word]
    return found[-1] if found and len({one.figure.kind for one in found}) == len(found) else None


def _stems(text: str) -> frozenset[str]:
    """Content words that are neither figures nor sides of an axis."""
    return frozenset(
        one.stem.rstrip("s")
        for one in stated_words(text)
        if not one.stem.startswith("#") and not re.search(r"[+-]$", one.stem)
    )
