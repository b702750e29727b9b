"""What the extractor makes of a file, for `lyra inspect extract`."""

from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams, LyraError
from lyra.extract.fragments import to_fragments
from lyra.extract.reader import DocumentReader
from lyra.model.page import Document, Fragment

_CONTENT_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".pdf": "application/pdf",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
}


def inspect_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file title text date language fragments`, or `file` and its error where the file cannot be read."""
    try:
        return _described(path, reader)
    except LyraError as exc:
        return {"file": str(path), **exc.fields()}


def read_file(path: Path, reader: DocumentReader) -> Document:
    """What a file says. Raises InvalidParams where it cannot be opened or read."""
    return reader.read_blocking(_bytes(path), content_type=_CONTENT_TYPES.get(path.suffix.lower()))


def _described(path: Path, reader: DocumentReader) -> dict[str, Any]:
    document = read_file(path, reader)
    return {
        "file": str(path),
        "title": document.title,
        "text": document.text,
        "date": document.date,
        "updated": document.updated,
        "authors": list(document.authors),
        "language": document.language,
        "page_type": document.page_type,
        "quality": document.quality,
        "identifiers": [{"kind": entry.kind, "value": entry.value} for entry in document.identifiers],
        "links": list(document.links),
        "remarks": list(document.remarks),
        "extractor": document.extractor,
        "fragments": [_fragment(fragment) for fragment in to_fragments("inspected", document)],
    }


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise InvalidParams(f"The file cannot be opened: {exc.strerror}.") from exc


def _fragment(fragment: Fragment) -> dict[str, Any]:
    return {
        "text": fragment.text_content,
        "start": fragment.char_start,
        "end": fragment.char_end,
        "type": fragment.fragment_type.value,
        "headings": [heading.text for heading in fragment.heading_hierarchy],
        "page_number": fragment.page_number,
        "language": fragment.language,
    }
