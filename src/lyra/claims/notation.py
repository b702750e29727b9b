"""One notation for what is equal: a text's figures as the claim writes them, before a reader sees both.

The readers take 5万1270円 for another sum than 51,270円, 令和5年度 for another year than 2023年度 and "two in five" for
another share than "40%". So numbers, shares, dates, times, fiscal years and measures are found on both sides, and one
of the text that equals one of the claim is written as the claim writes it. Years of eras become years of the Western
calendar on both sides. Where the claim says "about", a share that rounds to its own is written so, too, and multiples
become the rise or fall that the claim tells of (見込みの1.29倍 becomes 見込みより約3割多い水準). A figure within a
range of the claim's is written as that range. Figures of another value stay as they stand: to write them in the
claim's way, too, made the readers of Japanese take the opposite side more often.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from lyra.text import nfkc
from lyra.word_lists import WordLists, word_lists

_DIMENSIONS = ("length", "mass", "duration", "calendar", "volume")
_REMEMBERED = 4096  # claims, and texts that several claims with figures are compared with
_EXACT = 1e-9
# "A third" is 33 %, and five pounds are 2.27 kg: such values are rounded; shares by points, others by parts of them.
_ROUNDED_SHARE = 0.5
_ROUNDED_PART = 0.002
# What "about" leaves room for in shares at most, in points and as a part: from 28 to 32 for 30 %.
_ABOUT_POINTS = 2.0
_ABOUT_PART = 0.07
_LONGEST_MARK = 20  # of the words that say "about", in characters
_ALONE_NO_NUMBER = frozenset({"one", "zero"})  # "one of them" counts nothing
_NOON = 12
_LARGEST = 1e15  # beyond it a float no longer tells two whole numbers apart


class Figure(NamedTuple):
    """A quantity or a time at a place in a text; `value` is in one form for all notations of its kind."""

    start: int
    end: int
    kind: str
    value: tuple[float | None, ...]
    tolerance: float = _EXACT

    def equals(self, other: "Figure") -> bool:
        """Whether both mean the same."""
        if self.kind != other.kind or len(self.value) != len(other.value):
            return False
        tolerance = max(self.tolerance, other.tolerance)
        return all(_is_near(one, two, tolerance) for one, two in zip(self.value, other.value, strict=True))


class _Read(NamedTuple):
    text: str
    figures: tuple[Figure, ...]


class _Claimed(NamedTuple):
    """A figure of a claim as it is written there, alone and with the words that make it approximate.

    `sign` is 1 for a share by which something rises, -1 for one by which it falls, else 0.
    """

    figure: Figure
    written: str
    marked: str
    sign: int

    @property
    def is_about(self) -> bool:
        """Whether the claim gives it as an approximate one."""
        return self.marked != self.written

    def means(self, other: Figure) -> bool:
        """Whether the other is equal or, where the claim says about, a share that rounds to this one."""
        if self.figure.equals(other):
            return True
        own, its = self.figure.value[0], other.value[0]
        if not self.is_about or not self.figure.kind == other.kind == "share" or own is None or its is None:
            return False
        if its > own and _lists().pattern("below").search(self.marked):
            return False
        step = math.inf if self.figure.tolerance > _EXACT else _last_digit(own)
        return abs(own - its) <= min(step / 2, _ABOUT_POINTS, _ABOUT_PART * own) + _EXACT


Groups = Mapping[str, str]
_Edits = dict[tuple[int, int], str]  # what is to stand at a place instead
Finding = tuple[tuple[float | None, ...], float] | None


def in_one_notation(text: str, claim: str) -> tuple[str, str]:
    """Both with Western years, and the text's figures written as the claim writes those that are equal."""
    plain_claim, claimed = _claimed(claim)
    if not claimed:
        return _with_western_years(text), plain_claim
    plain, found = _read(text)
    edits = _as_ranges(plain, found, plain_claim, claimed)
    edits |= _as_claimed(plain, found, claimed) | _with_changes(plain, claimed)
    parts, end = [], 0
    for start, stop in sorted(edits, key=lambda place: (place[0], -place[1])):
        if start >= end:
            parts += [plain[end:start], edits[start, stop]]
            end = stop
    return "".join([*parts, plain[end:]]), plain_claim


def figures(text: str) -> tuple[Figure, ...]:
    """The figures of a text with Western years, in order; of those that begin at one place the kind that says more."""
    found: list[Figure] = []
    end = 0
    for beginning in _lists().pattern("beginning").finditer(text):
        figure = _figure_at(text, beginning.start()) if beginning.start() >= end else None
        if figure:
            found.append(figure)
            end = figure.end
    return tuple(found)


def western_figures(text: str) -> tuple[str, tuple[Figure, ...]]:
    """A text in normal form with Western years, and the figures in it."""
    return _read(text)


def western_places(text: str) -> tuple[tuple[int, int], ...]:
    """For each character of the normal form with Western years, the stretch of the text that it stands for."""
    plain = nfkc(text)
    folded = [(at, at + 1) for at in range(len(text))] if plain == text else _folded_places(text)
    if len(folded) != len(plain):  # letters that only grow together in the whole text
        return ((0, len(text)),) * len(_with_western_years(text))
    found: list[tuple[int, int]] = []
    end = 0
    for match in _lists().pattern("era_year").finditer(plain) if "年" in plain else ():
        written = _with_western_years(match[0] + "年")[:-1]
        found += folded[end : match.start()]
        found += [(folded[match.start()][0], folded[match.end() - 1][1])] * len(written)
        end = match.end()
    return (*found, *folded[end:])


def _folded_places(text: str) -> list[tuple[int, int]]:
    """The same for the normal form alone; a sign of voicing belongs to the letter before it."""
    starts = [at for at, char in enumerate(text) if not at or not unicodedata.combining(nfkc(char)[:1] or char)]
    ends = [*starts[1:], *([len(text)] if starts else [])]
    return [span for span in zip(starts, ends, strict=True) for _ in nfkc(text[slice(*span)])]


def _as_claimed(plain: str, found: Sequence[Figure], claimed: Sequence[_Claimed]) -> _Edits:
    """Figures that equal one of the claim, and those that round to one that the text does not have."""
    equal: _Edits = {}
    rounded: _Edits = {}
    for one in claimed:
        same = [each for each in found if one.figure.equals(each)]
        for each in same:
            equal.setdefault((each.start, each.end), one.written)
        for each in () if same else _of_one_value(plain, one, found):
            is_marked = _marked(plain, each) != (each.start, each.end)
            rounded.setdefault((each.start, each.end), one.written if is_marked else one.marked)
    return rounded | equal


def _as_ranges(plain: str, found: Sequence[Figure], claim: str, claimed: Sequence[_Claimed]) -> _Edits:
    """Figures within a range of the claim, in its unit, as that range; none where the text has two such values."""
    edits: _Edits = {}
    for low, high in pairwise(one.figure for one in claimed):
        unit = _unit_behind(claim, high)
        if not unit or not _is_range(claim, low, high):
            continue
        inside = [each for each in found if each.kind == high.kind and _unit_behind(plain, each) == unit]
        inside = [each for each in _outside_intervals(plain, inside) if _is_within(each, low, high)]
        if len({each.value for each in inside}) == 1:
            edits |= {(each.start, each.end): claim[low.start : high.end] for each in inside}
    return edits


def _is_range(claim: str, low: Figure, high: Figure) -> bool:
    """Whether a claim gives two figures as the ends of a range."""
    if high.kind not in ("share", "number") or low.kind not in ("number", high.kind):
        return False
    between, before = claim[low.end : high.start], claim[: low.start]
    lists = _lists()
    is_joined = lists.pattern("range_to").fullmatch(between) is not None or (
        lists.pattern("range_and").fullmatch(between) is not None
        and lists.pattern("range_before").search(before) is not None
    )
    return is_joined and (low.value[0] or 0.0) < (high.value[0] or 0.0)


def _is_within(each: Figure, low: Figure, high: Figure) -> bool:
    value = each.value[0]
    return value is not None and (low.value[0] or 0.0) <= value <= (high.value[0] or 0.0)


def _unit_behind(text: str, figure: Figure) -> str:
    """The unit that a number has behind it; that of a share is within it."""
    if figure.kind == "share":
        return "%"
    match = _lists().pattern("unit_behind").match(text, figure.end)
    return _groups(match)["unit"].casefold().removesuffix("s") if match else ""


def _with_changes(plain: str, claimed: Sequence[_Claimed]) -> _Edits:
    """Multiples with, or as, the rise or fall by a share that they mean, where the claim tells of that."""
    edits: _Edits = {}
    for one in (each for each in claimed if each.sign):
        changes = _changes(plain, one.sign)
        for each in _of_one_value(plain, one, changes):
            match = changes[each]
            said = _lists().words(f"{'rise' if one.sign > 0 else 'fall'}_{match.lastgroup}")[0]
            share = one.marked if one.is_about else _groups(match).get("mark", "") + one.written
            edits[match.span()] = said.format(multiple=match[0], share=share)
    return edits


def _of_one_value(plain: str, one: _Claimed, found: Iterable[Figure]) -> list[Figure]:
    """Those that a claim's figure means, outside of intervals; none where their values differ from each other."""
    near = _outside_intervals(plain, [each for each in found if one.means(each)])
    return near if len({each.value for each in near}) == 1 else []


def _outside_intervals(plain: str, found: Sequence[Figure]) -> list[Figure]:
    intervals = [match.span() for match in _lists().pattern("interval").finditer(plain)] if found else []
    return [each for each in found if not any(start <= each.start < end for start, end in intervals)]


def _changes(plain: str, sign: int) -> dict[Figure, re.Match[str]]:
    """The multiples that mean a rise, or a fall, by the share that they mean: 29 percent for 1.29 times."""
    changes = {}
    for match in _lists().pattern("multiple").finditer(plain):
        times = _number(_groups(match)["times"])
        if times is not None and (times - 1) * sign > 0:
            changes[Figure(*match.span(), "share", (round(100 * abs(times - 1), 6),))] = match
    return changes


@lru_cache(_REMEMBERED)
def _claimed(claim: str) -> tuple[str, tuple[_Claimed, ...]]:
    plain, found = _read(claim)
    return plain, tuple(_as_told(plain, one) for one in found)


def _as_told(plain: str, figure: Figure) -> _Claimed:
    """A figure of a claim with what the words around it make of it."""
    start, end = _marked(plain, figure)
    before, after = plain[: figure.start], plain[figure.end :]
    rises, falls = (
        bool(_lists().pattern(f"{kind}_before").search(before) or _lists().pattern(f"{kind}_after").search(after))
        for kind in ("rise", "fall")
    )
    sign = rises - falls if figure.kind == "share" else 0
    marked = plain[start : figure.start].lower() + plain[figure.start : end]
    return _Claimed(figure, plain[figure.start : figure.end], marked, sign)


def _marked(plain: str, figure: Figure) -> tuple[int, int]:
    """Where a figure stands with the words that make it approximate."""
    before = _lists().pattern("about_before").search(plain[max(0, figure.start - _LONGEST_MARK) : figure.start])
    after = _lists().pattern("about_after").match(plain[figure.end : figure.end + _LONGEST_MARK])
    return figure.start - (len(before[0]) if before else 0), figure.end + (len(after[0]) if after else 0)


def _last_digit(value: float) -> float:
    """What one of the last digit counts that is not zero: 10 in 30, 1 in 15, 0.1 in 29.5."""
    whole, _, decimals = f"{value:.6f}".rstrip("0").partition(".")
    return 10.0 ** (-len(decimals) if decimals else len(whole) - len(whole.rstrip("0")))


def _figure_at(text: str, place: int) -> Figure | None:
    for kind, value_of in _KINDS.items():
        match = _lists().pattern(kind).match(text, place)
        value = value_of(_groups(match)) if match else None
        if match and value:
            return Figure(place, match.end(), kind, *value)
    return None


@lru_cache(_REMEMBERED)
def _read(text: str) -> _Read:
    plain = _with_western_years(text)
    return _Read(plain, figures(plain))


def _with_western_years(text: str) -> str:
    """令和5年 and R5年 become 2023年, 平成元年 1989年; 3・4%, as newspapers write it, 3.4%."""

    def western(match: re.Match[str]) -> str:
        told = _groups(match)
        count = 1.0 if told["count"] == "元" else _number(told["count"])
        return match[0] if count is None else f"{_lists().numbers('eras')[told['era'].upper()] + count:.0f}"

    plain = nfkc(text)
    if "・" in plain:
        plain = _lists().pattern("decimal_dot").sub(".", plain)
    return _lists().pattern("era_year").sub(western, plain) if "年" in plain else plain


@cache
def _lists() -> WordLists:
    return word_lists("lyra.claims", "notation", "en", "ja")


def _groups(match: re.Match[str]) -> dict[str, str]:
    """What the groups hold that took part, by what they mean: their name up to the first underscore."""
    return {name.split("_")[0]: value for name, value in match.groupdict().items() if value is not None}


def _is_near(one: float | None, two: float | None, tolerance: float) -> bool:
    if one is None or two is None:
        return one is two
    return abs(one - two) <= tolerance * max(1.0, abs(one) if tolerance < _ROUNDED_SHARE else 1.0)


def _number_value(told: Groups) -> Finding:
    if "short" in told:
        scale = _lists().numbers("short_scales")[told["scale"].lower()]
        return (float(told["short"].replace(",", "")) * scale,), _EXACT
    value = None if told["number"].lower() in _ALONE_NO_NUMBER else _number(told["number"])
    return None if value is None else ((value,), _EXACT)


def _share_value(told: Groups) -> Finding:
    """In percent."""
    if "half" in told:
        return (50.0,), _EXACT
    if "percent" in told:
        percent = _number(told["percent"])
        return None if percent is None else ((percent,), _EXACT)
    if "tenths" in told:
        parts = (_number(told["tenths"]), _number(told.get("hundredths", "0")))
        return None if None in parts else ((10 * (parts[0] or 0) + (parts[1] or 0),), _EXACT)
    if "denominator" in told:
        above: float | None = 1.0 if told["count"].lower() in ("a", "an") else _number(told["count"])
        below: float | None = _lists().numbers("denominators")[told["denominator"].lower()]
    else:
        above, below = _number(told.get("above") or told["few"]), _number(told.get("below") or told["many"])
    if above is None or not below or above > below:
        return None
    return (100 * above / below,), _ROUNDED_SHARE


def _date_value(told: Groups) -> Finding:
    """Year, month and day; what is not said is None."""
    month = _lists().numbers("months").get(told["month"].lower().rstrip("."))
    if month is None:
        month = _number(told["month"])
    day = _number(told["day"].rstrip("stndrh")) if "day" in told else None
    return (_number(told["year"]) if "year" in told else None, month, day), _EXACT


def _time_value(told: Groups) -> Finding:
    """In minutes after midnight."""
    hour, minute = _number(told["hour"]), 30.0 if "half" in told else _number(told.get("minute", "0"))
    if hour is None or minute is None:
        return None
    part = told.get("halfday", "").lower()
    if part:
        hour = hour % _NOON + (_NOON if part[0] in "p午" and part != "午前" else 0)
    return (60 * hour + minute,), _EXACT


def _fiscal_year_value(told: Groups) -> Finding:
    return (float(told["year"]),), _EXACT


def _quarter_value(told: Groups) -> Finding:
    ordinal = told.get("ordinal", "").lower()
    return (_lists().numbers("ordinals")[ordinal] if ordinal else _number(told["quarter"]),), _EXACT


def _measure_value(told: Groups) -> Finding:
    """What it measures, and how much in the smallest unit; a bare 3 m or 5 g is one, too."""
    amount = 1.0 if told["amount"].lower() in ("a", "an") else _number(told["amount"])
    if amount is None:
        return None
    unit = told["unit"].lower()
    plain = {"年": "年間", "日": "日間"}.get(unit, unit) if "half" in told else unit
    for place, dimension in enumerate(_DIMENSIONS):
        size = _lists().numbers(dimension).get(plain)
        if size is not None:
            is_rounded = plain in _lists().words("rounded_units")
            total = (amount + (0.5 if "half" in told else 0.0)) * size
            return (float(place), total), _ROUNDED_PART if is_rounded else _EXACT
    return None


# Those that say more go first: the number in a date is not a number of its own.
_KINDS: Mapping[str, Callable[[Groups], Finding]] = {
    "date": _date_value,
    "time": _time_value,
    "fiscal_year": _fiscal_year_value,
    "quarter": _quarter_value,
    "share": _share_value,
    "measure": _measure_value,
    "number": _number_value,
}


def _number(text: str) -> float | None:
    """The value of a number in figures, words or kanji; None where it is none, or larger than anything counts."""
    compact = text.replace(",", "").strip().lower()
    if re.fullmatch(r"\d+(?:\.\d+)?", compact):
        value: float | None = float(compact)
    elif re.search(r"[〇零一二三四五六七八九十百千万億兆]", compact):
        value = _kanji_number(compact)
    else:
        value = _spelled_number(compact)
    return None if value is None or value > _LARGEST else value


def _spelled_number(text: str) -> float | None:
    """51.27 thousand, fifty-one thousand two hundred and seventy, a dozen, twenty-three hundred."""
    small, scales = _lists().numbers("small_numbers"), _lists().numbers("scales")
    total = group = 0.0
    for word in re.findall(r"[\d.]+|[a-z]+", text):
        if word in small:
            group += small[word]
        elif word in scales and scales[word] < scales["thousand"]:
            group = (group or 1.0) * scales[word]
        elif word in scales:
            total, group = total + (group or 1.0) * scales[word], 0.0
        elif re.fullmatch(r"\d+(?:\.\d+)?", word):
            group += float(word)
        elif word not in ("a", "an", "and"):
            return None
    return total + group


def _kanji_number(text: str) -> float | None:
    """1億2000万, 5万1270, 五万一千二百七十, 二〇二三, 一四・二."""
    digits, tens, myriads = (_lists().numbers(f"kanji_{name}") for name in ("digits", "tens", "myriads"))
    whole, _, decimals = text.partition("・")
    if not any(sign in tens or sign in myriads for sign in whole):
        figure = "".join(str(int(digits[sign])) for sign in whole)
        return float(f"{figure}.{''.join(str(int(digits[sign])) for sign in decimals)}") if decimals else float(figure)
    total = group = 0.0
    last: float | None = None
    for part in _signs(whole):
        if part in myriads:
            total, group, last = total + (group + (last or 0.0) or 1.0) * myriads[part], 0.0, None
        elif part in tens:
            group, last = group + (1.0 if last is None else last) * tens[part], None
        else:
            last = digits[part] if part in digits else float(part)
    return total + group + (last or 0.0)


def _signs(text: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(r"\d+(?:\.\d+)?|\D", text))
