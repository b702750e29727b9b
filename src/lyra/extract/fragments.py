"""Documents to stored fragments.

A heading is no fragment of its own: it is the context of those below it. Short neighbours of one kind under one
heading (list items, table rows, one-line paragraphs) are one fragment; long paragraphs are split at sentence ends.
A fragment's words are always a slice of the document's text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from lyra.ids import derived_id, text_hash
from lyra.model.page import Document, Fragment, FragmentType, Passage
from lyra.text import is_japanese, sentences

_LONG_CHARS = 1_200
_SHORT_CHARS = 25
_GATHERED = frozenset({FragmentType.LIST, FragmentType.TABLE})
_GATHERED_CHARS = 600


def to_fragments(page_id: str, document: Document) -> tuple[Fragment, ...]:
    """The same page and document give the same fragments with the same ids."""
    pieces = _split(_gather(document), document.text)
    return tuple(_fragment(page_id, position, piece, document) for position, piece in enumerate(pieces))


def _gather(document: Document) -> Iterator[Passage]:
    """Passages with short neighbours joined; lone scraps below the limit are dropped."""
    held: Passage | None = None
    for passage in document.passages:
        if passage.type is FragmentType.HEADING:
            continue
        if held is not None and _belong_together(held, passage):
            held = _joined(held, passage, document.text)
            continue
        if held is not None and _is_long_enough(held):
            yield held
        held = passage
    if held is not None and _is_long_enough(held):
        yield held


def _joined(held: Passage, passage: Passage, text: str) -> Passage:
    """One passage over both, of the kind that most of it is."""
    kind = held.type if len(held.text) >= len(passage.text) else passage.type
    return replace(held, text=text[held.start : passage.end], end=passage.end, type=kind)


def _belong_together(held: Passage, passage: Passage) -> bool:
    if held.headings != passage.headings or held.page_number != passage.page_number:
        return False
    if passage.end - held.start > _GATHERED_CHARS:
        return False
    if held.type is passage.type and held.type in _GATHERED:
        return True
    short = not (_is_long_enough(held) and _is_long_enough(passage))
    return short and FragmentType.CODE not in (held.type, passage.type)


def _is_long_enough(passage: Passage) -> bool:
    # A Japanese character says about twice what a Latin letter does.
    return len(passage.text) * (2 if is_japanese(passage.text) else 1) >= _SHORT_CHARS


def _split(passages: Iterable[Passage], text: str) -> Iterator[Passage]:
    for passage in passages:
        for start, end in _spans(passage):
            yield replace(passage, text=text[start:end], start=start, end=end)


def _spans(passage: Passage) -> list[tuple[int, int]]:
    """Runs of whole sentences no longer than the limit, unless one sentence alone is longer."""
    if passage.end - passage.start <= _LONG_CHARS:
        return [(passage.start, passage.end)]
    spans: list[tuple[int, int]] = []
    for start, end in _sentence_spans(passage):
        if spans and end - spans[-1][0] <= _LONG_CHARS:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _sentence_spans(passage: Passage) -> Iterator[tuple[int, int]]:
    for start, end in sentences(passage.text):
        # Text without any full stop is cut at white space, so that no fragment grows without limit.
        while end - start > 2 * _LONG_CHARS:
            space = passage.text.rfind(" ", start + _LONG_CHARS // 2, start + _LONG_CHARS)
            cut = space if space > 0 else start + _LONG_CHARS
            yield passage.start + start, passage.start + cut
            start = cut + (1 if space > 0 else 0)
        yield passage.start + start, passage.start + end


def _fragment(page_id: str, position: int, piece: Passage, document: Document) -> Fragment:
    digest = text_hash(piece.text)
    return Fragment(
        id=derived_id("f", page_id, str(position), digest),
        page_id=page_id,
        text_content=piece.text,
        fragment_type=piece.type,
        heading_context=piece.headings[-1].text if piece.headings else "",
        heading_hierarchy=piece.headings,
        element_index=piece.element_index,
        position=position,
        char_start=piece.start,
        char_end=piece.end,
        text_hash=digest,
        language=_language(piece.text, document.language),
        page_number=piece.page_number,
    )


def _language(text: str, of_document: str) -> str:
    """The script decides where it can; a statistical guess on one paragraph is worse than the document's language."""
    if is_japanese(text):
        return "ja"
    return of_document if of_document != "ja" else _latin_or(text, of_document)


def _latin_or(text: str, of_document: str) -> str:
    """A wholly Latin paragraph inside a Japanese document is read as English."""
    letters = [char for char in text if char.isalpha()]
    return "en" if letters and sum(char.isascii() for char in letters) / len(letters) > 0.9 else of_document
