"""Bytes or a file to a document for the server: PDFs in a process of their own, everything else here."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams, LyraError, ModelError
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.extract.pdf_process import document_from_json
from lyra.media import MediaKind, sniff
from lyra.ml.process import WorkerConfig, WorkerSupervisor
from lyra.model.page import Document, Fragment
from lyra.settings import Models

_ANSWER_LIMIT_S = 220.0
# What a reading waits for and holds: a seat where the processor's work is bounded.
ReadingSlot = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class DocumentReader:
    """Reads any body. A PDF that hangs, crashes or eats all memory costs its own process, not the server's."""

    def __init__(self, settings: Models, turn: ReadingSlot = contextlib.nullcontext) -> None:
        self._turn = turn
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            module="lyra.extract.pdf_process",
            answer_limit_s=_ANSWER_LIMIT_S,
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s, attempts=1)

    async def read(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The located text of a body. Raises InvalidParams where it is empty or nothing that can be read."""
        async with self._turn():
            if sniff(body) is not MediaKind.PDF:
                return await asyncio.to_thread(read_document, body, content_type=content_type, url=url)
            return await asyncio.wrap_future(self._submit(body, content_type, url))

    def read_blocking(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The same for callers without an event loop."""
        if sniff(body) is not MediaKind.PDF:
            return read_document(body, content_type=content_type, url=url)
        return self._submit(body, content_type, url).result()

    async def close(self) -> None:
        await asyncio.to_thread(self._supervisor.close)

    def close_blocking(self) -> None:
        self._supervisor.close()

    def _submit(self, body: bytes, content_type: str | None, url: str) -> "Future[Document]":
        return self._supervisor.submit(lambda: self._ask(body, {"content_type": content_type, "url": url}))

    def _ask(self, body: bytes, request: dict[str, Any]) -> Document:
        crashes = self._supervisor.stats.crashes
        try:
            found, _ = self._supervisor.ask(request, body)
        except ModelError as exc:
            if self._supervisor.stats.crashes == crashes:
                raise
            raise _beyond_limits(self._supervisor.stats.last_crash) from exc
        if "refused" in found:
            raise InvalidParams(found["refused"], remedy=found["remedy"], details=found["details"])
        return document_from_json(found["document"])


def _beyond_limits(ending: str | None) -> InvalidParams:
    return InvalidParams(
        f"The PDF could not be read within the limits on time and memory ({ending}).",
        remedy="Open it with another program and save it anew, or raise the setting models.memory_limit_mb.",
        details={"looks_like": "broken PDF"},
    )


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
