"""The small Markdown in which pages are written: headings, paragraphs, lists, tables, quotes, links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

_STRONG = re.compile(r"\*\*(.+?)\*\*")
_EMPHASIS = re.compile(r"(?<![*\w])\*(?!\s)(.+?)(?<!\s)\*(?![*\w])")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_ORDERED = re.compile(r"\d+[.)]\s+")
_WIDE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str


@dataclass(frozen=True)
class Quote:
    text: str


@dataclass(frozen=True)
class Listing:
    items: tuple[str, ...]
    is_ordered: bool


@dataclass(frozen=True)
class Table:
    """The first row is the header."""

    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Quote | Listing | Table


def parse(source: str) -> tuple[Block, ...]:
    """Blocks of a page body; blocks are parted by empty lines."""
    chunks = (chunk.strip("\n").splitlines() for chunk in re.split(r"\n\s*\n", source.strip()))
    return tuple(_block([line.strip() for line in lines]) for lines in chunks if lines)


def _block(lines: list[str]) -> Block:
    first = lines[0]
    if first.startswith("#"):
        marks = len(first) - len(first.lstrip("#"))
        return Heading(marks, first[marks:].strip())
    if first.startswith(">"):
        return Quote(_join([line.lstrip("> ") for line in lines]))
    if first.startswith("|"):
        rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        return Table(tuple(row for row in rows if not set("".join(row)) <= set("-: ")))
    if first.startswith("- "):
        return Listing(tuple(_items(lines, re.compile(r"-\s+"))), is_ordered=False)
    if _ORDERED.match(first):
        return Listing(tuple(_items(lines, _ORDERED)), is_ordered=True)
    return Paragraph(_join(lines))


def _items(lines: list[str], marker: re.Pattern[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if marker.match(line):
            items.append(marker.sub("", line, count=1))
        else:
            items[-1] = _join([items[-1], line])
    return items


def _join(lines: list[str]) -> str:
    """Lines of one paragraph as one; between Japanese characters no space is put."""
    text = lines[0]
    for line in lines[1:]:
        is_wide = bool(_WIDE.match(text[-1:])) and bool(_WIDE.match(line[:1]))
        text += line if is_wide else f" {line}"
    return text


def inline_html(text: str) -> str:
    html = escape(text, quote=False)
    html = _LINK.sub(r'<a href="\2">\1</a>', html)
    html = _STRONG.sub(r"<strong>\1</strong>", html)
    return _EMPHASIS.sub(r"<em>\1</em>", html)


def inline_text(text: str) -> str:
    return _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", _LINK.sub(r"\1", text)))


def to_html(blocks: tuple[Block, ...]) -> str:
    return "\n".join(_block_html(block) for block in blocks)


def _block_html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level}>{inline_html(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{inline_html(text)}</p>"
        case Quote(text):
            return f"<blockquote><p>{inline_html(text)}</p></blockquote>"
        case Listing(items, is_ordered):
            tag = "ol" if is_ordered else "ul"
            return f"<{tag}>" + "".join(f"<li>{inline_html(item)}</li>" for item in items) + f"</{tag}>"
        case Table(rows):
            head = "".join(f"<th>{inline_html(cell)}</th>" for cell in rows[0])
            cells = ("".join(f"<td>{inline_html(cell)}</td>" for cell in row) for row in rows[1:])
            body = "".join(f"<tr>{row}</tr>" for row in cells)
            return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def to_text(blocks: tuple[Block, ...]) -> str:
    """The words alone, one block (or item, or row) a line."""
    return "\n".join(_block_text(block) for block in blocks)


def _block_text(block: Block) -> str:
    match block:
        case Heading(_, text) | Paragraph(text) | Quote(text):
            return inline_text(text)
        case Listing(items, _):
            return "\n".join(inline_text(item) for item in items)
        case Table(rows):
            return "\n".join(" ".join(inline_text(cell) for cell in row) for row in rows)
