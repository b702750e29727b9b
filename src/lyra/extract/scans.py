"""Scanned sheets of a PDF: told by what they hold, and read line by line where a reader of pictures is at hand."""

import time
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING

from lyra.extract.pdf_layout import PdfLine
from lyra.ml.ocr import Ocr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pypdfium2 import PdfPage

_LARGE_SHARE = 0.4
_FEW_CHARS = 12
_DOTS_PER_INCH = 200
_LONGEST_SIDE = 3_000
_MAX_OBJECTS = 2_000
_TIME_LIMIT_S = 90.0
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
        self._ends_at = clock() + _TIME_LIMIT_S
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
    """The share of the narrower of the two that lies within the other, across."""
    left = min(item.left for item in column)
    right = max(item.right for item in column)
    shared = min(right, line.right) - max(left, line.left)
    return shared / max(1.0, min(right - left, line.right - line.left))
