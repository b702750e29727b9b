"""Dates as engines print them beside results, as ISO days; relative ones count from the day the page was read."""

import re
from datetime import date, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*"
_NUMERIC = re.compile(
    r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
    r"|(?P<y2>\d{4})年\s*(?P<m2>\d{1,2})月\s*(?P<d2>\d{1,2})日"
    r"|\b(?P<d3>\d{1,2})\.(?P<m3>\d{1,2})\.(?P<y3>\d{4})\b"
)
_NAMED = re.compile(
    rf"\b(?P<m>{_MONTH})\.?\s+(?P<d>\d{{1,2}}),?\s+(?P<y>\d{{4}})\b"
    rf"|\b(?P<d2>\d{{1,2}})\.?\s+(?P<m2>{_MONTH})\.?,?\s+(?P<y2>\d{{4}})\b",
    re.IGNORECASE,
)
# Days of each unit, as English, Japanese, German, French, Portuguese and Spanish engines name them; a month counts 30,
# a year 365.
_UNITS = {
    0: r"sec(?:ond)?s?|min(?:ute|uto)?s?|h(?:ou)?rs?|秒|分|時間|sekunden?|minuten?|stunden?|secondes?|heures?|horas?",
    1: r"days?|日|tag(?:en?)?|jours?|d[ií]as?",
    7: r"weeks?|wks?|週間|wochen?|semaines?|semanas?",
    30: r"months?|mos?|(?:か|ヶ|カ|ケ|箇)?月|monat(?:en?)?|mois|m(?:ês|eses)",
    365: r"years?|yrs?|年|jahr(?:en?)?|ans?|anos?|años?",
}
_UNIT = "|".join(_UNITS.values())
_AGO = re.compile(
    rf"\b(?P<n>\d{{1,3}}|an?|one)\s+(?P<u>{_UNIT})\s+ago\b"
    rf"|(?P<n2>\d{{1,3}})\s*(?P<u2>{_UNIT})前"
    rf"|\b(?:vor|il y a|há|hace)\s+(?P<n3>\d{{1,3}}|einem|einer|une?|uma?)\s+(?P<u3>{_UNIT})\b",
    re.IGNORECASE,
)
_NAMED_DAYS = {
    "today": 0,
    "yesterday": 1,
    "今日": 0,
    "本日": 0,
    "昨日": 1,
    "一昨日": 2,
    "heute": 0,
    "gestern": 1,
    "hier": 1,
}
_NAMED_DAY = re.compile(rf"(?:{'|'.join(sorted(_NAMED_DAYS, key=len, reverse=True))})(?![a-z])", re.IGNORECASE)
_DASH = re.compile(r"\s*(?:[—–·]|\.\.\.|-\s)\s*")


def iso_day(text: str, today: date | None = None) -> str | None:
    """The first date in a text; "3 days ago" only where it is known from which day to count."""
    match = _NUMERIC.search(text) or _NAMED.search(text)
    if match:
        return _day(match)
    relative = _AGO.search(text) or _NAMED_DAY.match(text.strip())
    return _counted(relative, today) if relative and today else None


def split_leading(snippet: str, today: date | None = None) -> tuple[str | None, str]:
    """The day that opens a snippet, as engines print it before a dash, and the snippet without it."""
    absolute = _NUMERIC.match(snippet) or _NAMED.match(snippet)
    match = absolute or _AGO.match(snippet)
    dash = _DASH.match(snippet, match.end()) if match else None
    if match is None or dash is None:
        return None, snippet
    day = _day(match) if absolute else _counted(match, today) if today else None
    return (day, snippet[dash.end() :]) if day else (None, snippet)


def _day(match: re.Match[str]) -> str | None:
    parts = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    name = parts["m"].lower()
    try:  # no such day; or no such month, where a letter only looks alike in another case (ſ)
        month = int(name) if name.isdigit() else _MONTHS.index(name[:3]) + 1
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None


def _counted(match: re.Match[str], today: date) -> str | None:
    parts = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    if not parts:
        days_ago = _NAMED_DAYS.get(match.group().lower())
        return (today - timedelta(days=days_ago)).isoformat() if days_ago is not None else None
    number = int(parts["n"]) if parts["n"].isdigit() else 1
    days = next(days for days, names in _UNITS.items() if re.fullmatch(names, parts["u"], re.IGNORECASE))
    return (today - timedelta(days=number * days)).isoformat()
