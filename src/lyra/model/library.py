"""The user's own documents: libraries, their files, and the documents these hold."""

import os
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from urllib.parse import quote, urlsplit

from lyra.model.page import Identifier

SCHEME = "library"


class LibraryKind(StrEnum):
    FOLDER = "folder"
    REFERENCES = "references"
    ZOTERO = "zotero"


class FileState(StrEnum):
    """WAITING: to be read again, because it changed while it was read or could not be opened for now."""

    INDEXED = "indexed"
    WAITING = "waiting"
    FAILED = "failed"


def shown_path(path: bytes) -> str:
    """A path as people read it: names that are no UTF-8 are taken for Shift-JIS, else shown with marks."""
    for encoding in ("utf-8", "cp932"):
        try:
            return path.decode(encoding)
        except UnicodeDecodeError:
            continue
    return path.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Library:
    """`problem` says why the last scan could not be made."""

    id: str
    name: str
    path: bytes
    kind: LibraryKind
    added_at: datetime
    scanned_at: datetime | None = None
    problem: str | None = None

    @property
    def place(self) -> Path:
        return Path(os.fsdecode(self.path))


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file as it was when it was read."""

    path: bytes
    size_bytes: int
    mtime_ns: int
    state: FileState
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LibraryWork:
    """The scholarly work that a document is, by its reference manager or by its own first page."""

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    identifiers: tuple[Identifier, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryDocument:
    """What is indexed of a document; `entry` is the text of a bibliography's entry, which has no other bytes."""

    content_hash: str
    content_type: str
    title: str
    text: str
    language: str
    date: str | None = None
    authors: tuple[str, ...] = ()
    work: LibraryWork | None = None
    entry: str | None = None


@dataclass(frozen=True, slots=True)
class LibraryPart:
    """A document at its place in a file: bytes `place` to `place + length`, or the whole file without a length.

    Without a document the one that is known by this hash is meant.
    """

    content_hash: str
    document: LibraryDocument | None = None
    place: int = 0
    length: int | None = None


@dataclass(frozen=True, slots=True)
class LocatedDocument:
    """Where a document's bytes are: in its entry, or in one of these files."""

    url: str
    content_hash: str
    content_type: str
    entry: str | None
    files: tuple[tuple[bytes, int, int | None], ...]


@dataclass(frozen=True, slots=True)
class LibraryHit:
    """A document that a search by words found."""

    url: str
    title: str
    snippet: str
    date: str | None


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """What a library holds: documents that can be searched, files by what became of them, and bytes."""

    documents: int = 0
    files: int = 0
    waiting: int = 0
    failed: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What a scan did: files met, read, moved or copied (known by their content), gone, and not readable."""

    files: int = 0
    read: int = 0
    known: int = 0
    gone: int = 0
    failed: int = 0
    waiting: int = 0


def document_url(key: str, library: str, name: str) -> str:
    """The address of a document: by content and library, with the file's first name for people to recognise."""
    return f"{SCHEME}://{key}.{library}.{SCHEME}/{quote(name, safe='()')}"


def is_library_url(url: str) -> bool:
    return urlsplit(url).scheme == SCHEME
