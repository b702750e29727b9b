"""The figures of a sentence, and whether its sources have them: in any notation, rounded, or calculated from two."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from lyra.claims.notation import Figure, western_figures, western_places
from lyra.claims.words import numbers
from lyra.report.check.vocabulary import lists, pattern
from lyra.text import is_japanese

# What "about" leaves room for, as a part of the figure.
INEXACT_PART = 0.1
# What rounding leaves room for: 81 may stand for 81.4.
_ROUNDED = 0.5
# What tenths and fractions in words leave room for, in percentage points: 三割 for 31 %.
_COARSE_SHARE = 2.0
_BASES = (100.0, 1_000.0, 10_000.0, 100_000.0)
_GREATEST_RATIO = 5.0
_SMALL = 3
_COUNTED = 12
# Of so few figures the difference of any two is accepted.
_MOST_SUBTRACTED = 4
# A figure may have so many digits where the source gives "about" or "over half".
_COARSE = 2
_REMEMBERED = 8192
_NO_SHARE = re.compile(
    r"(?P<few>\S+)\s+in\s+(?P<many>(?:1[5-9]|20|21)\d\d)|(?P<few_2>\d+\.\d+)\s+(?:in|of)\s+(?P<many_2>\d+)"
)
_MINUS = re.compile(r"(?<![\dA-Za-z%％)）])(?:[−▲△]|(?<![^\s(（\[［、，：は])[-－])$")
# Kinds of figures that may be one, written alike: 80 and 80 %, 38 and 38 minutes; 6 and June are none.
_WRITTEN_ALIKE = ({"number"}, {"number", "share"}, {"number", "measure"})
_FIRST_YEAR, _LAST_YEAR = 1500, 2200


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure of a sentence; `text` is how it is written there in normal form, `parts` the plain numbers in it.

    `span` is where it stands in the sentence as it was given, and `shown` what stands there, with its minus sign.
    """

    figure: Figure
    text: str
    parts: frozenset[str]
    is_inexact: bool
    span: tuple[int, int]
    shown: str
    is_level: bool
    is_japanese: bool = False
    # A month or a day of the calendar without the rest of its date: 6月, 26日, the 26th.
    is_calendar: bool = False

    @property
    def is_year(self) -> bool:
        kind, value = self.figure.kind, self.figure.value
        is_plain = kind == "number" and value[0] is not None and _FIRST_YEAR < value[0] < _LAST_YEAR
        return kind == "fiscal_year" or (is_plain and bool(re.fullmatch(r"\d{4}", self.text)))

    @property
    def is_small_word(self) -> bool:
        """One, two, three: counts of the author's own, such as "two studies"."""
        value = self.figure.value[0]
        return self.figure.kind == "number" and value is not None and value <= _SMALL and not self.text[0].isdigit()

    @property
    def is_counted_word(self) -> bool:
        """A plain number up to twelve in words, which an author may have calculated; Japanese has digits for words."""
        value = self.figure.value[0]
        is_word = not self.text[0].isdigit() or self.is_japanese
        is_count = self.figure.kind == "number" and value is not None and value <= _COUNTED and is_word
        return is_count or bool(pattern("figures", "span_in_words").fullmatch(self.text))


@lru_cache(_REMEMBERED)
def stated(text: str) -> tuple[Stated, ...]:
    """The figures of a text that count or measure something; those that are part of a name are left out."""
    plain, found = western_figures(text)
    places = western_places(text) if found else ()
    kept: list[Stated] = []
    is_ja = is_japanese(text)
    for one in (part for figure in found for part in _parted(plain, figure)):
        before, after = plain[max(0, one.start - 30) : one.start], plain[one.end : one.end + 12]
        written = plain[one.start : one.end]
        is_name = pattern("figures", "name_before").search(before) or re.match(
            r"[-‐]?[A-Za-z]{2,}\d|[A-Za-z]\b(?!\s)", after
        )
        if (is_name and one.kind == "number") or pattern("figures", "unit_in_words").fullmatch(before[-4:] + written):
            continue
        is_inexact = bool(
            pattern("figures", "inexact_before").search(before) or pattern("figures", "inexact_after").search(after)
        )
        is_level = bool(pattern("figures", "level_after").search(after))
        is_calendar = one.kind == "number" and bool(pattern("figures", "calendar_after").match(after))
        span = (places[one.start][0], places[one.end - 1][1])
        shown = text[span[0] - _signs_before(text, span[0]) : span[1]]
        kept.append(Stated(one, written, numbers(written), is_inexact, span, shown, is_level, is_ja, is_calendar))
    return tuple(kept)


def _signs_before(text: str, start: int) -> int:
    """One where a minus sign stands before a place, and none where it is a dash between two figures or words."""
    return int(bool(_MINUS.search(text[max(0, start - 2) : start])))


def _parted(plain: str, figure: Figure) -> list[Figure]:
    """46 in 2022 and 2.1 in 14 are no shares, but two figures each."""
    match = _NO_SHARE.fullmatch(plain, figure.start, figure.end) if figure.kind == "share" else None
    if match is None:
        return [figure]
    names = [name for name, value in match.groupdict().items() if value is not None]
    pieces = [(match.start(name), western_figures(match[name])[1]) for name in names]
    return [one._replace(start=at + one.start, end=at + one.end) for at, read in pieces for one in read]


def is_same(one: Stated, other: Stated) -> bool:
    """Whether two figures mean the same, whatever their notation; "about" leaves room on either side."""
    if one.is_calendar or other.is_calendar:
        return _is_same_in_calendar(one, other)
    if one.figure.equals(other.figure):
        return True
    if one.figure.kind == other.figure.kind == "date":
        return _is_part_of_date(one.figure.value, other.figure.value)
    if one.figure.kind == other.figure.kind and len(one.figure.value) == len(other.figure.value):
        pairs = zip(one.figure.value, other.figure.value, strict=True)
        return all(_is_near(a, b, one, other) for a, b in pairs)
    if {one.figure.kind, other.figure.kind} in _WRITTEN_ALIKE:
        return bool(one.parts) and one.parts == other.parts  # 80 and 80 %, 38 and 38 minutes
    return False


def _is_same_in_calendar(one: Stated, other: Stated) -> bool:
    """Whether a month or day is that of another date; 6 times are not June."""
    if one.is_calendar and other.figure.kind == "date":
        return one.figure.value[0] in other.figure.value[1:]
    return one.is_calendar == other.is_calendar and one.figure.equals(other.figure)


def _is_part_of_date(stated_parts: tuple[float | None, ...], known: tuple[float | None, ...]) -> bool:
    """Whether a date says no more than another but for its year: May 2020 for 3 May 2020, 3 May 2020 for 3 May."""
    pairs = list(zip(stated_parts, known, strict=True))
    is_same_day = all(a is None or a == b for a, b in pairs[1:])
    return is_same_day and pairs[1][0] is not None and (None in pairs[0] or pairs[0][0] == pairs[0][1])


def _is_near(a: float | None, b: float | None, one: Stated, other: Stated) -> bool:
    if a is None or b is None:
        return a is b
    if is_coarse(one) and abs(a - b) <= _COARSE_SHARE:
        return True
    room = INEXACT_PART if one.is_inexact or (other.is_inexact and _is_no_finer(one, other)) else 0.0
    return abs(a - b) <= room * max(abs(a), abs(b)) + 1e-9 or is_rounding(a, b, one)


def _is_no_finer(one: Stated, other: Stated) -> bool:
    """Whether a figure claims no more than "about" gives: 48 for "over half", but not 48.3."""
    return len(_digits(one)) <= max(_COARSE, len(_digits(other)))


def _digits(one: Stated) -> str:
    return re.sub(r"\D", "", one.text).lstrip("0").rstrip("0")


def is_rounding(value: float, known: float, one: Stated) -> bool:
    """41 for 41.3, 3.8 million for 3,812,440: fewer digits of the same figure; years are never rounded."""
    if one.is_year or value == 0:
        return False
    digits = len(_digits(one))
    return digits > 1 and _significant(known, digits) == _significant(value, digits)


def _significant(value: float, digits: int) -> str:
    return f"{value:.{max(0, digits - 1)}e}"


def has_figure(one: Stated, text: str) -> bool:
    """Whether a text has a figure, also as the difference or the change of two figures in it."""
    known = stated(text)
    if any(is_same(one, other) for other in known):
        return True
    if (
        one.figure.kind == "share"
        and len(one.parts) > 1
        and one.parts <= {part for other in known for part in other.parts}
    ):
        return True  # 22 of 24, where the source says 22 of the 24
    return _is_calculated(one, text) or _is_share_given_otherwise(one, known) or _is_in_units(one, known, text)


def _is_in_units(one: Stated, known: Iterable[Stated], text: str) -> bool:
    """97 in a table in millions for 97 million."""
    value, plain = one.figure.value[-1], text.casefold()
    factors = [factor for unit, factor in lists("figures").numbers("table_units").items() if unit in plain]
    if value is None or one.figure.kind not in ("number", "measure") or not factors:
        return False
    numbers = [other.figure.value[0] for other in known if other.figure.kind == "number" and not other.is_year]
    return any(each is not None and _is_near(value, each * factor, one, one) for each in numbers for factor in factors)


def _is_share_given_otherwise(one: Stated, known: Iterable[Stated]) -> bool:
    """3.1 percent for 31 of every 1,000, or 41 percent more for a ratio of 1.41."""
    value = one.figure.value[-1]
    if one.figure.kind != "share" or value is None:
        return False
    numbers = [other.figure.value[0] for other in known if other.figure.kind == "number" and not other.is_year]
    values = [each for each in numbers if each is not None]
    room = _COARSE_SHARE if is_coarse(one) else 0.05 * value if one.is_inexact else 1e-6
    shares = [100 * each / base for base in _BASES if base in values for each in values if each < base]
    ratios = [each for each in values if 0 < each < _GREATEST_RATIO and each != int(each)]
    as_percent = [*(abs(100 * (each - 1)) for each in ratios), *(100 * each for each in ratios if each < 1)]
    return any(abs(each - value) <= max(room, 1e-6) for each in (*shares, *as_percent))


def is_coarse(one: Stated) -> bool:
    """Whether a share is given in tenths or as a fraction in words, which leaves room by itself."""
    return not re.search(r"[%％]|per\s?cent|(?<!半)分", one.text) and one.figure.kind == "share" and len(one.parts) < 2


def _is_calculated(one: Stated, text: str) -> bool:
    """The difference, or the change in percent, of two figures between which the text says that something changed."""
    value = one.figure.value[-1]
    if value is None or one.is_year:
        return False
    known = [other for other in stated(text) if not other.is_year]
    few = list(combinations(known, 2)) if len(known) <= _MOST_SUBTRACTED else []
    if any(_is_difference(one, first, second) for first, second in few):
        return True
    for first, second in _changes(text):
        a, b = first.figure.value[-1], second.figure.value[-1]
        if a is None or b is None or first.is_year:
            continue
        room = max(INEXACT_PART * value if one.is_inexact else _ROUNDED, _COARSE_SHARE if is_coarse(one) else 0.0)
        if one.figure.kind == first.figure.kind and abs(abs(a - b) - value) <= 0.005 * value:
            return True
        if one.figure.kind == "share" != first.figure.kind and a > 0 and abs(100 * abs(a - b) / a - value) <= room:
            return True
    return False


def _is_difference(one: Stated, first: Stated, second: Stated) -> bool:
    """Whether a figure is exactly what two others of its kind differ by; a share must be one of points."""
    value, a, b = one.figure.value[-1], first.figure.value[-1], second.figure.value[-1]
    is_plain = one.figure.kind == first.figure.kind == second.figure.kind == "number"
    return is_plain and None not in (value, a, b) and value == abs((a or 0.0) - (b or 0.0))


def different_figures(one: Stated, texts: Iterable[str]) -> tuple[Stated, ...]:
    """Other figures of the same kind in these texts: what the source says instead."""
    found = [other for text in texts for other in stated(text)]
    same_kind = [other for other in found if other.figure.kind == one.figure.kind and _class(other) == _class(one)]
    if one.figure.kind == "measure":
        return tuple(other for other in same_kind if other.figure.value[0] == one.figure.value[0])
    return tuple(same_kind)


def _class(one: Stated) -> tuple[bool, bool, bool]:
    return one.is_year, one.is_level, one.is_calendar


def reverses_order(sentence: str, text: str) -> bool:
    """Whether the sentence goes from A to B, and the text from B to A."""
    mine, theirs = _changes(sentence), _changes(text)
    return any(is_same(a, d) and is_same(b, c) and not is_same(a, b) for a, b in mine for c, d in theirs) and not any(
        is_same(a, c) and is_same(b, d) for a, b in mine for c, d in theirs
    )


def change_side(text: str) -> str:
    """Whether the figures of a text go up (+) or down (-) from A to B; nothing where none do, or not all alike."""
    pairs = [_values(a, b) for a, b in changes(text)]
    sides = {"+" if b > a else "-" for a, b in pairs if a is not None and b is not None and a != b}
    return sides.pop() if len(sides) == 1 else ""


def changes(text: str) -> list[tuple[Stated, Stated]]:
    """Pairs of figures of which the second is the later: "from A to B", or one for each of two years."""
    return _changes(text) or _by_years(text)


def _values(one: Stated, other: Stated) -> tuple[float | None, float | None]:
    """The values of two figures; where one has no unit, as in "from 598 to 514 pounds", the plain numbers."""
    if one.figure.kind == other.figure.kind:
        return one.figure.value[-1], other.figure.value[-1]
    plain = [float(next(iter(each.parts))) if len(each.parts) == 1 else None for each in (one, other)]
    return plain[0], plain[1]


def _by_years(text: str) -> list[tuple[Stated, Stated]]:
    """The figures of an earlier and a later year, where a text gives one for each: in 2020 212, in 2024 74."""
    known = stated(text)
    years = [(at, one) for at, one in enumerate(known) if one.is_year]
    if len(years) != 2 or years[0][0] != 0:
        return []
    (_, earlier), (middle, later) = years
    first, second = known[1:middle], known[middle + 1 :]
    is_plain = len(first) == 1 and bool(second) and first[0].figure.kind == second[0].figure.kind
    if not is_plain or _year(earlier) >= _year(later):
        return []
    return [(first[0], second[0])]


def _year(one: Stated) -> float:
    return one.figure.value[0] or 0.0


def keeps_order(sentence: str, text: str) -> bool:
    """Whether both go from A to B."""
    mine, theirs = changes(sentence), changes(text)
    return any(is_same(a, c) and is_same(b, d) for a, b in mine for c, d in theirs)


def _is_later(between: str, after: str) -> bool:
    """Whether the second of two figures is given as the later one: "forty then, and today it is thirty"."""
    is_now = pattern("figures", "now_before").search(between) or pattern("figures", "now_after").match(after)
    return bool(is_now) and not _is_earlier(between, after)


def _is_earlier(between: str, after: str) -> bool:
    """Whether the second of two figures is given as what was before: "305, where there had been 302"."""
    is_then = pattern("figures", "then_before").search(between) or pattern("figures", "then_after").match(after)
    return bool(is_then)


def _changes(text: str) -> list[tuple[Stated, Stated]]:
    """Pairs of figures that stand as "from A to B", AからBへ or BとAから; years are none."""
    plain, _ = western_figures(text)
    known = stated(text)
    found: list[tuple[Stated, Stated]] = []
    for at, first in enumerate(known):
        for other in known[at + 1 : at + 4]:
            between = plain[first.figure.end : other.figure.start]
            before = plain[max(0, first.figure.start - 40) : first.figure.start]
            is_english = pattern("figures", "to").search(between) and pattern("figures", "from_to").search(before)
            # 52 minutes then, and 35 now; from 35 to 52 minutes
            is_bare = any(one.figure.kind == "number" and not one.is_small_word for one in (first, other))
            if (other.figure.kind == first.figure.kind or is_bare) and not other.is_year and not first.is_year:
                after = plain[other.figure.end : other.figure.end + 40]
                if is_english or pattern("figures", "from_first").search(between) or _is_later(between, after):
                    found.append((first, other))
                elif pattern("figures", "from_second").match(plain[other.figure.end :]) or _is_earlier(between, after):
                    found.append((other, first))
                break
    return found
