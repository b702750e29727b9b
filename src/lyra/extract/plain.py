"""Plain text and Markdown to blocks."""

import re
from collections.abc import Iterator
from itertools import islice

from lyra.extract.blocks import Block, clean_code, clean_text, single_line
from lyra.model.page import FragmentType

_MAX_BLOCKS = 50_000
_PARTING = re.compile(r"\n[^\S\n]*\n")
_FENCE = re.compile(r"^\s{0,3}(```+|~~~+)")
_ATX = re.compile(r"^\s{0,3}(#{1,6})\s+(\S.*)?$")
_SETEXT = re.compile(r"^\s{0,3}(=+|-+)\s*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_QUOTE = re.compile(r"^\s{0,3}>\s?")
_RULE = re.compile(r"^\s{0,3}(?:[-*_]\s*){3,}$")
_TABLE_RULE = re.compile(r"^\s*+\|?\s*+:?-{2,}+:?\s*+(?:\|\s*+:?-{2,}+:?\s*+)*+\|?\s*$")
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\s*\n", re.DOTALL)
# Bounded, so that a line of nothing but marks costs no more than any other.
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s\"[^\"\n]{0,200}\")?\)"
)
_EMPHASIS = re.compile(r"(\*{1,3}|__|`{1,3})(?=[^\s*_`])([^\n*`]{0,500}?[^\s*`])\1")


def text_blocks(text: str) -> list[Block]:
    """Paragraphs as empty lines part them."""
    parts = (clean_text(part) for part in _PARTING.split(_unix(text)))
    return list(islice((Block(part) for part in parts if part), _MAX_BLOCKS))


def markdown_blocks(text: str) -> list[Block]:
    """Headings, items, quotes, table rows, fenced code and paragraphs, without their marks."""
    lines = _FRONT_MATTER.sub("", _unix(text)).split("\n")
    return list(islice((block for block in _Markdown(lines).blocks() if block.text), _MAX_BLOCKS))


def front_matter(text: str) -> dict[str, str]:
    """The simple `key: value` lines of a YAML head."""
    match = _FRONT_MATTER.match(_unix(text))
    pairs = (line.split(":", 1) for line in match.group(1).split("\n") if ":" in line) if match else ()
    return {key.strip().lower(): value.strip().strip("\"'") for key, value in pairs}


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


class _Markdown:
    """Reads lines once, from top to bottom."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._open: list[str] = []
        self._kind = FragmentType.PARAGRAPH

    def blocks(self) -> Iterator[Block]:
        place = 0
        while place < len(self._lines):
            line = self._lines[place]
            place += 1
            if fence := _FENCE.match(line):
                yield from self._close()
                end = self._end_of_code(place, fence.group(1)[:3])
                yield Block(clean_code("\n".join(self._lines[place:end])), FragmentType.CODE)
                place = end + 1
            else:
                yield from self._line(line)
        yield from self._close()

    def _end_of_code(self, place: int, fence: str) -> int:
        return next(
            (n for n in range(place, len(self._lines)) if self._lines[n].lstrip().startswith(fence)), len(self._lines)
        )

    def _line(self, line: str) -> Iterator[Block]:
        if heading := _ATX.match(line):
            yield from self._close()
            title = (heading.group(2) or "").rstrip().rstrip("#")
            yield Block(_plain(title), FragmentType.HEADING, len(heading.group(1)))
        elif self._open and self._kind is FragmentType.PARAGRAPH and (rule := _SETEXT.match(line)):
            title, self._open = " ".join(self._open), []
            yield Block(_plain(title), FragmentType.HEADING, 1 if rule.group(1)[0] == "=" else 2)
        elif not line.strip() or _RULE.match(line) or _TABLE_RULE.match(line):
            yield from self._close()
        elif line.lstrip().startswith("|"):
            yield from self._close()
            cells = (_plain(cell) for cell in line.strip().strip("|").split("|"))
            yield Block(" | ".join(cell for cell in cells if cell), FragmentType.TABLE)
        else:
            yield from self._run_on(line)

    def _run_on(self, line: str) -> Iterator[Block]:
        if _ITEM.match(line):
            yield from self._close()
            self._kind = FragmentType.LIST
        elif _QUOTE.match(line) and self._kind is not FragmentType.QUOTE:
            yield from self._close()
            self._kind = FragmentType.QUOTE
        self._open.append(_QUOTE.sub("", _ITEM.sub("", line)))

    def _close(self) -> Iterator[Block]:
        if self._open:
            yield Block(_plain(" ".join(self._open)), self._kind)
        self._open, self._kind = [], FragmentType.PARAGRAPH


def _plain(text: str) -> str:
    """Words without link and emphasis marks."""
    return single_line(_EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text)))
