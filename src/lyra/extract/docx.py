"""A Word document as Markdown: headings, paragraphs, quotations, links, notes, lists and tables."""

import re
from typing import TYPE_CHECKING

from lyra.errors import InvalidParams
from lyra.extract.docx_numbers import WordNumbers
from lyra.extract.packed import ZIP, Packed

if TYPE_CHECKING:
    from lxml.etree import _Element

KIND = "Word document"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_FIELD = re.compile(r'HYPERLINK\s+"(https?://[^"\s]{1,2000})"')
_HEADING = re.compile(r"heading\s?(\d)|見出し\s?(\d)|title", re.IGNORECASE)
_QUOTE = re.compile(r"quote|引用", re.IGNORECASE)


def is_docx(body: bytes) -> bool:
    """Whether the bytes are a zip with a Word document in it."""
    if not body.startswith(ZIP):
        return False
    try:
        return "word/document.xml" in Packed(body, KIND).names
    except InvalidParams:
        return False


def docx_markdown(body: bytes) -> str:
    """The text of a Word document. Raises InvalidParams where it is broken or unpacks to too much."""
    packed = Packed(body, KIND)
    main = packed.xml("word/document.xml")
    if main is None:
        raise packed.refused("has no text")
    lines = _Writer(_links(packed, "document"), WordNumbers.of(packed)).blocks(main)
    for name, sign in (("footnotes", "fn"), ("endnotes", "en")):
        notes = packed.xml(f"word/{name}.xml")
        if notes is not None:
            lines += _notes(notes, sign, _links(packed, name))
    return "\n\n".join(line for line in lines if line.strip())


def _links(packed: Packed, name: str) -> dict[str, str]:
    rels = packed.xml(f"word/_rels/{name}.xml.rels")
    if rels is None:
        return {}
    targets = {str(one.get("Id")): str(one.get("Target") or "") for one in rels}
    return {key: target for key, target in targets.items() if re.match(r"https?://\S+$", target)}


def _notes(root: "_Element", sign: str, links: dict[str, str]) -> list[str]:
    found: list[str] = []
    for note in root:
        key = note.get(f"{_W}id")
        text = " ".join(_Writer(links).blocks(note))
        if key is not None and text.strip():
            found.append(f"[^{sign}{key}]: {text.strip()}")
    return found


class _Writer:
    """Writes the blocks of one part; `links` are the addresses that it names by id, `numbers` those of its lists."""

    def __init__(self, links: dict[str, str], numbers: WordNumbers | None = None) -> None:
        self._links = links
        self._numbers = numbers

    def blocks(self, root: "_Element") -> list[str]:
        found: list[str] = []
        for element in root.iter(f"{_W}p", f"{_W}tbl"):
            if element.tag == f"{_W}tbl":
                found.append(self._table(element))
            elif not any(True for _ in element.iterancestors(f"{_W}tbl")):
                found.append(self._paragraph(element))
        return found

    def _table(self, table: "_Element") -> str:
        rows = ([self._inline(cell).replace("|", "¦") for cell in row.iter(f"{_W}tc")] for row in table.iter(f"{_W}tr"))
        return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)

    def _paragraph(self, paragraph: "_Element") -> str:
        text = self._inline(paragraph).strip()
        sign = self._numbers.sign(paragraph) if self._numbers is not None else ""
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        name = str(style.get(f"{_W}val") or "") if style is not None else ""
        if not text:
            return ""
        if match := _HEADING.match(name):
            return f"{'#' * int(match[1] or match[2] or 1)} {text}"
        if _QUOTE.search(name):
            return f"> {text}"
        return f"{sign or ('- ' if name.startswith('List') else '')}{text}"

    def _inline(self, element: "_Element") -> str:
        parts: list[str] = []
        target, shown = "", 0
        for one in element.iter():
            if one.tag == f"{_W}t":
                parts.append(self._linked(one))
            elif one.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
                parts.append(" ")
            elif one.tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
                parts.append(f"[^{'fn' if 'foot' in one.tag else 'en'}{one.get(f'{_W}id')}]")
            elif one.tag == f"{_W}instrText" and (match := _FIELD.search(one.text or "")):
                target = match[1]
            elif one.tag == f"{_W}fldChar" and target:
                kind = one.get(f"{_W}fldCharType")
                if kind == "separate":
                    shown = len(parts)
                elif kind == "end":
                    parts[shown:] = [f"[{''.join(parts[shown:])}]({target})"]
                    target = ""
        return "".join(parts)

    def _linked(self, run: "_Element") -> str:
        link = next(run.iterancestors(f"{_W}hyperlink"), None)
        target = self._links.get(str(link.get(f"{_R}id"))) if link is not None else None
        text = run.text or ""
        if link is None or target is None:
            return text
        runs = list(link.iter(f"{_W}t"))
        return f"[{''.join(one.text or '' for one in runs)}]({target})" if run is runs[0] else ""
