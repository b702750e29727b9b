"""Amounts with their unit, in one form for English and Japanese."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from lyra.text import nfkc
from lyra.word_lists import WordLists, word_lists

# Read from its first digit to its last or not at all, so that a thousand digits of pi cost no more than their length.
_DIGITS = r"(?<!\d)\d[\d,]*+(?:\.\d++)?"
# Which patterns that ignore case take for an i, and no table of words does.
_LATIN_I = str.maketrans("ıİ", "iI")


@dataclass(frozen=True, slots=True)
class Amount:
    """From `low` to `high` of a unit; both are the same where one figure is given.

    `bound` is 1 where that much or more is meant, −1 where that much or less, else 0.
    """

    low: float
    high: float
    unit: str
    bound: int = 0


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What is built of the words of both languages; `units` are named in the order of the groups of `amount`."""

    amount: re.Pattern[str]
    compound: re.Pattern[str]
    units: tuple[str, ...]
    scales: Mapping[str, float]
    values: Mapping[str, float]


def _lists() -> WordLists:
    return word_lists("lyra.claims", "quantities", "en", "ja")


@cache
def _patterns() -> _Patterns:
    lists = _lists()
    units = lists.groups("units")
    unit = "|".join(f"(?P<u{at}>{'|'.join(names)})" for at, names in enumerate(units.values()))
    part = rf"(?:[-−]?{_DIGITS}|{lists.part('number_word')})"
    sign = lists.part("scale_signs")
    amount = re.compile(
        rf"(?P<low>{part})\s*(?P<scale_low>{sign})?"
        rf"(?:\s*(?:{lists.part('range_words')}|[-–—~〜～])\s*(?P<high>{part}))?"
        rf"\s*(?P<scale>{sign}|{lists.part('scale_word')})?\s*(?:{unit})",
        re.IGNORECASE,
    )
    higher, lower = lists.part("higher_scales"), lists.part("lower_scales")
    return _Patterns(
        amount,
        re.compile(rf"({_DIGITS})({higher})(\d[\d,]*)({lower})?"),
        tuple(units),
        {**lists.numbers("scales"), **lists.numbers("scale_signs")},
        {**lists.numbers("whole_numbers"), **lists.numbers("part_numbers"), **lists.numbers("kanji_numbers")},
    )


def amounts(text: str) -> tuple[Amount, ...]:
    """Every amount that has a unit, shares in percent; what only says how sure a figure is is left out."""
    sure = _lists().pattern("how_sure").sub(" ", nfkc(text).translate(_LATIN_I))
    plain = _patterns().compound.sub(_joined, sure)
    found = [_amount(match, plain) for match in _patterns().amount.finditer(plain)]
    return (*found, *(_share(match) for match in _lists().pattern("fraction").finditer(plain)))


def _joined(match: re.Match[str]) -> str:
    high, scale, low, lower = match.groups()
    scales = _patterns().scales
    return f"{_value(high) * scales[scale] + _value(low) * scales.get(lower or '', 1.0):.0f}"


def _share(match: re.Match[str]) -> Amount:
    """A fraction in percent."""
    told = match.groupdict()
    if told["d"]:
        part = _value("one" if told["n"].lower() in ("a", "an") else told["n"])
        whole = float(_lists().numbers("denominators")[told["d"].lower()])
    elif told["one"]:
        part, whole = _value(told["one"]), _value(told["of"])
    else:
        part, whole = float(told["nj"] or told["onej"]), float(told["dj"] or told["ofj"])
    value = 100 * part / whole if whole else 0.0
    return Amount(value, value, "%")


def _bound(match: re.Match[str], text: str) -> int:
    before, after = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 6]
    lists = _lists()
    if lists.pattern("least_before").search(before) or lists.pattern("least_after").search(after):
        return -1 if lists.pattern("not_more").search(before) else 1
    return -1 if lists.pattern("most_before").search(before) or lists.pattern("most_after").search(after) else 0


def _amount(match: re.Match[str], text: str) -> Amount:
    patterns = _patterns()
    unit = next(name for at, name in enumerate(patterns.units) if match.group(f"u{at}") is not None)
    scale = patterns.scales.get((match.group("scale") or match.group("scale_low") or "").lower(), 1.0)
    low = _value(match.group("low")) * scale
    high = _value(match.group("high")) * scale if match.group("high") else low
    if unit == "tenth":
        unit, low, high = "%", 10 * low, 10 * high
    return Amount(min(low, high), max(low, high), unit, _bound(match, text))


def _value(text: str) -> float:
    named = _patterns().values.get(text.lower())
    return abs(float(text.replace(",", "").replace("−", "-"))) if named is None else float(named)
