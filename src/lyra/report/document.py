"""A report as blocks of text, tables and figures, from which each format is written."""

from dataclasses import dataclass
from enum import StrEnum

from lyra.report.figures import FigureData
from lyra.translate import Language


class Style(StrEnum):
    """How a piece of text is set; FOREIGN is what stands on pages of others, in whatever direction it is read."""

    PLAIN = "plain"
    STRONG = "strong"
    SOFT = "soft"
    MARK = "mark"
    FOREIGN = "foreign"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    style: Style = Style.PLAIN
    link: str | None = None


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 2 to 4; the document's title is level 1."""

    level: int
    line: Line


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short paragraphs, numbered or not."""

    lines: tuple[Line, ...]
    is_numbered: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; `widths` are shares of the page's width in percent."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    data: FigureData


@dataclass(frozen=True, slots=True)
class AnswerEnd:
    """What stands before it is the answer: printed HTML keeps it on the first page, Word begins a new one after it."""


Block = Heading | Paragraph | Items | Table | Figure | AnswerEnd


@dataclass(frozen=True, slots=True)
class Document:
    """`name` stands in the footer of each page."""

    title: str
    name: str
    language: Language
    blocks: tuple[Block, ...]
