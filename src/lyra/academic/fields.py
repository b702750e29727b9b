"""Values out of foreign JSON, where any field may be missing, null or of another type."""

import html
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from lyra.model.page import Identifier
from lyra.text import without_surrogates
from lyra.urls import ARXIV_ID, find_dois
from lyra.word_lists import word_lists

_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ARXIV = re.compile(rf"(?:arxiv:)?({ARXIV_ID})(?:v\d+)?", re.IGNORECASE)
_DAY = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")
_PMID = re.compile(r"(?<![0-9])([0-9]{1,9})/?$")
_MAX_INVERTED_WORDS = 20_000


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


def abstract(value: Any) -> str | None:
    """The abstract without the word "Abstract" before it."""
    text = string(value)
    return _pattern("abstract_word").sub("", text) if text else None


def is_marked_retracted(title: str) -> bool:
    """Whether a title itself says that the paper was retracted: the only sign where an API has no flag."""
    return _pattern("retracted_title").match(title) is not None


def doi(value: Any) -> Identifier | None:
    found = find_dois(without_surrogates(value)) if isinstance(value, str) else []
    return Identifier("doi", found[0]) if found else None


def pmid(value: Any) -> Identifier | None:
    """A PubMed id as a number, a text or an address."""
    match = _PMID.search(str(value)) if isinstance(value, str | int) else None
    return Identifier("pmid", match[1]) if match else None


def arxiv(value: Any) -> Identifier | None:
    match = _ARXIV.fullmatch(value.strip()) if isinstance(value, str) else None
    return Identifier("arxiv", match[1].lower()) if match else None


def text_from_inverted_index(index: Any) -> str | None:
    """A text from word → positions, as OpenAlex keeps abstracts; none where positions are nonsense."""
    placed: dict[int, str] = {}
    for word, positions in mapping(index).items():
        for position in positions if isinstance(positions, list) else []:
            if isinstance(position, int) and 0 <= position < _MAX_INVERTED_WORDS:
                placed[position] = word
    return " ".join(placed[position] for position in sorted(placed)) or None


def _pattern(name: str) -> re.Pattern[str]:
    return word_lists("lyra.academic", "scholarship", "en", "ja").pattern(name)
