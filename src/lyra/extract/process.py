"""The process that reads what others wrote: no network, no files, little memory, and an end to work without end.

Run as `python -m lyra.extract.process CONNECTION_FD PARENT_PID`. Every body goes through here: HTML, text, Markdown,
PDF, Office documents, books, mail, bibliographies and drafts that somebody hands in; lxml, PDFium, the pictures of
scanned sheets and OpenCV are used here and never in the server. A document travels back as plain JSON.
"""

import contextlib
import io
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from lyra.charset import decode
from lyra.errors import InvalidParams
from lyra.extract.bibliography import read_bibliography
from lyra.extract.document import read_document
from lyra.extract.draft import read_draft
from lyra.media import MediaKind, sniff
from lyra.ml import ocr
from lyra.ml.frames import ConnectionEnded, receive, send
from lyra.ml.worker import start_isolated
from lyra.model.audit import CitedWork
from lyra.model.page import Document, FragmentType, Heading, Identifier, Passage


def document_to_json(document: Document) -> dict[str, Any]:
    """Values that JSON carries unharmed."""
    return asdict(document)


def document_from_json(fields: dict[str, Any]) -> Document:
    """The document that `document_to_json` took apart."""
    return Document(
        title=str(fields["title"]),
        text=str(fields["text"]),
        language=str(fields["language"]),
        date=fields["date"],
        updated=fields["updated"],
        authors=_strings(fields["authors"]),
        page_type=str(fields["page_type"]),
        passages=tuple(_passage(entry) for entry in fields["passages"]),
        identifiers=tuple(Identifier(str(entry["kind"]), str(entry["value"])) for entry in fields["identifiers"]),
        links=_strings(fields["links"]),
        quality=float(fields["quality"]),
        extractor=str(fields["extractor"]),
        remarks=_strings(fields["remarks"]),
        is_marked_retracted=bool(fields["is_marked_retracted"]),
        site_name=str(fields["site_name"]),
        hidden=_strings(fields["hidden"]),
        outside=_strings(fields["outside"]),
        needs_scripts=bool(fields["needs_scripts"]),
    )


def _strings(values: list[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _passage(entry: dict[str, Any]) -> Passage:
    return Passage(
        text=str(entry["text"]),
        start=int(entry["start"]),
        end=int(entry["end"]),
        type=FragmentType(entry["type"]),
        headings=tuple(Heading(int(heading["level"]), str(heading["text"])) for heading in entry["headings"]),
        element_index=int(entry["element_index"]),
        page_number=entry["page_number"],
    )


_PDF_LIMIT_S = 30
MAX_ENTRIES = 50_000
_SCAN_LIMIT_S = 170
_DRAFT_LIMIT_S = 120


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """The kernel ends the process where the work inside takes longer: no file can hold it for good."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def _processor_limit(seconds: float) -> Iterator[None]:
    """The same by the processor's time, so that a page is not given up because the machine is busy."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def answer(request: dict[str, Any], body: bytes, reader: ocr.Ocr | None) -> dict[str, Any]:
    """The document, or why there is none; scanned sheets are read where OCR is available."""
    if "references" in request:
        return _references(request, body)
    if "draft" in request:
        return _draft(request, body, reader)
    content_type, url = request["content_type"], request["url"]
    is_pdf = sniff(body) is MediaKind.PDF
    try:
        with _alarm(_PDF_LIMIT_S) if is_pdf else _processor_limit(request["page_limit_s"]):
            document = read_document(body, content_type=content_type, url=url)
        if is_pdf and document.remarks and reader is not None:
            with _alarm(_SCAN_LIMIT_S):
                document = read_document(body, content_type=content_type, url=url, reader=reader)
    except InvalidParams as exc:
        return {"refused": exc.message, "remedy": exc.remedy, "details": exc.details}
    return {"document": document_to_json(document)}


def _references(request: dict[str, Any], body: bytes) -> dict[str, Any]:
    """The works of a bibliography with this ending."""
    try:
        with _processor_limit(request["page_limit_s"]):
            found = read_bibliography(decode(body, None), request["references"], MAX_ENTRIES)
    except InvalidParams as exc:
        return {"refused": exc.message, "remedy": exc.remedy, "details": exc.details}
    return {"works": [asdict(one) for one in found]}


def _draft(request: dict[str, Any], body: bytes, reader: ocr.Ocr | None) -> dict[str, Any]:
    """The text of a draft with this ending, with what could not be read."""
    try:
        with _alarm(_DRAFT_LIMIT_S if reader is None else _SCAN_LIMIT_S):
            draft = read_draft(body, request["draft"], reader)
    except InvalidParams as exc:
        return {"refused": exc.message, "remedy": exc.remedy, "details": exc.details}
    return {"text": draft.text, "remarks": list(draft.remarks)}


def work_from_json(fields: dict[str, Any]) -> CitedWork:
    """A work that `_references` took apart."""
    return CitedWork(
        **fields
        | {
            "authors": _strings(fields["authors"]),
            "files": _strings(fields["files"]),
            "identifiers": tuple(Identifier(one["kind"], one["value"]) for one in fields["identifiers"]),
        }
    )


def serve(connection: socket.socket, reader: ocr.Ocr | None) -> None:
    """One file after another until the server hangs up."""
    with contextlib.suppress(ConnectionEnded):
        while True:
            request, body = receive(connection)
            send(connection, answer(request, body, reader))


def _scratch(*_: object, **__: object) -> io.BytesIO:
    return io.BytesIO()


def main(arguments: list[str]) -> None:
    connection, config = start_isolated(arguments)
    # No file can be written here; py3langid unpacks its model into one.
    tempfile.TemporaryFile = _scratch  # type: ignore[assignment]
    threads = config["threads"] or len(os.sched_getaffinity(0))
    serve(connection, ocr.Ocr(threads) if ocr.is_installed() else None)


if __name__ == "__main__":
    main(sys.argv[1:])
