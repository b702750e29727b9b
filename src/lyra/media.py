"""What kind of content a body is: by its first bytes, by its text, and by what the server declares. Pure."""

import re
from enum import StrEnum

from lyra.charset import media_type_of


class MediaKind(StrEnum):
    HTML = "html"
    PDF = "pdf"
    TEXT = "text"
    XML = "xml"
    JSON = "json"
    OTHER = "other"


_BY_TYPE = {
    "text/html": MediaKind.HTML,
    "application/xhtml+xml": MediaKind.HTML,
    "application/pdf": MediaKind.PDF,
    "application/x-pdf": MediaKind.PDF,
    "application/json": MediaKind.JSON,
    "application/xml": MediaKind.XML,
    "text/xml": MediaKind.XML,
}
_NO_TYPE = ("", "application/octet-stream", "binary/octet-stream", "application/force-download")
# First bytes of formats that are not read, whatever the server calls them.
_BINARY = (
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
    (b"ID3", "MP3 audio file"),
    (b"OggS", "Ogg media file"),
    (b"\x00asm", "WebAssembly module"),
    (b"wOFF", "web font"),
    (b"wOF2", "web font"),
)
_SNIFFED_BYTES = 1024
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<script", b"<meta")
_HTML_TEXT = re.compile(
    r"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|div|p|h1|h2|"
    r"article|section|main|table|ul|ol|span|a|br|b|i|font|center|header|nav|iframe|noscript|base)\b",
    re.IGNORECASE | re.DOTALL,
)
_WHOLE_PAGE = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_BLOCK_TAGS = re.compile(r"<(?:html|body|p|div|article|h[1-6])[\s>]", re.IGNORECASE)
_XML_TEXT = re.compile(r"\s*<(?:\?xml|rss|feed|urlset|sitemapindex|svg)\b", re.IGNORECASE)
_JSON_TEXT = re.compile(r'\s*(?:\{\s*"|\[\s*(?:\{|\[|"))')
_NOT_PROSE = re.compile(r"css|javascript|ecmascript|json|csv|calendar|vcard", re.IGNORECASE)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def declared_kind(content_type: str | None) -> MediaKind | None:
    """What the server says; None where it says nothing of use."""
    name = media_type_of(content_type)
    if name in _NO_TYPE:
        return None
    if name in _BY_TYPE:
        return _BY_TYPE[name]
    if name.endswith("+json"):
        return MediaKind.JSON
    if name.endswith("+xml") and not name.startswith("image/"):
        return MediaKind.XML
    return MediaKind.TEXT if name.startswith("text/") else MediaKind.OTHER


def sniff(body: bytes) -> MediaKind | None:
    """What the first bytes say; None where they could be any text. A page that only names `%PDF-` is a page."""
    start = body[:_SNIFFED_BYTES]
    stripped = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    while stripped.startswith(b"<!--") and b"-->" in stripped:
        stripped = stripped.partition(b"-->")[2].lstrip()
    if stripped.startswith(_HTML_STARTS):
        return MediaKind.HTML
    if stripped.startswith(b"<?xml"):
        return MediaKind.HTML if b"<html" in stripped else MediaKind.XML
    return MediaKind.PDF if b"%PDF-" in start else None


def binary_format(body: bytes) -> str | None:
    """The name of a binary format that is not read, where the first bytes show one."""
    if body[4:8] == b"ftyp":
        return "MP4 media file"
    return next((name for magic, name in _BINARY if body.startswith(magic)), None)


def with_article(name: str) -> str:
    """`a PNG image`, `an executable`, `an MP4 media file`."""
    return f"{'an' if name[0] in 'aeio' or name.startswith('MP') else 'a'} {name}"


def is_binary(body: bytes) -> bool:
    """Whether control characters are too many for text in any encoding but UTF-16."""
    sample = body[:8192]
    is_wide = sample.startswith((b"\xff\xfe", b"\xfe\xff"))
    return not is_wide and len(_CONTROL.findall(sample)) > max(2, len(sample) // 50)


def text_kind(text: str, media_type: str, *, is_markdown: bool) -> MediaKind:
    """What decoded text is: a page, XML, JSON, readable text, or text of a declared type that nobody reads."""
    if _is_html(text[:4096], media_type, is_markdown=is_markdown):
        return MediaKind.HTML
    if _XML_TEXT.match(text[:500]):
        return MediaKind.XML
    if _JSON_TEXT.match(text[:500]):
        return MediaKind.JSON
    readable = media_type in ("", "application/octet-stream") or media_type.startswith("text/") or "html" in media_type
    return MediaKind.TEXT if readable and not _NOT_PROSE.search(media_type) else MediaKind.OTHER


def _is_html(head: str, media_type: str, *, is_markdown: bool) -> bool:
    if is_markdown:  # which may open with a tag or two
        return bool(_WHOLE_PAGE.match(head))
    if _HTML_TEXT.match(head):
        return True
    if "html" in media_type:
        return not _JSON_TEXT.match(head) and not _XML_TEXT.match(head)
    return not media_type.startswith("text/") and len(_BLOCK_TAGS.findall(head)) >= 3
