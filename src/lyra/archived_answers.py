"""Which texts an archived answer of an API holds: pages that no reader of documents made are read again here."""

from lyra.academic.abstracts import ABSTRACT_PREFIX, archived_abstracts
from lyra.model.page import Document
from lyra.registries.directory import archived_records
from lyra.registries.record import RECORD_PREFIX


def is_answer(extractor: str) -> bool:
    """Whether a page with this extractor was taken from an API's answer."""
    return extractor.startswith((ABSTRACT_PREFIX, RECORD_PREFIX))


def answered_documents(extractor: str, body: bytes) -> list[Document]:
    """Every text of its kind in the answer; none where it is not an answer."""
    return archived_records(extractor, body) if extractor.startswith(RECORD_PREFIX) else archived_abstracts(body)


def answered_document(extractor: str, body: bytes, text: str) -> Document | None:
    """The one with this text; where none has it any more, the one most like it by its beginning; else none."""
    found = answered_documents(extractor, body)
    return max(found, key=lambda document: _shared(document.text, text), default=None)


def _shared(one: str, other: str) -> tuple[bool, int]:
    """Whether two texts are equal, and how far they agree from the start."""
    length = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one == other, length
