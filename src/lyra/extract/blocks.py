"""Blocks of a document in reading order: from trafilatura's body element, to one text with located passages."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.extract.tree import text_of
from lyra.model.page import FragmentType, Heading, Passage

EXTRACTOR_VERSION = "lyra-extract/2"


_SEPARATOR = "\n\n"
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r" ?\n ?")
_BREAKS = re.compile(r"\n{2,}")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document in reading order. `level` is that of a heading, 1 to 6."""

    text: str
    type: FragmentType = FragmentType.PARAGRAPH
    level: int = 0
    page_number: int | None = None


def clean_text(text: str) -> str:
    """One kind of white space, no invisible characters, no empty lines."""
    visible = _INVISIBLE.sub("", text)
    return _BREAKS.sub("\n", _LINE_ENDS.sub("\n", _SPACES.sub(" ", visible))).strip()


def clean_code(text: str) -> str:
    """Code keeps its indentation and empty lines."""
    lines = [_INVISIBLE.sub("", line).rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n").rstrip()


def single_line(text: str) -> str:
    """All white space as single spaces, no invisible characters."""
    return " ".join(_INVISIBLE.sub("", text).split())


def assemble(blocks: Iterable[Block]) -> tuple[str, tuple[Passage, ...]]:
    """The whole text, blocks parted by an empty line, and a passage for each with the headings above it."""
    pieces: list[str] = []
    passages: list[Passage] = []
    above: list[Heading] = []
    offset = index = 0
    for block in blocks:
        if not block.text:
            continue
        if block.type is FragmentType.HEADING:
            above = [heading for heading in above if heading.level < block.level]
            headings, index = tuple(above), 0
        else:
            headings, index = tuple(above), index + 1
        end = offset + len(block.text)
        passages.append(Passage(block.text, offset, end, block.type, headings, max(0, index - 1), block.page_number))
        pieces.append(block.text)
        offset = end + len(_SEPARATOR)
        if block.type is FragmentType.HEADING:
            above.append(Heading(block.level, block.text))
    return _SEPARATOR.join(pieces), tuple(passages)


def without_title(blocks: Sequence[Block], title: str) -> list[Block]:
    """The blocks without the page's title where it is the first heading or line."""
    wanted = _folded(title)
    for place, block in enumerate(blocks[:3]):
        if wanted and _folded(block.text) == wanted:
            return [*blocks[:place], *blocks[place + 1 :]]
    return list(blocks)


def _folded(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()


if TYPE_CHECKING:
    from lxml.etree import _Element

_INLINE = frozenset({"hi", "ref", "del", "graphic", "span", "a", "b", "i", "em", "strong", "sub", "sup"})
_KINDS = {"item": FragmentType.LIST, "quote": FragmentType.QUOTE}
_SKIPPED = frozenset({"done", "graphic", "script", "style"})
_MAX_BLOCK_DEPTH = 400
_PROSE_CHARS = 80


def blocks_of(body: "_Element") -> list[Block]:
    """Paragraphs, headings, list items, quotes, table rows and code, each as a block."""
    reader = _Reader()
    reader.read(body, FragmentType.PARAGRAPH, 0)
    reader.flush(FragmentType.PARAGRAPH)
    return reader.blocks


class _Reader:
    """Gathers running text until a block element begins or ends."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._pieces: list[str] = []

    def flush(self, kind: FragmentType) -> None:
        text = "".join(self._pieces)
        self._pieces.clear()
        # Two line breaks part paragraphs as surely as a <p> does.
        for part in re.split(r"\x1e\s*\x1e", text):
            self._add(clean_text(part.replace("\x1e", "\n")), kind)

    def _add(self, text: str, kind: FragmentType, level: int = 0) -> None:
        if text and any(char.isalnum() for char in text):
            self.blocks.append(Block(text, kind, level))

    def read(self, element: "_Element", kind: FragmentType, depth: int) -> None:
        if depth > _MAX_BLOCK_DEPTH:
            return
        self._say(element.text)
        for child in element:
            if isinstance(child.tag, str) and child.tag not in _SKIPPED:
                self._enter(child, kind, depth + 1)
            self._say(child.tail)

    def _say(self, text: str | None) -> None:
        if text:
            self._pieces.append(re.sub(r"\s+", " ", text))

    def _enter(self, child: "_Element", kind: FragmentType, depth: int) -> None:
        if child.tag == "lb":
            self._pieces.append("\x1e")
        elif child.tag in _INLINE or (child.tag == "code" and not _is_code_block(child)):
            self.read(child, kind, depth)
        else:
            self.flush(kind)
            self._block(child, kind, depth)

    def _block(self, child: "_Element", kind: FragmentType, depth: int) -> None:
        if child.tag == "head":
            level = re.fullmatch(r"h([1-6])", child.get("rend") or "")
            self._add(single_line(text_of(child)), FragmentType.HEADING, int(level.group(1)) if level else 2)
        elif child.tag == "code":
            self._add(clean_code(_with_line_breaks(child)), FragmentType.CODE)
        elif child.tag == "table":
            for row in child.iter("row", "tr"):
                self._row(row)
        else:
            inner = _KINDS.get(str(child.tag), kind)
            self.read(child, inner, depth)
            self.flush(inner)

    def _row(self, row: "_Element") -> None:
        """One readable line: the cells' words parted by bars, empty cells left out."""
        texts = (single_line(text_of(cell, " ")) for cell in row.iter("cell", "td", "th"))
        cells = [text for text in texts if text]
        # Old pages lay out their prose in tables of one cell.
        is_layout = len(cells) == 1 and len(cells[0]) >= _PROSE_CHARS
        self._add(" | ".join(cells), FragmentType.PARAGRAPH if is_layout else FragmentType.TABLE)


def _is_code_block(element: "_Element") -> bool:
    return "\n" in text_of(element) or element.find(".//lb") is not None


def _with_line_breaks(element: "_Element") -> str:
    pieces = [element.text or ""]
    for child in element.iterdescendants():
        pieces.append("\n" if child.tag == "lb" else "")
        pieces.append(child.text or "")
        pieces.append(child.tail or "")
    return "".join(pieces)
