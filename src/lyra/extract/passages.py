"""Blocks to one text with located passages: `text[start:end] == passage.text`, always."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lyra.model.page import FragmentType, Heading, Passage

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


def on_one_line(text: str) -> str:
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
    """The blocks without the page's title where it stands as the first heading or line."""
    wanted = _folded(title)
    for place, block in enumerate(blocks[:3]):
        if wanted and _folded(block.text) == wanted:
            return [*blocks[:place], *blocks[place + 1 :]]
    return list(blocks)


def _folded(text: str) -> str:
    return re.sub(r"\W+", "", text).casefold()
