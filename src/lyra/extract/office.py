"""Office documents and books to blocks: DOCX, ODT, PPTX, XLSX and EPUB, by what lies in the zip."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lyra.charset import decode
from lyra.errors import InvalidParams
from lyra.extract.blocks import Block, single_line
from lyra.extract.dates import parse_date
from lyra.extract.docx import docx_markdown
from lyra.extract.html_markdown import html_markdown
from lyra.extract.packed import ZIP, Packed, unreadable
from lyra.extract.plain import markdown_blocks
from lyra.model.page import FragmentType

if TYPE_CHECKING:
    from lxml.etree import _Element

_MAX_BLOCKS = 50_000
_MAX_COLUMNS = 200
_MAX_CHAPTERS = 2_000
# Paragraphs inside these are read with them, or are no text any more.
_NOT_TEXT = ("table-row", "tracked-changes")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DECLARED = re.compile(r"officedocument|opendocument|epub")
_LOCKED = "EncryptedPackage".encode("utf-16-le")


@dataclass(frozen=True, slots=True)
class OfficeContent:
    """What was read: the blocks, and what the document says of itself."""

    blocks: list[Block]
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str | None = None


def read_office(body: bytes, media_type: str = "") -> OfficeContent | None:
    """The document; None where the bytes are no such one. Raises InvalidParams for a broken or encrypted one."""
    if body.startswith(_OLD_OFFICE) and _LOCKED in body:
        raise unreadable("Office document", "is encrypted")
    if not body.startswith(ZIP):
        return None
    try:
        packed = Packed(body)
    except InvalidParams:  # a zip only by its first bytes
        if _DECLARED.search(media_type):
            raise
        return None
    for mark, kind, read in _KINDS:
        if mark in packed.names:
            packed.kind = kind
            return _described(packed, list(islice(read(packed, body), _MAX_BLOCKS)))
    return None


def _described(packed: Packed, blocks: list[Block]) -> OfficeContent:
    """The blocks with title, authors and date from the document's own metadata."""
    root = next((found for name in _METADATA if (found := packed.xml(name)) is not None), None)
    fields = _metadata(root) if root is not None else {}
    title = next(iter(fields.get("title", ())), "") or next(
        (one.text for one in blocks[:1] if one.type is FragmentType.HEADING), ""
    )
    when = next((parse_date(value[:10]) for name in ("date", "created") for value in fields.get(name, ())), None)
    return OfficeContent(blocks, title, tuple(fields.get("creator", ())), when)


_METADATA = ("docProps/core.xml", "meta.xml")


def _metadata(root: "_Element") -> dict[str, list[str]]:
    """Dublin Core fields by their local names."""
    fields: dict[str, list[str]] = {}
    for element in root.iter():
        value = single_line(element.text or "")
        if value and isinstance(element.tag, str):
            fields.setdefault(_local(element), []).append(value)
    return fields


def _local(element: "_Element") -> str:
    return str(element.tag).rpartition("}")[2]


def _word(packed: Packed, body: bytes) -> Iterator[Block]:
    yield from markdown_blocks(docx_markdown(body))


def _text(element: "_Element") -> str:
    return single_line("".join(map(str, element.itertext())))


def _open_document(packed: Packed, body: bytes) -> Iterator[Block]:
    """ODT: headings, paragraphs, list items and table rows of `content.xml`."""
    manifest = packed.read("META-INF/manifest.xml")
    if manifest is not None and b"encryption-data" in manifest:
        raise packed.refused("is encrypted")
    root = packed.xml("content.xml")
    for element in () if root is None else root.iter():
        name = _local(element) if isinstance(element.tag, str) else ""
        if name == "table-row":
            yield Block(_row(_text(cell) for cell in element if _local(cell) == "table-cell"), FragmentType.TABLE)
        elif name in ("h", "p") and not any(_local(one) in _NOT_TEXT for one in element.iterancestors()):
            yield _paragraph(element, is_heading=name == "h")


def _paragraph(element: "_Element", *, is_heading: bool) -> Block:
    if is_heading:
        level = next((value for name, value in element.attrib.items() if str(name).endswith("outline-level")), "1")
        return Block(_text(element), FragmentType.HEADING, min(6, int(level) if str(level).isdigit() else 1))
    is_item = any(_local(one) == "list-item" for one in element.iterancestors())
    return Block(_text(element), FragmentType.LIST if is_item else FragmentType.PARAGRAPH)


def _row(cells: Iterator[str]) -> str:
    return " | ".join(cell for cell in islice(cells, _MAX_COLUMNS) if cell)


def _numbered(packed: Packed, pattern: str) -> list[tuple[int, str]]:
    found = ((re.fullmatch(pattern, name), name) for name in packed.names)
    return sorted((int(match[1]), name) for match, name in found if match)


def _slides(packed: Packed, body: bytes) -> Iterator[Block]:
    """PPTX: the paragraphs of every slide and its notes, with the number of the slide."""
    for number, name in _numbered(packed, r"ppt/slides/slide(\d{1,6})\.xml"):
        for part in (name, f"ppt/notesSlides/notesSlide{number}.xml"):
            root = packed.xml(part)
            for shape in () if root is None else root.iter("{*}sp"):
                is_title = any(str(one.get("type")).lower().endswith("title") for one in shape.iter("{*}ph"))
                for paragraph in shape.iter("{*}p"):
                    text = single_line("".join(str(one.text or "") for one in paragraph.iter("{*}t")))
                    kind = FragmentType.HEADING if is_title else FragmentType.PARAGRAPH
                    yield Block(text, kind, 1 if is_title else 0, number)


def _sheets(packed: Packed, body: bytes) -> Iterator[Block]:
    """XLSX: each sheet under its name, a block for every row, with the number of the sheet."""
    strings = packed.xml("xl/sharedStrings.xml")
    shared = [] if strings is None else [_text(one) for one in strings.iter("{*}si")]
    book = packed.xml("xl/workbook.xml")
    names = [] if book is None else [str(one.get("name") or "") for one in book.iter("{*}sheet")]
    for place, (number, part) in enumerate(_numbered(packed, r"xl/worksheets/sheet(\d{1,6})\.xml")):
        yield Block(names[place] if place < len(names) else "", FragmentType.HEADING, 1, number)
        root = packed.xml(part)
        for row in () if root is None else root.iter("{*}row"):
            yield Block(_row(_cell(one, shared) for one in row.iter("{*}c")), FragmentType.TABLE, 0, number)


def _cell(cell: "_Element", shared: list[str]) -> str:
    value = cell.find("{*}v")
    if value is None or cell.get("t") == "inlineStr":
        return _text(cell)
    text = str(value.text or "")
    if cell.get("t") == "s":
        return shared[int(text)] if text.isdigit() and int(text) < len(shared) else ""
    return single_line(text)


def _book(packed: Packed, body: bytes) -> Iterator[Block]:
    """EPUB: the chapters in the order of the book, each with the number of its place."""
    container = packed.xml("META-INF/container.xml")
    files = () if container is None else container.iter("{*}rootfile")
    path = next((str(one.get("full-path")) for one in files), "")
    root = packed.xml(path)
    if root is None:
        raise packed.refused("has no list of its chapters")
    about = root.find("{*}metadata")
    fields = {} if about is None else _metadata(about)
    if title := next(iter(fields.get("title", ())), ""):
        yield Block(title, FragmentType.HEADING, 1)
    places = {str(one.get("id")): unquote(str(one.get("href") or "")) for one in root.iter("{*}item")}
    spine = [places.get(str(one.get("idref")), "") for one in root.iter("{*}itemref")]
    for number, href in enumerate(spine[:_MAX_CHAPTERS], 1):
        markup = packed.read(posixpath.normpath(posixpath.join(posixpath.dirname(path), href)))
        if markup is not None:
            for one in markdown_blocks(html_markdown(decode(markup, "application/xhtml+xml"))):
                yield Block(one.text, one.type, one.level, number)


# The part that shows what a zip is, what people call it, and what reads it.
_KINDS: tuple[tuple[str, str, Callable[[Packed, bytes], Iterator[Block]]], ...] = (
    ("word/document.xml", "Word document", _word),
    ("ppt/presentation.xml", "PowerPoint presentation", _slides),
    ("xl/workbook.xml", "Excel workbook", _sheets),
    ("META-INF/container.xml", "EPUB book", _book),
    ("content.xml", "OpenDocument text", _open_document),
)
