"""PDF to a document: text in reading order with page numbers, by PDFium; scanned sheets by OCR."""

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from lyra.errors import InvalidParams
from lyra.extract.blocks import Block, clean_text
from lyra.extract.pdf_layout import PdfCell, PdfLine, layout
from lyra.extract.pdf_raised import raise_digits
from lyra.ml.ocr import REMEDY, Ocr
from lyra.model.page import FragmentType

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

# PDFium keeps global state and must not be entered by two threads at once.
_PDFIUM = threading.Lock()
_MAX_PAGES = 600
_MAX_CHARS = 3_000_000
_MAX_PAGE_CHARS = 60_000
_WIDE_GAP = 1.5
_HYPHEN = "\x02"
_NOT_A_TITLE = re.compile(
    r"^(?:untitled|microsoft word|powerpoint|.*\.(?:docx?|pdf|tex|dvi|indd|pptx?|qxd|rtf)$|.{0,3}$)", re.IGNORECASE
)


class PdfContent:
    """What was read from a PDF's bytes."""

    def __init__(self, blocks: list[Block], info: dict[str, str], unread: tuple[int, ...], *, had_reader: bool) -> None:
        self.blocks = blocks
        self.info = info
        self._unread = unread
        self._had_reader = had_reader

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know: which sheets are pictures that were not read."""
        if not self._unread:
            return ()
        why = "the time for one file was used up" if self._had_reader else f"to read them: {REMEDY}"
        pages = "page" if len(self._unread) == 1 else "pages"
        return (f"scanned, not read: {pages} {_ranges(self._unread)} ({why})",)

    @property
    def title(self) -> str:
        """The declared title where it is one, else the largest heading of the first page."""
        declared = clean_text(self.info.get("Title", ""))
        if not _NOT_A_TITLE.match(declared):
            return declared
        first = [b for b in self.blocks[:12] if b.type is FragmentType.HEADING and b.page_number == 1]
        return min(first, key=lambda block: block.level).text if first else ""


def read_pdf(body: bytes, reader: Ocr | None = None, *, keeps_raised: bool = False) -> PdfContent:
    """With `keeps_raised` superscripts of numbers stay raised: they say what a sentence cites.

    Raises InvalidParams for broken and encrypted files; scanned sheets need a reader of pictures.
    """
    import pypdfium2

    with _PDFIUM:
        try:
            document = pypdfium2.PdfDocument(body)
        except pypdfium2.PdfiumError as exc:
            raise _unreadable(exc) from exc
        try:
            pages, unread = _read_pages(document, reader, keeps_raised=keeps_raised)
            info = _info(document)
        except pypdfium2.PdfiumError as exc:
            raise _unreadable(exc) from exc
        finally:
            document.close()
    return PdfContent(layout(pages), info, unread, had_reader=reader is not None)


def _info(document: "PdfDocument") -> dict[str, str]:
    """The file's own metadata; an entry in broken characters is left out, and costs none of the text."""
    info: dict[str, str] = {}
    for key in document.METADATA_KEYS:
        with contextlib.suppress(UnicodeDecodeError):
            info[key] = str(document.get_metadata_value(key))
    return info


def _unreadable(exc: Exception) -> InvalidParams:
    if "password" in str(exc).lower():
        return InvalidParams(
            "The PDF is encrypted and asks for a password.",
            remedy="Open it with its password and save an unprotected copy.",
            details={"looks_like": "encrypted PDF"},
        )
    return InvalidParams(f"The PDF is broken: {exc}", details={"looks_like": "broken PDF"})


def _read_pages(
    document: "PdfDocument", reader: Ocr | None, *, keeps_raised: bool = False
) -> tuple[list[list[PdfLine]], tuple[int, ...]]:
    """The lines of each page that can be read, up to the limits on work, and the numbers of sheets left unread."""
    import pypdfium2

    sheets = ScannedPageReader(reader) if reader is not None else None
    pages: list[list[PdfLine]] = []
    unread: list[int] = []
    left = _MAX_CHARS
    for number in range(1, min(len(document), _MAX_PAGES) + 1):
        try:
            page = document[number - 1]
            text_page = page.get_textpage()
        except pypdfium2.PdfiumError:
            continue
        lines = list(_lines(text_page, number, keeps_raised=keeps_raised))
        text_page.close()
        if is_scanned(page, sum(len(line.text) for line in lines)):
            seen = sheets.lines(page, number) if sheets else None
            lines = seen if seen is not None else lines
            unread += [number] if seen is None else []
        page.close()
        pages.append(lines)
        left -= sum(len(line.text) for line in lines)
        if left <= 0:
            break
    return pages, tuple(unread)


def _ranges(numbers: tuple[int, ...]) -> str:
    """`1-3, 7` of 1, 2, 3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _lines(text_page: "PdfTextPage", number: int, *, keeps_raised: bool) -> Iterator[PdfLine]:
    import pypdfium2.raw as raw

    count = min(text_page.count_chars(), _MAX_PAGE_CHARS)
    chars = [chr(raw.FPDFText_GetUnicode(text_page, index)) for index in range(count)]
    start = 0
    for index, char in enumerate([*chars, "\n"]):
        if char in "\r\n" or char == _HYPHEN:
            if keeps_raised:
                raise_digits(text_page, chars, [each for each in range(start, index) if not chars[each].isspace()])
            line = _line(text_page, chars, start, index, number, hyphenated=char == _HYPHEN)
            if line is not None:
                yield line
            start = index + 1


def _line(
    text_page: "PdfTextPage", chars: list[str], start: int, end: int, number: int, *, hyphenated: bool
) -> PdfLine | None:
    import pypdfium2.raw as raw

    visible = [index for index in range(start, end) if chars[index].strip()]
    if not visible:
        return None
    left, bottom, _, top = _box(text_page, visible[0])
    right = _box(text_page, visible[-1])[2]
    size = float(raw.FPDFText_GetFontSize(text_page, visible[0]))
    text = "".join(chars[start:end]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # Unscaled fonts report a size of 1: the height of the letter is more reliable.
    size = size if size > 2 else max(1.0, top - bottom)
    cells = _cells(text_page, chars, visible, size)
    return PdfLine(clean_text(text), number, left, right, bottom, top, size, hyphenated, cells)


def _cells(text_page: "PdfTextPage", chars: list[str], visible: list[int], size: float) -> tuple[PdfCell, ...]:
    """The parts of a line between gaps much wider than a space; none where there is no such gap."""
    cuts = [0]
    for place, (before, after) in enumerate(pairwise(visible), start=1):
        if after > before + 1 and _box(text_page, after)[0] - _box(text_page, before)[2] > _WIDE_GAP * size:
            cuts.append(place)
    if len(cuts) < 2:
        return ()
    spans = [visible[start:end] for start, end in pairwise([*cuts, len(visible)])]
    return tuple(
        PdfCell(
            clean_text(
                "".join(chars[span[0] : span[-1] + 1]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            ),
            _box(text_page, span[0])[0],
            _box(text_page, span[-1])[2],
        )
        for span in spans
    )


def _box(text_page: Any, index: int) -> tuple[float, float, float, float]:
    left, bottom, right, top = text_page.get_charbox(index)
    return float(left), float(bottom), float(right), float(top)


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

_LARGE_SHARE = 0.4
_FEW_CHARS = 12
_DOTS_PER_INCH = 200
_LONGEST_SIDE = 3_000
_MAX_OBJECTS = 2_000
_SCAN_TIME_LIMIT_S = 90.0
_MAX_SHEETS = 60
_HEIGHT_TOLERANCE = 0.15


def is_scanned(page: "PdfPage", visible_chars: int) -> bool:
    """Whether a sheet has (almost) no text of its own and a picture that covers much of it."""
    return visible_chars < _FEW_CHARS and _largest_picture_share(page) >= _LARGE_SHARE


def _largest_picture_share(page: "PdfPage") -> float:
    import pypdfium2.raw as raw

    width, height = page.get_size()
    largest = 0.0
    for number, found in enumerate(page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=4)):
        if number >= _MAX_OBJECTS:
            break
        left, bottom, right, top = found.get_bounds()
        across = min(right, width) - max(left, 0.0)
        upward = min(top, height) - max(bottom, 0.0)
        largest = max(largest, max(0.0, across) * max(0.0, upward))
    return largest / (width * height) if width > 0 and height > 0 else 0.0


class ScannedPageReader:
    """Reads the scanned sheets of one document, until its time or number is used up."""

    def __init__(self, ocr: Ocr, clock: Callable[[], float] = time.monotonic) -> None:
        self._ocr = ocr
        self._clock = clock
        self._ends_at = clock() + _SCAN_TIME_LIMIT_S
        self._left = _MAX_SHEETS

    def lines(self, page: "PdfPage", number: int) -> list[PdfLine] | None:
        """The lines of a sheet from top to bottom, in points; None where no time is left."""
        if self._clock() >= self._ends_at or self._left <= 0:
            return None
        self._left -= 1
        width, height = page.get_size()
        scale = min(_DOTS_PER_INCH / 72, _LONGEST_SIDE / max(width, height, 1.0))
        found = self._ocr.lines(_picture(page, scale))
        usual = median(line.height for line in found) if found else 0.0
        return in_reading_order(
            [
                PdfLine(
                    text=line.text,
                    page=number,
                    left=line.left / scale,
                    right=line.right / scale,
                    bottom=height - line.bottom / scale,
                    top=height - line.top / scale,
                    size=_letter_size(line.height, usual) / scale,
                )
                for line in found
            ]
        )


def _letter_size(height: float, usual: float) -> float:
    """Measured heights tremble: what is near the usual one is the usual one."""
    return usual if abs(height - usual) <= _HEIGHT_TOLERANCE * usual else height


def _picture(page: "PdfPage", scale: float) -> "NDArray[np.uint8]":
    import numpy as np

    grey = page.render(scale=scale, grayscale=True).to_numpy()
    plane = grey.reshape(grey.shape[0], grey.shape[1], 1)
    return np.ascontiguousarray(np.repeat(plane, 3, axis=2))


def in_reading_order(lines: list[PdfLine]) -> list[PdfLine]:
    """Column by column, each from top to bottom; pieces of one line joined."""
    columns: list[list[PdfLine]] = []
    for line in sorted(lines, key=lambda line: line.left):
        for column in columns:
            if _overlap(column, line) > 0.5:
                column.append(line)
                break
        else:
            columns.append([line])
    return [line for column in columns for line in sorted(column, key=lambda line: -line.top)]


def _overlap(column: list[PdfLine], line: PdfLine) -> float:
    """The share of the narrower of the two that is within the other, across."""
    left = min(item.left for item in column)
    right = max(item.right for item in column)
    shared = min(right, line.right) - max(left, line.left)
    return shared / max(1.0, min(right - left, line.right - line.left))
