"""PDF to a document: text in reading order with page numbers, by PDFium."""

import re
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lyra.errors import InvalidParams
from lyra.extract.passages import Block, tidy
from lyra.extract.pdf_layout import Line, layout
from lyra.model.page import FragmentType

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

# PDFium keeps global state and must not be entered by two threads at once.
_PDFIUM = threading.Lock()
_MAX_PAGES = 600
_MAX_CHARS = 3_000_000
_MAX_PAGE_CHARS = 60_000
_HYPHEN = "\x02"
_NOT_A_TITLE = re.compile(
    r"^(?:untitled|microsoft word|powerpoint|.*\.(?:docx?|pdf|tex|dvi|indd|pptx?|qxd|rtf)$|.{0,3}$)", re.IGNORECASE
)


class Pdf:
    """What was read from a PDF's bytes."""

    def __init__(self, blocks: list[Block], info: dict[str, str]) -> None:
        self.blocks = blocks
        self.info = info

    @property
    def title(self) -> str:
        """The declared title where it is one, else the largest heading of the first page."""
        declared = tidy(self.info.get("Title", ""))
        if not _NOT_A_TITLE.match(declared):
            return declared
        first = [b for b in self.blocks[:12] if b.type is FragmentType.HEADING and b.page_number == 1]
        return min(first, key=lambda block: block.level).text if first else ""


def read_pdf(body: bytes) -> Pdf:
    """Raises InvalidParams for broken and encrypted files; a scanned one has no text."""
    import pypdfium2

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(body)
        except pypdfium2.PdfiumError as exc:
            raise _unreadable(exc) from exc
        try:
            pages = list(_pages(document))
            info = {str(key): str(value) for key, value in document.get_metadata_dict().items()}
        except pypdfium2.PdfiumError as exc:
            raise _unreadable(exc) from exc
        finally:
            document.close()
    return Pdf(layout(pages), info)


def _unreadable(exc: Exception) -> InvalidParams:
    if "password" in str(exc).lower():
        return InvalidParams(
            "The PDF is encrypted and asks for a password.",
            remedy="Open it with its password and save an unprotected copy.",
            details={"looks_like": "encrypted PDF"},
        )
    return InvalidParams(f"The PDF is broken: {exc}", details={"looks_like": "broken PDF"})


def _pages(document: "PdfDocument") -> Iterator[list[Line]]:
    """The lines of each page that can be read, up to the limits on work."""
    import pypdfium2

    left = _MAX_CHARS
    for index in range(min(len(document), _MAX_PAGES)):
        try:
            text_page = document[index].get_textpage()
        except pypdfium2.PdfiumError:
            continue
        lines = list(_lines(text_page, index + 1))
        text_page.close()
        yield lines
        left -= sum(len(line.text) for line in lines)
        if left <= 0:
            return


def _lines(text_page: "PdfTextPage", number: int) -> Iterator[Line]:
    import pypdfium2.raw as raw

    count = min(text_page.count_chars(), _MAX_PAGE_CHARS)
    chars = [chr(raw.FPDFText_GetUnicode(text_page, index)) for index in range(count)]
    start = 0
    for index, char in enumerate([*chars, "\n"]):
        if char in "\r\n" or char == _HYPHEN:
            line = _line(text_page, chars, start, index, number, hyphenated=char == _HYPHEN)
            if line is not None:
                yield line
            start = index + 1


def _line(
    text_page: "PdfTextPage", chars: list[str], start: int, end: int, number: int, *, hyphenated: bool
) -> Line | None:
    import pypdfium2.raw as raw

    visible = [index for index in range(start, end) if not chars[index].isspace()]
    if not visible:
        return None
    left, bottom, _, top = _box(text_page, visible[0])
    right = _box(text_page, visible[-1])[2]
    size = float(raw.FPDFText_GetFontSize(text_page, visible[0]))
    text = "".join(chars[start:end]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # Unscaled fonts report a size of 1: the height of the letter tells more.
    return Line(tidy(text), number, left, right, bottom, top, size if size > 2 else max(1.0, top - bottom), hyphenated)


def _box(text_page: Any, index: int) -> tuple[float, float, float, float]:
    left, bottom, right, top = text_page.get_charbox(index)
    return float(left), float(bottom), float(right), float(top)
