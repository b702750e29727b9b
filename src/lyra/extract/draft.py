"""Bytes of a text that somebody wrote, as Markdown: Markdown and plain text as they are, HTML, DOCX and PDF read."""

import re
from dataclasses import dataclass

from lyra.charset import decode
from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.docx import docx_markdown, is_docx
from lyra.extract.html_markdown import html_markdown
from lyra.media import MediaKind, binary_format, is_binary, sniff, text_kind, with_article
from lyra.ml.ocr import Ocr

MAX_BYTES = 64 * 1024 * 1024
MAX_CHARS = 20_000_000
_CONTENT_TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"}


@dataclass(frozen=True, slots=True)
class Draft:
    """A text as it was read; `remarks` say what could not be read, and why."""

    text: str
    remarks: tuple[str, ...] = ()


def read_draft(body: bytes, suffix: str = "", reader: Ocr | None = None) -> Draft:
    """The text of a file with this ending; `reader` reads scanned sheets.

    Raises InvalidParams where it is empty or cannot be read.
    """
    if len(body) > MAX_BYTES:
        raise InvalidParams(f"The file is larger than {MAX_BYTES // 1024 // 1024} MB.", remedy="Check it in parts.")
    if not body.strip():
        raise InvalidParams("The file is empty.", remedy="Write the text into it, or name another file.")
    draft = _read(body, suffix.lower(), reader)
    if not draft.text.strip():
        raise InvalidParams("The file has no text.", remedy="If it was scanned, install the extra `ocr`.")
    return Draft(draft.text[:MAX_CHARS], draft.remarks)


def needs_parser(body: bytes, suffix: str) -> bool:
    """Whether the bytes are of a kind that is read in a process of its own."""
    return body[:4] == b"PK\x03\x04" or sniff(body) is MediaKind.PDF or _is_html(body, suffix.lower())


def _read(body: bytes, suffix: str, reader: Ocr | None) -> Draft:
    if sniff(body) is MediaKind.PDF:
        document = read_document(body, content_type="application/pdf", reader=reader, keeps_raised=True)
        text = f"# {document.title}\n\n{document.text}" if document.title else document.text
        return Draft(text, document.remarks)
    if is_docx(body):
        return Draft(docx_markdown(body))
    name = binary_format(body)
    if name or is_binary(body):
        looks_like = with_article(name) if name else "binary data"
        raise InvalidParams(
            f"The file looks like {looks_like}.", remedy="Markdown, plain text, HTML, DOCX and PDF can be checked."
        )
    text = decode(body, _CONTENT_TYPES.get(suffix)).replace("\r\n", "\n").replace("\r", "\n")
    return Draft(html_markdown(text) if _is_html(body, suffix) else text.lstrip("\ufeff"))


def _is_html(body: bytes, suffix: str) -> bool:
    if suffix in _CONTENT_TYPES:
        return True
    if suffix in (".md", ".markdown", ".txt", ".bib", ".ris", ".json"):
        return False
    head = decode(body[:4096], None)
    return bool(re.match(r"\s*<(?:!doctype|html|\?xml)", head, re.IGNORECASE)) and (
        text_kind(head, "", is_markdown=False) is MediaKind.HTML
    )
