"""Lines of PDF pages to blocks: paragraphs joined, headings recognised by their size, running heads dropped. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from lyra.extract.blocks import Block, clean_text
from lyra.model.page import FragmentType
from lyra.word_lists import word_lists

_CJK = "\u3000-\u30ff\u3400-\u9fff\uff00-\uffef"
_SENTENCE_END = re.compile(r"[.!?:;。！？：；][\"'”’)\]」』）]*$")
_BULLET = re.compile(r"^\s*(?:[•‣▪■□●○◆◇・–—*]|\(?\d{1,2}[.)]|[（(][0-9０-９一二三四五]{1,2}[)）])\s*(?=\S)")
_NUMBERED_HEADING = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z\u3040-\u9fff][^.。]{2,80}$")
_NUMBER = re.compile(r"\d+|\b[ivxl]+\b")
# An address that a line breaks off: a hyphen there belongs to it, and what follows behind a sign goes on with it.
_ADDRESS_AT_END = re.compile(r"(?:https?://|www\.|\b10\.\d{4,9}/)\S*$")
_ADDRESS_GOES_ON = re.compile(r"[a-z%]\S*[/_=&%-]")
_SIGNS_OF_ADDRESS = ("/", "_", "=", "&", "?", "%", "#")
_LONGEST_ADDRESS = 2_000
# What browsers print above and below a page: date and title, address and number of the page.
_PRINTED_DATE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4},? \d{1,2}:\d\d(?:\s?[AP]M)?(?:\s.*)?", re.IGNORECASE)
_PRINTED_ADDRESS = re.compile(r"(?:https?|file)://\S+ \d{1,4}/\d{1,4}", re.IGNORECASE)
_EDGE_LINES = 3
_HEADING_RATIO = 1.15
_MAX_HEADING_CHARS = 200
_CELL_CHARS = 40


@dataclass(frozen=True, slots=True)
class PdfCell:
    """Words of a line with wide gaps around them."""

    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line on its page, in points from the lower left corner; `cells` where wide gaps part it."""

    text: str
    page: int
    left: float
    right: float
    bottom: float
    top: float
    size: float
    hyphenated: bool = False
    cells: tuple[PdfCell, ...] = ()


def layout(pages: Sequence[Sequence[PdfLine]]) -> list[Block]:
    """The whole document in reading order."""
    lines = [line for page in without_running_heads(pages) for line in page]
    body_size = _body_size(lines)
    levels = _heading_levels(lines, body_size)
    rows = table_rows(lines)
    groups = _paragraphs(lines, rows)
    return [block for group in groups if (block := _block(group, levels, rows)).text]


def table_rows(lines: Sequence[PdfLine]) -> frozenset[PdfLine]:
    """Lines that are rows of a table: short cells below or above those of the line beside it."""
    found: set[PdfLine] = set()
    for upper, lower in pairwise(lines):
        if upper.page == lower.page and _is_row(upper) and _is_row(lower) and _aligned(upper.cells, lower.cells):
            found |= {upper, lower}
    return frozenset(found)


def _is_row(line: PdfLine) -> bool:
    """Cells of prose are columns of text, not of a table."""
    return len(line.cells) >= 2 and len(line.text) <= _CELL_CHARS * len(line.cells)


def _aligned(first: Sequence[PdfCell], second: Sequence[PdfCell]) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return all(any(a.left < b.right and b.left < a.right for b in longer) for a in shorter)


def without_running_heads(pages: Sequence[Sequence[PdfLine]]) -> list[list[PdfLine]]:
    """The pages without lines that recur at the top or bottom of several of them, and without page numbers."""
    edges = Counter(key for page in pages for key in {_running_key(line) for line in _edge(page)})
    wanted = max(3, len(pages) // 3) if len(pages) > 3 else 2
    running = {key for key, count in edges.items() if key and count >= wanted}
    return [[line for line in page if not _is_running(line, page, running)] for page in pages]


def _edge(page: Sequence[PdfLine]) -> list[PdfLine]:
    by_height = sorted(page, key=lambda line: -line.top)
    return by_height[:_EDGE_LINES] + by_height[_EDGE_LINES:][-_EDGE_LINES:]


def _running_key(line: PdfLine) -> str:
    """Position and words, numbers being alike."""
    words = _NUMBER.sub("#", line.text.lower()).strip()
    return f"{round(line.bottom / 4)}:{words}"


def _is_running(line: PdfLine, page: Sequence[PdfLine], running: set[str]) -> bool:
    edge = _edge(page)
    if line not in edge:
        return False
    if any(_PRINTED_ADDRESS.fullmatch(one.text) for one in edge) and (
        _PRINTED_ADDRESS.fullmatch(line.text) or _PRINTED_DATE.fullmatch(line.text)
    ):
        return True
    return _running_key(line) in running or bool(
        re.fullmatch(r"[-–—\s]*(?:page\s*)?\d{1,4}[-–—\s]*", line.text.lower())
    )


def _body_size(lines: Iterable[PdfLine]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _heading_levels(lines: Iterable[PdfLine], body_size: float) -> dict[float, int]:
    """Larger type means a higher heading; at most four levels."""
    larger = {round(line.size, 1) for line in lines if body_size and line.size >= _HEADING_RATIO * body_size}
    return {size: min(rank, 4) for rank, size in enumerate(sorted(larger, reverse=True), start=1)}


def _paragraphs(lines: Sequence[PdfLine], rows: frozenset[PdfLine]) -> list[list[PdfLine]]:
    leading = _leading(lines)
    groups: list[list[PdfLine]] = []
    for line in lines:
        is_alone = line in rows or (groups and groups[-1][-1] in rows)
        if groups and not is_alone and _continues(groups[-1], line, leading):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _leading(lines: Sequence[PdfLine]) -> float:
    """The usual distance from one line to the next."""
    steps = [a.bottom - b.bottom for a, b in pairwise(lines) if a.page == b.page]
    down = [step for step in steps if 0 < step < 60]
    return median(down) if down else 12.0


def _continues(group: Sequence[PdfLine], line: PdfLine, leading: float) -> bool:
    before = group[-1]
    if abs(before.size - line.size) > 0.12 * max(before.size, line.size) or _BULLET.match(line.text):
        return False
    if before.hyphenated:
        return True
    if _is_named_heading(before.text) or (_NUMBERED_HEADING.match(before.text) and len(group) == 1):
        return False
    step = before.bottom - line.bottom
    if before.page != line.page or step < -leading or step > 3 * leading:
        # A new column or page goes on with the paragraph only where a sentence is still open.
        return not _SENTENCE_END.search(before.text) and len(group) > 1
    if step > 1.45 * leading:
        return False
    width = max(item.right for item in group) - min(item.left for item in group)
    ended_short = before.right < max(item.right for item in group) - 0.15 * width and len(group) > 1
    indented = line.left > before.left + 0.8 * line.size and len(group) > 1 and step > 0
    return not (_SENTENCE_END.search(before.text) and (ended_short or indented))


def _block(group: Sequence[PdfLine], levels: dict[float, int], rows: frozenset[PdfLine]) -> Block:
    text = join_lines(group)
    page = group[0].page
    if group[0] in rows:
        return Block(" | ".join(cell.text for cell in group[0].cells), FragmentType.TABLE, 0, page)
    size = round(group[0].size, 1)
    if size in levels and len(text) <= _MAX_HEADING_CHARS:
        return Block(text.replace("\n", " "), FragmentType.HEADING, levels[size], page)
    numbered = _NUMBERED_HEADING.match(text)
    if len(group) == 1 and (numbered or _is_named_heading(text)):
        depth = numbered.group(1).count(".") + 1 if numbered else 1
        return Block(text, FragmentType.HEADING, min(6, max(levels.values(), default=1) + depth), page)
    if bullet := _BULLET.match(text):
        plain = text[bullet.end() :] if not bullet.group().strip()[:2].strip("(（.)").isalnum() else text
        return Block(plain, FragmentType.LIST, 0, page)
    return Block(text, FragmentType.PARAGRAPH, 0, page)


def join_lines(lines: Sequence[PdfLine]) -> str:
    """Lines as running text: words cut by a hyphen made whole, no space between Japanese characters."""
    text = ""
    for line in lines:
        text = _join(text, line.text)
        if line.hyphenated:
            text += "\x02"
    return clean_text(text.replace("\x02", "-"))


def _join(before: str, after: str) -> str:
    if not before:
        return after
    if _ADDRESS_AT_END.search(bare := before.removesuffix("\x02")[-_LONGEST_ADDRESS:]):
        if before.endswith("\x02"):
            return f"{before[:-1]}-{after}"
        if bare.endswith("-") or (bare.endswith(_SIGNS_OF_ADDRESS) and _ADDRESS_GOES_ON.match(after)):
            return before + after
    if before.endswith("\x02"):
        return before[:-1] + ("" if after[:1].islower() else "-") + after
    if re.search(r"[^\W\d]-$", before) and after[:1].islower():
        return before[:-1] + after
    if re.search(f"[{_CJK}]$", before) and re.match(f"[{_CJK}]", after):
        return before + after
    return f"{before} {after}"


def _is_named_heading(text: str) -> bool:
    """Whether a line is nothing but the usual name of a section."""
    return word_lists("lyra.extract", "page_parts", "en", "ja").pattern("section_heading").match(text) is not None
