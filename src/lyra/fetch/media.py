"""What kind of thing a body is, by its first bytes and by what the server says of it. Pure."""

from enum import StrEnum

from lyra.charset import media_type_of


class Media(StrEnum):
    HTML = "html"
    PDF = "pdf"
    TEXT = "text"
    XML = "xml"
    JSON = "json"
    OTHER = "other"


_BY_TYPE = {
    "text/html": Media.HTML,
    "application/xhtml+xml": Media.HTML,
    "application/pdf": Media.PDF,
    "application/x-pdf": Media.PDF,
    "application/json": Media.JSON,
    "application/xml": Media.XML,
    "text/xml": Media.XML,
}
# Beginnings that are neither text nor PDF, whatever the server calls them.
_FOREIGN = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"PK\x03\x04", "a ZIP or Office file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"Rar!\x1a\x07", "a RAR file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"ID3", "an audio file"),
    (b"OggS", "an audio or video file"),
    (b"\x00\x00\x00\x18ftyp", "a video file"),
    (b"\x00\x00\x00\x20ftyp", "a video file"),
    (b"wOF2", "a font"),
)
_PDF_WITHIN = 1024
_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<script", b"<meta")


def declared(content_type: str | None) -> Media | None:
    """What the server says; None where it says nothing of use."""
    name = media_type_of(content_type)
    if not name or name in ("application/octet-stream", "binary/octet-stream", "application/force-download"):
        return None
    if name in _BY_TYPE:
        return _BY_TYPE[name]
    if name.endswith("+json"):
        return Media.JSON
    if name.endswith("+xml") and not name.startswith("image/"):
        return Media.XML
    return Media.TEXT if name.startswith("text/") else Media.OTHER


def sniffed(body: bytes) -> Media | None:
    """What the first bytes say; None where they could be any text."""
    start = body[:_PDF_WITHIN]
    if b"%PDF-" in start:
        return Media.PDF
    stripped = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    while stripped.startswith(b"<!--") and b"-->" in stripped:
        stripped = stripped.partition(b"-->")[2].lstrip()
    if stripped.startswith(_HTML_STARTS):
        return Media.HTML
    if stripped.startswith(b"<?xml"):
        return Media.HTML if b"<html" in stripped else Media.XML
    return None


def foreign(body: bytes) -> str | None:
    """The name of a binary format that is not read, where the first bytes show one."""
    return next((name for magic, name in _FOREIGN if body.startswith(magic)), None)
