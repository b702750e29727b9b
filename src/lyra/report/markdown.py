"""A document as Markdown; figures are tables of their data."""

import re
from collections.abc import Iterable

from lyra.report.document import AnswerEnd, Block, Document, Figure, Heading, Items, Line, Paragraph, Span, Style, Table
from lyra.report.figures import figure_table
from lyra.report.links import link_target
from lyra.text import preview, strip_control_chars, without_surrogates

_MOST_FIGURE_ROWS = 30
_FIGURE_CELL_CHARS = 120


def markdown(document: Document) -> str:
    """The whole document; a blank line between blocks."""
    return "\n\n".join([f"# {escape_inline(document.title)}", *_blocks(document.blocks)]) + "\n"


def _blocks(blocks: Iterable[Block]) -> Iterable[str]:
    for block in blocks:
        match block:
            case Heading(level, line):
                yield f"{'#' * level} {_line(line)}"
            case Paragraph(line):
                yield _line(line)
            case Items(lines, is_numbered) if lines:
                yield "\n".join(
                    f"{f'{number}.' if is_numbered else '-'} {_line(one)}" for number, one in enumerate(lines, 1)
                )
            case Table(headings, rows):
                yield _table(headings, [[_line(cell) for cell in row] for row in rows])
            case Figure(data):
                shown = figure_table(data)
                cells = [[escape_inline(preview(cell, _FIGURE_CELL_CHARS)) for cell in row] for row in shown.rows]
                yield f"**{escape_inline(shown.title)}**"
                yield _table(shown.headings, cells[:_MOST_FIGURE_ROWS])
            case AnswerEnd() | Items():
                pass


def _table(headings: Iterable[str], rows: list[list[str]]) -> str:
    names = [escape_inline(one) for one in headings]
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(line: Line) -> str:
    return "".join(_span(one) for one in line)


def _span(span: Span) -> str:
    """Text of others is escaped whatever its style."""
    if span.style is Style.CODE:
        return f"`{span.text}`"
    lead = " " if span.text[:1] == " " else ""
    trail = " " if span.text[-1:] == " " and span.text.strip() else ""
    text = escape_inline(span.text)
    if span.link:
        text = f"[{text}]({link_target(span.link)})"
    if span.style in (Style.STRONG, Style.MARK) and text:
        text = f"**{text}**"
    return f"{lead}{text}{trail}"


def escape_inline(text: str) -> str:
    """Text of a page on one line, with Markdown and HTML escaped."""
    line = strip_control_chars(without_surrogates(" ".join(text.split())))
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", line)
