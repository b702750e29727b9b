"""One door from bytes to a document: the kind is told by the bytes first, by the declared type second."""

import re
from dataclasses import replace

from lyra.charset import decode, media_type_of
from lyra.errors import InvalidParams
from lyra.extract.dates import read_date, whole_date
from lyra.extract.html import read_html
from lyra.extract.language import document_language
from lyra.extract.page_type import Signals, page_type
from lyra.extract.passages import Block, assemble, without_title
from lyra.extract.pdf import read_pdf
from lyra.extract.plain import front_matter, markdown_blocks, text_blocks
from lyra.extract.quality import quality
from lyra.extract.version import EXTRACTOR
from lyra.ml.ocr import Ocr, version
from lyra.model.page import Document, FragmentType, identifiers_in

# First bytes of what is not text, and what to call it.
_MAGIC = (
    (b"PK\x03\x04", "ZIP archive or Office file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office file"),
    (b"\x89PNG", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media file"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf", "7z archive"),
    (b"Rar!", "RAR archive"),
    (b"\x7fELF", "executable"),
    (b"MZ\x90", "executable"),
    (b"%!PS", "PostScript file"),
    (b"ID3", "MP3 audio"),
    (b"OggS", "Ogg media file"),
    (b"\x00asm", "WebAssembly module"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
)
_HTML_START = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|div|p|h1|h2|"
    r"article|section|main|table|ul|ol|span|a|br|b|i|font|center|header|nav|iframe|noscript|base)\b",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_BLOCK_TAGS = re.compile(r"<(?:html|body|p|div|article|h[1-6])[\s>]", re.IGNORECASE)
_XML_START = re.compile(r"\s*<(?:\?xml|rss|feed|urlset|sitemapindex|svg)\b", re.IGNORECASE)
_JSON_START = re.compile(r'\s*(?:\{\s*"|\[\s*(?:\{|\[|"))')
_NOT_PROSE = re.compile(r"css|javascript|ecmascript|json|csv|calendar|vcard", re.IGNORECASE)
# A page that only talks of PDF's first bytes is a page.
_HTML_BYTES = re.compile(rb"\s*<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def is_pdf(body: bytes) -> bool:
    """Whether the bytes say so, whatever was declared."""
    head = body[:1024]
    return b"%PDF-" in head and not _HTML_BYTES.match(head)


def read_document(body: bytes, *, content_type: str | None, url: str = "", reader: Ocr | None = None) -> Document:
    """The located text of a body; `reader` reads scanned sheets.

    Raises InvalidParams where the body is empty or nothing that can be read.
    """
    if not body.strip():
        raise _refused("The body is empty.", "nothing")
    if is_pdf(body):
        return _pdf_document(body, url, reader)
    _refuse_binary(body)
    text = decode(body, content_type)
    declared = media_type_of(content_type)
    is_markdown = _is_markdown(declared, url)
    if _looks_like_html(text, declared, is_markdown=is_markdown):
        return read_html(text, url)
    _refuse_other_formats(text, declared)
    return _text_document(text, url, is_markdown=is_markdown)


def _refused(message: str, looks_like: str) -> InvalidParams:
    return InvalidParams(
        message,
        remedy="HTML, PDF, plain text and Markdown can be read.",
        details={"looks_like": looks_like},
    )


def _refuse_binary(body: bytes) -> None:
    for magic, name in _MAGIC:
        if body.startswith(magic):
            article = "an" if name[0].lower() in "aeiou" else "a"
            raise _refused(f"The body looks like {article} {name}.", name)
    if body[4:8] == b"ftyp":
        raise _refused("The body looks like an MP4 media file.", "MP4 media file")
    sample = body[:8192]
    is_wide = sample.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not is_wide and len(_CONTROL.findall(sample)) > max(2, len(sample) // 50):
        raise _refused("The body is binary data, not text.", "binary data")


def _looks_like_html(text: str, declared: str, *, is_markdown: bool) -> bool:
    head = text[:4096]
    if is_markdown:  # which may open with a tag or two
        return bool(_WHOLE_PAGE.match(head))
    if _HTML_START.match(head):
        return True
    if "html" in declared:
        return not _JSON_START.match(head) and not _XML_START.match(head)
    return not declared.startswith("text/") and len(_BLOCK_TAGS.findall(head)) >= 3


def _refuse_other_formats(text: str, declared: str) -> None:
    if _XML_START.match(text[:500]):
        raise _refused("The body looks like XML, not a page.", "XML")
    if _JSON_START.match(text[:500]):
        raise _refused("The body looks like JSON, not a page.", "JSON")
    readable = (
        not declared or declared.startswith("text/") or declared == "application/octet-stream" or "html" in declared
    )
    if not readable or _NOT_PROSE.search(declared):
        raise _refused(f"Bodies of type {declared[:60]!r} cannot be read.", declared[:60])


def _is_markdown(declared: str, url: str) -> bool:
    return "markdown" in declared or bool(re.search(r"\.(?:md|markdown|mkd)(?:$|[?#])", url.lower()))


def _text_document(text: str, url: str, *, is_markdown: bool) -> Document:
    head = front_matter(text) if is_markdown else {}
    blocks = markdown_blocks(text) if is_markdown else text_blocks(text)
    title = head.get("title") or next((b.text for b in blocks[:1] if b.type is FragmentType.HEADING), "")
    author = head.get("author", "")
    return _from_blocks(
        blocks, url, title=title, date=read_date(head.get("date", "")), authors=(author,) if author else ()
    )


def _pdf_document(body: bytes, url: str, reader: Ocr | None) -> Document:
    pdf = read_pdf(body, reader)
    opening = " ".join(block.text for block in pdf.blocks[:12])[:1000]
    date = whole_date(opening) or read_date(pdf.info.get("CreationDate", "").removeprefix("D:")[:8])
    author = pdf.info.get("Author", "").strip()
    document = _from_blocks(pdf.blocks, url, title=pdf.title, date=date, authors=(author,) if author else ())
    extractor = f"{EXTRACTOR} {version()}" if reader is not None else EXTRACTOR
    return replace(document, remarks=pdf.remarks, extractor=extractor)


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
        page_type=page_type(Signals(url=url, prose_chars=len(text))),
        passages=passages,
        identifiers=tuple(dict.fromkeys(found)),
        quality=quality(text, link_share=0.0, paragraphs=paragraphs),
        extractor=EXTRACTOR,
    )
