"""Bytes to a document: the kind is decided by the bytes first, by the declared type second."""

import re
from dataclasses import replace

from lyra.charset import decode, media_type_of
from lyra.errors import InvalidParams
from lyra.extract.blocks import EXTRACTOR_VERSION, Block, assemble, without_title
from lyra.extract.classify import PageSignals, document_language, page_type, text_quality
from lyra.extract.dates import first_full_date, parse_date
from lyra.extract.html import read_html
from lyra.extract.mail import read_mail
from lyra.extract.office import OfficeContent, read_office
from lyra.extract.pdf import read_pdf
from lyra.extract.plain import front_matter, markdown_blocks, text_blocks
from lyra.media import MediaKind, binary_format, is_binary, sniff, text_kind, with_article
from lyra.ml.ocr import Ocr, version
from lyra.model.page import Document, FragmentType, identifiers_in

MAIL = "message/rfc822"


def read_document(
    body: bytes,
    *,
    content_type: str | None,
    url: str = "",
    reader: Ocr | None = None,
    keeps_raised: bool = False,
) -> Document:
    """The located text of a body; `reader` reads scanned sheets; `keeps_raised` leaves superscripts of a PDF raised.

    Raises InvalidParams where the body is empty or nothing that can be read.
    """
    if not body.strip():
        raise _refused("The body is empty.", "nothing")
    if sniff(body) is MediaKind.PDF:
        return _pdf_document(body, url, reader, keeps_raised=keeps_raised)
    if (office := read_office(body, media_type_of(content_type))) is not None:
        return _office_document(office, url)
    if media_type_of(content_type) == MAIL:
        return _office_document(read_mail(body), url)
    if name := binary_format(body):
        raise _refused(f"The body looks like {with_article(name)}.", name)
    if is_binary(body):
        raise _refused("The body is binary data, not text.", "binary data")
    text = decode(body, content_type)
    declared = media_type_of(content_type)
    is_markdown = "markdown" in declared or bool(re.search(r"\.(?:md|markdown|mkd)(?:$|[?#])", url.lower()))
    kind = text_kind(text, declared, is_markdown=is_markdown)
    if kind is MediaKind.HTML:
        return read_html(text, url)
    if kind in (MediaKind.XML, MediaKind.JSON):
        name = kind.value.upper()
        raise _refused(f"The body looks like {name}, not a page.", name)
    if kind is MediaKind.OTHER:
        raise _refused(f"Bodies of type {declared[:60]!r} cannot be read.", declared[:60])
    return _text_document(text, url, is_markdown=is_markdown)


def _refused(message: str, looks_like: str) -> InvalidParams:
    return InvalidParams(
        message,
        remedy="HTML, PDF, plain text, Markdown, DOCX, ODT, PPTX, XLSX, EPUB and mail can be read.",
        details={"looks_like": looks_like},
    )


def _text_document(text: str, url: str, *, is_markdown: bool) -> Document:
    head = front_matter(text) if is_markdown else {}
    blocks = markdown_blocks(text) if is_markdown else text_blocks(text)
    title = head.get("title") or next((b.text for b in blocks[:1] if b.type is FragmentType.HEADING), "")
    author = head.get("author", "")
    return _from_blocks(
        blocks, url, title=title, date=parse_date(head.get("date", "")), authors=(author,) if author else ()
    )


def _pdf_document(body: bytes, url: str, reader: Ocr | None, *, keeps_raised: bool) -> Document:
    pdf = read_pdf(body, reader, keeps_raised=keeps_raised)
    opening = " ".join(block.text for block in pdf.blocks[:12])[:1000]
    date = first_full_date(opening) or parse_date(pdf.info.get("CreationDate", "").removeprefix("D:")[:8])
    author = pdf.info.get("Author", "").strip()
    document = _from_blocks(pdf.blocks, url, title=pdf.title, date=date, authors=(author,) if author else ())
    extractor = f"{EXTRACTOR_VERSION} {version()}" if reader is not None else EXTRACTOR_VERSION
    return replace(document, remarks=pdf.remarks, extractor=extractor)


def _office_document(found: OfficeContent, url: str) -> Document:
    return _from_blocks(found.blocks, url, title=found.title, date=found.date, authors=found.authors)


def _from_blocks(blocks: list[Block], url: str, *, title: str, date: str | None, authors: tuple[str, ...]) -> Document:
    text, passages = assemble(without_title(blocks, title))
    paragraphs = [passage.text for passage in passages]
    found = [*identifiers_in(url), *identifiers_in(text[:200_000])]
    return Document(
        title=title,
        text=text,
        language=document_language(text or title),
        date=date,
        authors=authors,
        page_type=page_type(PageSignals(url=url, prose_chars=len(text))),
        passages=passages,
        identifiers=tuple(dict.fromkeys(found)),
        quality=text_quality(text, link_share=0.0, paragraphs=paragraphs),
        extractor=EXTRACTOR_VERSION,
    )
