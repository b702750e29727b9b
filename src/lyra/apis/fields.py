"""Values out of foreign JSON, where any field may be missing, null or of another type."""

import html
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from lyra.text import without_surrogates

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_DAY = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list; nulls and scalars left out."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, Sequence) else []


def string(value: Any) -> str | None:
    """A text without markup on one line, or none."""
    if not isinstance(value, str):
        return None
    return " ".join(html.unescape(_TAG.sub(" ", without_surrogates(value))).split()) or None


def count(value: Any) -> int | None:
    """How many there are, as far as a database can hold it."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole and 0 <= value < 2**63 else None


def year(value: Any) -> int | None:
    """A year of four digits, as dates are written."""
    return value if isinstance(value, int) and 1000 <= value <= 9999 else None


def day(value: Any) -> str | None:
    """An ISO day, month or year."""
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        date.fromisoformat(value + "0001-01-01"[len(value) :])
    except ValueError:
        return None
    return value
