"""Sets a page's blocks on sheets of paper: columns, headings, lists and ruled tables, as lines and strokes."""

from __future__ import annotations

from dataclasses import dataclass, field

from simweb.files.metrics import break_lines
from simweb.markdown import Heading, Listing, Paragraph, Quote, Table, inline_text
from simweb.model import Page

WIDTH, HEIGHT = 595.0, 842.0
_MARGIN = 56.0
_GUTTER = 22.0
_BODY, _SMALL, _TITLE = 10.0, 8.0, 17.0
_LEADING = 1.42


@dataclass(frozen=True)
class Line:
    """One line of text; `x` and `y` are its lower left corner, counted from the sheet's lower left."""

    x: float
    y: float
    text: str
    size: float
    is_bold: bool = False


@dataclass(frozen=True)
class Stroke:
    """One thin straight line."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass
class Sheet:
    lines: list[Line] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)


def lay_out(page: Page) -> list[Sheet]:
    """The sheets of a document, with its title, byline, running head and page numbers."""
    setter = _Setter(page.columns)
    setter.title(page)
    for block in page.blocks:
        setter.block(block)
    for number, sheet in enumerate(setter.sheets, start=1):
        sheet.lines.append(Line(_MARGIN, HEIGHT - 34, page.site.name, _SMALL))
        sheet.lines.append(Line(WIDTH / 2 - 4, 30, str(number), _SMALL))
    return setter.sheets


class _Setter:
    """Fills one column after another from top to bottom."""

    def __init__(self, columns: int) -> None:
        self.sheets = [Sheet()]
        self._columns = columns
        self._wide = (WIDTH - 2 * _MARGIN - _GUTTER * (columns - 1)) / columns
        self._column = 0
        self._top = HEIGHT - _MARGIN
        self._y = self._top

    def title(self, page: Page) -> None:
        """Across all columns, at the head of the first sheet."""
        full = WIDTH - 2 * _MARGIN
        for text in break_lines(page.title, _TITLE, full, is_bold=True):
            self._y -= _TITLE * 1.3
            self.sheets[0].lines.append(Line(_MARGIN, self._y, text, _TITLE, is_bold=True))
        day = page.changed.isoformat() if page.changed else ""
        byline = " · ".join(part for part in (page.author, page.site.name, day) if part)
        for text in break_lines(byline, _SMALL, full):
            self._y -= _SMALL * 1.6
            self.sheets[0].lines.append(Line(_MARGIN, self._y, text, _SMALL))
        self._y -= 14
        self._top = self._y

    def block(self, block: Heading | Paragraph | Quote | Listing | Table) -> None:
        match block:
            case Heading(level, text):
                self._room(4 * _BODY * _LEADING)
                self._text(text, 14.0 - level, before=12, after=3, is_bold=True)
            case Paragraph(text):
                self._text(text, _BODY, after=6)
            case Quote(text):
                self._text(text, _BODY, after=6, indent=16)
            case Listing(items, is_ordered):
                for number, item in enumerate(items, start=1):
                    self._text(f"{number}. {item}" if is_ordered else f"\u2022 {item}", _BODY, after=2, indent=10)
                self._y -= 4
            case Table(rows):
                self._table(rows)

    def _text(
        self, text: str, size: float, *, before: float = 0, after: float, indent: float = 0, is_bold: bool = False
    ) -> None:
        self._y -= before
        for words in break_lines(inline_text(text), size, self._wide - indent, is_bold=is_bold):
            self._room(size * _LEADING)
            self._y -= size * _LEADING
            self.sheets[-1].lines.append(Line(self._x + indent, self._y, words, size, is_bold))
        self._y -= after

    def _table(self, rows: tuple[tuple[str, ...], ...]) -> None:
        self._y -= 6
        wide = self._wide / len(rows[0])
        for number, row in enumerate(rows):
            cells = [break_lines(inline_text(cell), 9.0, wide - 8) for cell in row]
            height = max(map(len, cells)) * 9.0 * _LEADING + 6
            is_new = self._room(height)
            if number == 0 or is_new:
                self._rule(self._y)
            for place, cell in enumerate(cells):
                for depth, words in enumerate(cell, start=1):
                    x, y = self._x + place * wide + 4, self._y - depth * 9.0 * _LEADING
                    self.sheets[-1].lines.append(Line(x, y, words, 9.0, is_bold=number == 0))
            for place in range(len(row) + 1):
                x = self._x + place * wide
                self.sheets[-1].strokes.append(Stroke(x, self._y, x, self._y - height))
            self._y -= height
            self._rule(self._y)
        self._y -= 10

    def _rule(self, y: float) -> None:
        self.sheets[-1].strokes.append(Stroke(self._x, y, self._x + self._wide, y))

    @property
    def _x(self) -> float:
        return _MARGIN + self._column * (self._wide + _GUTTER)

    def _room(self, height: float) -> bool:
        """Go to the next column or sheet when this one is full."""
        if self._y - height >= _MARGIN:
            return False
        self._column += 1
        if self._column == self._columns:
            self._column = 0
            self.sheets.append(Sheet())
            self._top = HEIGHT - _MARGIN
        self._y = self._top
        return True
