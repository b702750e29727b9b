"""The cells of a text's tables, each with its row and the head of its column."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from lyra.claims.words import content_words
from lyra.report.check.layout import Sentence
from lyra.report.check.numbers import has_figure, stated
from lyra.report.check.vocabulary import pattern

# The number of a row.
_ORDINAL = re.compile(r"\d{1,3}[.)]?")
_MOST_FIGURES = 8
# A cell with more words beside its figures, or with a citation or quotation of its own, is prose and no datum.
_MOST_WORDS = 3
# From here on a cell says something in words; shorter ones are labels.
_LEAST_OF_PROSE = 6


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell below the heads; `row` are all cells of its row, `head` the head of its column."""

    cell: Sentence
    row: tuple[Sentence, ...]
    head: Sentence | None

    @property
    def words(self) -> str:
        """What the cell says: the first cell of its row, the head of its column, and its own words."""
        return " ".join(dict.fromkeys((self.row[0].plain, self.head.plain if self.head else "", self.cell.plain)))

    def follows(self, figure: str) -> bool:
        """Whether a figure is the difference, or the change in percent, of two others in the row."""
        others = [one.shown for cell in self.row for one in stated(cell.plain) if one.shown != figure][:_MOST_FIGURES]
        return any(
            has_figure(one, f"It went from {first} to {second}.")
            for one in stated(figure)
            for first, second in permutations(others, 2)
        )


def table_cells(sentences: Sequence[Sentence]) -> Iterator[TableCell]:
    """Cells that hold a datum; heads, prose, and figures of the author's own, such as a row's number, are left out."""
    cells = [(one, one.paragraph, *one.cell) for one in sentences if one.cell is not None]
    rows: dict[tuple[int, int], list[Sentence]] = {}
    for one, paragraph, row, _ in cells:
        rows.setdefault((paragraph, row), []).append(one)
    headless = _headless(sentences)
    heads = {(paragraph, column): one for one, paragraph, row, column in cells if _is_head(paragraph, row, headless)}
    for one, paragraph, row, column in cells:
        head = heads.get((paragraph, column))
        is_ordinal = column == 0 and bool(_ORDINAL.fullmatch(one.plain))
        is_own = head is not None and bool(pattern("tables", "own_column").fullmatch(head.plain))
        if not _is_head(paragraph, row, headless) and not is_ordinal and not is_own and _is_datum(one):
            yield TableCell(one, tuple(rows[paragraph, row]), head)


def prose_cells(sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, tuple[Sentence, ...]]]:
    """Cells that say something in words, below the heads, each with its row."""
    headless = _headless(sentences)
    rows: dict[tuple[int, int], list[Sentence]] = {}
    for one in sentences:
        if one.cell is not None:
            rows.setdefault((one.paragraph, one.cell[0]), []).append(one)
    for (paragraph, row), cells in rows.items():
        if not _is_head(paragraph, row, headless):
            yield from ((one, tuple(cells)) for one in cells if _is_prose(one))


def _headless(sentences: Sequence[Sentence]) -> frozenset[int]:
    """The tables, by their paragraphs, whose first row says something in words: it is no row of heads."""
    return frozenset(one.paragraph for one in sentences if one.cell is not None and one.cell[0] == 0 and _is_prose(one))


def _is_head(paragraph: int, row: int, headless: frozenset[int]) -> bool:
    return row == 0 and paragraph not in headless


def _is_prose(one: Sentence) -> bool:
    return len(content_words(one.plain)) >= _LEAST_OF_PROSE


def _is_datum(one: Sentence) -> bool:
    is_cited = any(one.start <= mark.start < one.end for mark in one.citations)
    is_plain = not is_cited and not re.search(r"[\"“「『]", one.plain)
    return is_plain and len(content_words(one.plain)) <= _MOST_WORDS
