"""Whether a figure follows from those of one sentence of a source: as a sum, a difference, a part or in other units."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from lyra.report.check.numbers import INEXACT_PART, Stated, changes, is_coarse, is_rounding, stated
from lyra.report.check.vocabulary import lists, pattern

_REMEMBERED = 8192
# Of so few figures any two may be taken together; of more only those that stand side by side.
_MOST_COMBINED = 4
# What a share in words or tenths leaves room for, in percentage points; one in percent is rounded to its last digit.
_COARSE_POINTS = 3.0
_EXACT = 1e-6
# Of smaller counts too many shares are near to some share.
_LEAST_COUNT = 10
_BEHIND = 12


@dataclass(frozen=True, slots=True)
class _Quantity:
    """A figure of a sentence with what is counted, and the factor of its unit, where that is one of area."""

    value: float
    kind: str
    counted: str
    factor: float | None
    # Whether an enumeration goes on behind it.
    joins: bool


def follows(one: Stated, behind: str, quote: str) -> bool:
    """Whether a figure follows from a sentence of the source; `behind` are the words that stand behind it."""
    known = quantities(quote)
    value = one.figure.value[-1]
    if value is None or one.is_year or one.figure.kind == "date" or not known:
        return False
    if one.figure.kind != "share" and any(
        _is_equal(value, each, one) for each in (*_sums(known), *_differences(known))
    ):
        return True
    return _is_part(value, one, known) or _is_multiple(value, one, behind, known)


@lru_cache(_REMEMBERED)
def quantities(text: str) -> tuple[_Quantity, ...]:
    """The figures of a text that can be calculated with: no years and no dates."""
    found: list[_Quantity] = []
    for one in stated(text):
        value = one.figure.value[-1]
        if value is not None and not one.is_year and one.figure.kind in ("number", "measure", "share"):
            behind = text[one.span[1] : one.span[1] + _BEHIND]
            joins = pattern("figures", "joining").match(behind) is not None
            found.append(_Quantity(value, one.figure.kind, _counted(behind), _area_factor(behind), joins))
    return tuple(found)


def _counted(behind: str) -> str:
    """The first word behind a figure, in Japanese its first character: what is counted."""
    match = re.match(r"\s?([^\W\d_]+)", behind)
    return "" if match is None else match[1].casefold() if match[1].isascii() else match[1][0]


def _area_factor(behind: str) -> float | None:
    plain = behind.strip().casefold()
    known = lists("figures").numbers("areas").items()
    return next((factor for unit, factor in known if plain.startswith(unit)), None)


def _sums(known: Sequence[_Quantity]) -> Iterator[float]:
    """Of all that count the same, and of an enumeration: figures of one kind that stand side by side."""
    counted = {one.counted for one in known if one.counted}
    groups = [[one for one in known if one.counted == each and one.kind != "share"] for each in sorted(counted)]
    groups += [run for run in _runs(known) if run[0].kind != "share"]
    yield from (sum(one.value for one in group) for group in groups if len(group) > 1)


def _runs(known: Sequence[_Quantity]) -> list[list[_Quantity]]:
    """Figures of one kind that are enumerated: 29, 33 and 30 times."""
    runs: list[list[_Quantity]] = []
    for one, before in zip(known, (None, *known), strict=False):
        joins = before is not None and before.kind == one.kind and before.joins
        runs = [*runs[:-1], [*runs[-1], one]] if joins and runs else [*runs, [one]]
    return runs


def _differences(known: Sequence[_Quantity]) -> Iterator[float]:
    for one, other in _pairs(known):
        if one.kind == other.kind:
            yield abs(one.value - other.value)


def _pairs(known: Sequence[_Quantity]) -> list[tuple[_Quantity, _Quantity]]:
    return list(combinations(known, 2)) if len(known) <= _MOST_COMBINED else list(pairwise(known))


def _is_part(value: float, one: Stated, known: Sequence[_Quantity]) -> bool:
    """Whether a share is that of one figure in another, or what one of them changed by to become the other."""
    if one.figure.kind != "share":
        return False
    room = _COARSE_POINTS if is_coarse(one) else INEXACT_PART * value if one.is_inexact else _last_digit(one) / 2
    counts = [each for each in known if is_coarse(one) or (each.kind != "share" and each.value >= _LEAST_COUNT)]
    ranges = [(min(a.value, b.value), max(a.value, b.value)) for a, b in _pairs(counts) if a.kind == b.kind]
    parts = [100 * each for low, high in ranges if low > 0 for each in (low / high, 1 - low / high, high / low - 1)]
    return any(abs(each - value) <= room for each in parts)


def _is_multiple(value: float, one: Stated, behind: str, known: Sequence[_Quantity]) -> bool:
    """Whether a figure says how many times as much, or how much for each, one figure is of another."""
    if not pattern("figures", "times_behind").match(behind):
        return False
    pairs = [(a.value, b.value) for a, b in _pairs(known) if a.kind == b.kind]
    ratios = [max(a, b) / min(a, b) for a, b in pairs if min(a, b) > 0]
    if one.is_inexact and value.is_integer() and any(value <= each < value + 1 for each in ratios):
        return True  # more than twice as many
    return any(_is_equal(value, each, one) or is_rounding(value, each, one) for each in ratios)


def is_miscalculated(one: Stated, sentence: str) -> bool:
    """Whether a sentence goes from one figure to another, and says of these how many times as much it is, wrongly."""
    value, behind = one.figure.value[-1], sentence[one.span[1] : one.span[1] + _BEHIND]
    changed = [each for pair in changes(sentence) for each in pair if each.span != one.span]
    if value is None or len(changed) != 2 or not pattern("figures", "multiple_behind").match(behind):
        return False
    return not _is_multiple(value, one, behind, quantities(sentence[: one.span[0]]))


def _last_digit(one: Stated) -> float:
    """What the last digit of a figure stands for: 0.1 of 2.7."""
    decimals = re.search(r"\d[.．](\d+)", one.text)
    return 10.0 ** -len(decimals[1]) if decimals else 1.0


def is_converted(one: Stated, behind: str, quote: str) -> bool:
    """Whether a figure is an area of the sentence in another unit: 1.64 square kilometres for 164 hectares."""
    factor, value = _area_factor(behind), one.figure.value[-1]
    areas = [each.value * each.factor for each in quantities(quote) if each.factor is not None]
    if factor is None or value is None:
        return False
    return any(_is_equal(value, area / factor, one) or is_rounding(value, area / factor, one) for area in areas)


def _is_equal(value: float, known: float, one: Stated) -> bool:
    room = INEXACT_PART * value if one.is_inexact else _EXACT * max(1.0, value)
    return abs(value - known) <= room
