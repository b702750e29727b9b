"""Which files a library holds: a walk that no loop of links keeps for ever, and that names what cannot be opened."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from lyra.model.library import FileState, LibraryFile, shown_path

MAIL_BOX = ".mbox"
REFERENCES = (".bib", ".ris")
CSL = ".json"
_OFFICE = "application/vnd.openxmlformats-officedocument"
CONTENT_TYPES = {
    ".pdf": "application/pdf",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".epub": "application/epub+zip",
    ".eml": "message/rfc822",
    MAIL_BOX: "message/rfc822",
    **dict.fromkeys(REFERENCES, "text/markdown"),
}

# The line before a message names who sent it and when; in a text `From ` may begin a line, too.
_MESSAGE = re.compile(rb"(?:\A|\n\r?\n)(?P<line>From [^\n]{1,200}\d:\d\d[^\n]{0,100}\n)")


def suffix_of(path: bytes) -> str:
    return PurePath(shown_path(path)).suffix.lower()


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The files of kinds that are read, in the order of their paths; `is_cut`: there are more than may be."""

    files: tuple[LibraryFile, ...]
    is_cut: bool = False


def walk(root: bytes, most: int) -> FolderFiles:
    """Every document below a folder, hidden ones left out. What cannot be opened, and a link that leads out of the
    folder, is among them as failed."""
    found: list[LibraryFile] = []
    for one in _below(root):
        if len(found) >= most:
            return FolderFiles(tuple(sorted(found, key=lambda file: file.path)), is_cut=True)
        found.append(one)
    return FolderFiles(tuple(sorted(found, key=lambda file: file.path)))


def _below(root: bytes) -> Iterator[LibraryFile]:
    waiting, seen, own = [root], {_identity(os.stat(root))}, os.path.realpath(root)
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as exc:
            yield failed(folder, reason=f"The folder cannot be opened: {exc.strerror}.")
            continue
        for entry in listed:
            if entry.name.startswith(b"."):
                continue
            try:
                status = entry.stat()
            except OSError as exc:
                if suffix_of(entry.name) in CONTENT_TYPES:
                    yield failed(entry.path, reason=f"The file cannot be opened: {exc.strerror}.")
                continue
            if entry.is_symlink() and not _is_within(os.path.realpath(entry.path), own):
                if stat.S_ISDIR(status.st_mode) or suffix_of(entry.name) in CONTENT_TYPES:
                    yield failed(entry.path, reason="The link leads out of the library's folder.")
            elif stat.S_ISDIR(status.st_mode):
                if _identity(status) in seen:
                    yield failed(entry.path, reason="The link leads to a folder that is read already.")
                else:
                    seen.add(_identity(status))
                    waiting.append(entry.path)
            elif stat.S_ISREG(status.st_mode) and suffix_of(entry.name) in CONTENT_TYPES:
                yield LibraryFile(entry.path, status.st_size, status.st_mtime_ns, FileState.WAITING)


def _is_within(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def failed(path: bytes, *, reason: str) -> LibraryFile:
    """A file that cannot be read, and why."""
    return LibraryFile(path, 0, 0, FileState.FAILED, reason)


def file_at(path: bytes) -> LibraryFile:
    """One file of which the library knows by other means than walking, such as an attachment."""
    try:
        status = os.stat(path)
    except OSError as exc:
        return failed(path, reason=f"The file cannot be opened: {exc.strerror}.")
    return LibraryFile(path, status.st_size, status.st_mtime_ns, FileState.WAITING)


class FileChangedWhileRead(Exception):
    """The file was written to while it was read; never leaves this package."""


def read_stable(path: bytes, most_bytes: int) -> bytes:
    """The bytes of a file, of which at most one more than `most_bytes`. Raises FileChangedWhileRead, or OSError."""
    with open(path, "rb") as stream:
        before = _state(stream)
        body = stream.read(most_bytes + 1)
        if _state(stream) != before:
            raise FileChangedWhileRead
    return body


def _state(stream: BinaryIO) -> tuple[int, int]:
    status = os.fstat(stream.fileno())
    return status.st_size, status.st_mtime_ns


def split_mailbox(body: bytes) -> list[tuple[int, int]]:
    """Place and length of every message of an mbox, without the line that parts it from the one before."""
    found = list(_MESSAGE.finditer(body))
    ends = [*(one.start("line") for one in found[1:]), len(body)]
    return [(one.end(), end - one.end()) for one, end in zip(found, ends, strict=True) if one.end() < end]
