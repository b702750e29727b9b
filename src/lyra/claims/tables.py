"""Rows of a table and the names of its columns, as fragments keep them: a line for each row, bars between cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lyra.word_lists import word_lists

_ROW = re.compile(r"\S(?:[^\n]*\S)?")
_CELL = re.compile(r"[^|\s](?:[^|]*[^|\s])?")
# 124,000 or 3.5 % is what a table tells; 2024, 令和6年 or R6 names a column of it.
_AMOUNT = re.compile(r"[-−+△▲¥$€£]?\s?\d[\d,.]*\s?(?:[%％℃]|[^\W\d_]{0,4})")


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    start: int


def spans_of_rows(text: str) -> list[tuple[int, int]]:
    """Start and end of every row."""
    return [row.span() for row in _ROW.finditer(text)]


def cells_of(text: str, row: tuple[int, int]) -> list[Cell]:
    """The cells of a row with their places in the text."""
    return [Cell(cell.group(), cell.start()) for cell in _CELL.finditer(text, *row)]


def rows_of(text: str, header: str | None = None) -> tuple[list[tuple[int, int]], list[Cell]]:
    """The rows that tell something, and the names of the columns: those of `header`, or of the text's own first row.

    No names where the first row holds amounts like those below it, or is all there is.
    """
    rows = spans_of_rows(text)
    if header is not None:
        return rows, cells_of(header, (0, len(header)))
    first = cells_of(text, rows[0]) if len(rows) > 1 else []
    return (rows[1:], first) if is_header(first) else (rows, [])


def is_header(cells: Sequence[Cell]) -> bool:
    """Whether a row names columns: at least two cells, none of them an amount."""
    return len(cells) > 1 and not any(_is_amount(cell.text) for cell in cells)


def _is_amount(text: str) -> bool:
    return bool(_AMOUNT.fullmatch(text)) and not _is_year(text)


def _is_year(text: str) -> bool:
    return bool(word_lists("lyra.claims", "quantities", "en", "ja").pattern("year_label").fullmatch(text))
