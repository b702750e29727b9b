"""Office files, books and mail with a title and paragraphs: the least of each format that programs open."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from email.message import EmailMessage
from types import MappingProxyType
from xml.sax.saxutils import escape

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CORE = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></cp:coreProperties>'
)
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


def docx(title: str, paragraphs: Sequence[str]) -> bytes:
    body = "".join(f"<w:p><w:r><w:t>{escape(one)}</w:t></w:r></w:p>" for one in paragraphs)
    document = f'<w:document xmlns:w="{_W}"><w:body>{body}</w:body></w:document>'
    return packed({"word/document.xml": _HEAD + document, "docProps/core.xml": _CORE.format(escape(title))})


def odt(title: str, paragraphs: Sequence[str]) -> bytes:
    body = "".join(f"<text:p>{escape(one)}</text:p>" for one in paragraphs)
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    content = (
        f'<office:document-content xmlns:office="{office}" xmlns:text="{text}"><office:body><office:text>'
        f'<text:h text:outline-level="1">{escape(title)}</text:h>{body}'
        "</office:text></office:body></office:document-content>"
    )
    return packed({"content.xml": _HEAD + content, "META-INF/manifest.xml": "<manifest/>"})


def pptx(title: str, paragraphs: Sequence[str]) -> bytes:
    """A slide for every paragraph."""
    names = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    names += ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    slides = {
        f"ppt/slides/slide{number}.xml": f"{_HEAD}<p:sld {names}><p:sp><a:p><a:r><a:t>{escape(one)}</a:t></a:r></a:p>"
        "</p:sp></p:sld>"
        for number, one in enumerate(paragraphs, 1)
    }
    return packed({"ppt/presentation.xml": "<p/>", "docProps/core.xml": _CORE.format(escape(title)), **slides})


def xlsx(title: str, paragraphs: Sequence[str]) -> bytes:
    """A sheet with a row for every paragraph: its number, and its text as a shared string."""
    name = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<row><c><v>{number}</v></c><c t="s"><v>{number}</v></c></row>' for number in range(len(paragraphs))
    )
    shared = "".join(f"<si><t>{escape(one)}</t></si>" for one in paragraphs)
    return packed(
        {
            "xl/workbook.xml": f'<workbook xmlns="{name}"><sheets><sheet name="{escape(title)}"/></sheets></workbook>',
            "xl/sharedStrings.xml": f'<sst xmlns="{name}">{shared}</sst>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{name}"><sheetData>{rows}</sheetData></worksheet>',
            "docProps/core.xml": _CORE.format(escape(title)),
        }
    )


def epub(title: str, paragraphs: Sequence[str]) -> bytes:
    """A book with a chapter for every paragraph."""
    chapters = {f"c{number}.xhtml": one for number, one in enumerate(paragraphs, 1)}
    items = "".join(f'<item id="{name}" href="{name}"/>' for name in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(title)}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    pages = {
        f"OEBPS/{name}": f"<!DOCTYPE html><html><body><h1>{name[:-6]}</h1><p>{escape(one)}</p></body></html>"
        for name, one in chapters.items()
    }
    return packed({"META-INF/container.xml": container, "OEBPS/book.opf": package, **pages})


def eml(title: str, paragraphs: Sequence[str]) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = title, "Anna Berg <anna@example.org>", "team@example.org"
    message["Date"] = "Tue, 03 Mar 2026 09:30:00 +0000"
    message.set_content("\n\n".join(paragraphs))
    return bytes(message)


def html(title: str, paragraphs: Sequence[str]) -> bytes:
    body = "".join(f"<p>{escape(one)}</p>" for one in paragraphs)
    page = (
        f"<!DOCTYPE html><html><head><title>{escape(title)}</title></head><body><article>{body}</article></body></html>"
    )
    return page.encode()


def markdown(title: str, paragraphs: Sequence[str]) -> bytes:
    return "\n\n".join((f"# {title}", *paragraphs)).encode()


def plain(title: str, paragraphs: Sequence[str]) -> bytes:
    return "\n\n".join((title, *paragraphs)).encode()


Maker = Callable[[str, Sequence[str]], bytes]
MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        ".docx": docx,
        ".odt": odt,
        ".pptx": pptx,
        ".xlsx": xlsx,
        ".epub": epub,
        ".eml": eml,
        ".html": html,
        ".md": markdown,
        ".txt": plain,
    }
)
