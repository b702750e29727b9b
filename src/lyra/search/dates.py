"""Dates as engines print them beside results, as ISO days."""

import re
from datetime import date

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
_DASH = re.compile(r"\s*(?:[—–·]|\.\.\.|-\s)\s*")


def iso_day(text: str) -> str | None:
    """The first absolute date in a text; none for relative ones such as "3 days ago"."""
    match = _NUMERIC.search(text) or _NAMED.search(text)
    return _day(match) if match else None


def split_leading(snippet: str) -> tuple[str | None, str]:
    """The day that opens a snippet, as engines print it before a dash, and the snippet without it."""
    match = _NUMERIC.match(snippet) or _NAMED.match(snippet)
    dash = _DASH.match(snippet, match.end()) if match else None
    day = _day(match) if match and dash else None
    return (day, snippet[dash.end() :]) if day and dash else (None, snippet)


def _day(match: re.Match[str]) -> str | None:
    parts = {name[0]: value for name, value in match.groupdict().items() if value is not None}
    name = parts["m"].lower()
    month = int(name) if name.isdigit() else _MONTHS.index(name[:3]) + 1
    try:
        return date(int(parts["y"]), month, int(parts["d"])).isoformat()
    except ValueError:
        return None
