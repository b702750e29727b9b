"""Values out of records of papers, where any field may be missing, null or of another type."""

import re
from typing import Any

from lyra.apis.fields import count, day, mapping, objects, string, year
from lyra.model.page import Identifier
from lyra.text import without_surrogates
from lyra.urls import ARXIV_ID, find_dois
from lyra.word_lists import word_lists

__all__ = (
    "abstract", "arxiv", "count", "day", "doi", "is_marked_retracted", "mapping", "objects", "pmid", "string",
    "text_from_inverted_index", "year",
)  # fmt: skip
_ARXIV = re.compile(rf"(?:arxiv:)?({ARXIV_ID})(?:v\d+)?", re.IGNORECASE)
_PMID = re.compile(r"(?<![0-9])([0-9]{1,9})/?$")
_MAX_INVERTED_WORDS = 20_000


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
