"""An abstract out of an API's answer as the archive keeps it: the proof of words that no page was fetched for."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from lyra.academic import abstracts, openalex, semantic_scholar
from lyra.model.page import Document
from lyra.model.work import Work

# Answers nest works three deep: the list, the link, the paper.
_DEPTH = 5


def archived_abstract(body: bytes, text: str) -> Document | None:
    """The abstract with this text; where none has it any more, the one most like it by its beginning; else none."""
    try:
        value = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    found = [document for work in _works(value, _DEPTH) if (document := abstracts.document(work)) is not None]
    return max(found, key=lambda document: _shared(document.text, text), default=None)


def _shared(one: str, other: str) -> tuple[bool, int]:
    """Whether two texts are equal, and how far they agree from the start."""
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other, length


def _works(value: Any, depth: int) -> Iterator[Work]:
    """Every work in an answer, whichever API gave it."""
    if isinstance(value, Mapping):
        read = openalex.read_work if "abstract_inverted_index" in value else semantic_scholar.read_work
        work = read(value)
        if work is not None:
            yield work
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    if depth:
        for one in inner:
            yield from _works(one, depth - 1)
