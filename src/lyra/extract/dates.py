"""Dates as written on pages, English and Japanese, to ISO: `2024-03-05`, or `2024-03`, `2024` where no more is said."""

import re
from collections.abc import Iterator
from datetime import date

_ERAS = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "M": 1867,
    "T": 1911,
    "S": 1925,
    "H": 1988,
    "R": 2018,
}
_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|oct october"
        "|nov november|dec december".split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DIGITS = str.maketrans("０１２３４５６７８９．／－", "0123456789./-")

_ERA = re.compile(r"(明治|大正|昭和|平成|令和)\s*(\d{1,2}|元)\s*年(?:\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?)?")
_SHORT_ERA = re.compile(r"(?<![A-Za-z0-9])([HR])(\d{1,2})\.(\d{1,2})\.(\d{1,2})(?!\d)")
_KANJI = re.compile(r"((?:19|20)\d{2})\s*年(?:\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*日)?)?")
_ISO = re.compile(r"(?<!\d)((?:19|20)\d{2})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR_MONTH = re.compile(r"^((?:19|20)\d{2})[-/](\d{1,2})$")
_YEAR = re.compile(r"^((?:19|20)\d{2})$")
_MONTH_FIRST = re.compile(rf"\b({_MONTH})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?,?\s+((?:19|20)\d{{2}})\b", re.IGNORECASE)
_DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[\s-]+({_MONTH})\b\.?,?[\s-]+((?:19|20)\d{{2}})\b", re.IGNORECASE
)
_IGNORED_BEFORE = re.compile(r"\W*(?:[A-Za-z]{3,9}\W+)?")


def parse_date(value: str) -> str | None:
    """The date that a metadata value states, or none."""
    text = value.strip().translate(_DIGITS)[:80]
    partial = _YEAR_MONTH.match(text) or _YEAR.match(text)
    if partial:
        return _iso(*partial.groups())
    found = first_date(text)
    if found is None and (compact := _COMPACT.match(text)):
        return _iso(*compact.groups())
    return found


def first_date(text: str) -> str | None:
    """The first date in running text, whole or partial."""
    return next((found for _, found in _located(text)), None)


def leading_date(text: str) -> str | None:
    """The date that a text begins with, after punctuation or the name of a weekday; a bare year is too little."""
    start, found = next(_located(text), (0, ""))
    return found if len(found) >= 7 and _IGNORED_BEFORE.fullmatch(text[:start]) else None


def first_full_date(text: str) -> str | None:
    """The first date in running text that names the day."""
    return next((found for _, found in _located(text) if len(found) == 10), None)


def _located(text: str) -> Iterator[tuple[int, str]]:
    spelled = text.translate(_DIGITS)
    found = [
        (match.start(), iso)
        for pattern, read in _FORMATS
        for match in pattern.finditer(spelled)
        if (iso := read(match)) is not None
    ]
    return iter(sorted(found))


def _iso(year: str | int, month: str | int | None = None, day: str | int | None = None) -> str | None:
    try:
        whole = date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return None
    return whole if day else whole[:7] if month else whole[:4]


def _from_era(match: re.Match[str]) -> str | None:
    years = 1 if match.group(2) == "元" else int(match.group(2))
    return _iso(_ERAS[match.group(1)] + years, match.group(3), match.group(4))


def _from_kanji(match: re.Match[str]) -> str | None:
    return _iso(*match.groups())


def _from_iso(match: re.Match[str]) -> str | None:
    return _iso(match.group(1), match.group(3), match.group(4))


def _from_month_first(match: re.Match[str]) -> str | None:
    return _named(match.group(3), match.group(1), match.group(2))


def _from_day_first(match: re.Match[str]) -> str | None:
    return _named(match.group(3), match.group(2), match.group(1))


def _named(year: str, name: str, day: str) -> str | None:
    """The date where the month is one: letters that only look alike in another case (ſ, ı) make no name."""
    month = _MONTHS.get(name.lower())
    return _iso(year, month, day) if month is not None else None


_FORMATS = (
    (_ERA, _from_era),
    (_SHORT_ERA, _from_era),
    (_KANJI, _from_kanji),
    (_ISO, _from_iso),
    (_MONTH_FIRST, _from_month_first),
    (_DAY_FIRST, _from_day_first),
)
