"""WARC files on disk: which there are, how much of one is complete, repair after a crash, removal."""

import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lyra.archive.records import read_records
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord

_WRITER = re.compile(r"lyra-\d{8}-(\d+)-")


@dataclass(frozen=True, slots=True)
class FileRemoval:
    """`left` are files that could not be removed, each with the reason."""

    removed: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def remove_files(directory: Path, paths: Iterable[str]) -> FileRemoval:
    """Remove archive files by their path below `directory`; one that a living process may still write to stays."""
    removed: list[str] = []
    left: list[tuple[str, str]] = []
    for path in paths:
        reason = _remove(directory, path)
        if reason is None:
            removed.append(path)
        else:
            left.append((path, reason))
    return FileRemoval(tuple(removed), tuple(left))


def _remove(directory: Path, path: str) -> str | None:
    """Why the file stays, or none where it is gone; one that is gone already is no failure."""
    file = (directory / path).resolve()
    if not file.is_relative_to(directory.resolve()):
        return "it is outside the archive"
    if is_being_written(file):
        return "the process that writes it is still running"
    try:
        file.unlink(missing_ok=True)
    except OSError as exc:
        return exc.strerror or str(exc)
    _remove_empty(file.parent, directory.resolve())
    return None


def is_being_written(file: Path) -> bool:
    """Whether the process named in the file lives; after a restart another may bear its number, and the file stays."""
    writer = _WRITER.match(file.name)
    if writer is None:
        return False
    try:
        os.kill(int(writer.group(1)), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove_empty(folder: Path, directory: Path) -> None:
    if folder != directory and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


_SUFFIX = ".warc.gz"


@dataclass(frozen=True, slots=True)
class RepairedFile:
    """A file that was torn or not wholly indexed: the bytes cut off, and the records to enter."""

    path: str
    cut_bytes: int
    entries: tuple[ArchivedRecord, ...]


def warc_files(directory: Path) -> list[str]:
    """Every WARC file below the directory, oldest day first."""
    return sorted(
        path.relative_to(directory).as_posix()
        for path in directory.rglob(f"*{_SUFFIX}")
        if path.is_file() and not path.is_symlink()
    )


def recover(directory: Path, known_ends: Mapping[str, int]) -> list[RepairedFile]:
    """Mend the files of processes that are gone; `known_ends` is where the index ends in each.

    Only what is behind the known end is read. A file without any entry in the index is read whole.
    """
    mended: list[RepairedFile] = []
    for path in warc_files(directory):
        if is_being_written(directory / path):
            continue
        try:
            found = _repair(directory, path, known_ends.get(path, 0))
        except (OSError, StorageError):  # not ours to mend: `lyra archive check` names it
            continue
        if found is not None:
            mended.append(found)
    return mended


def _repair(directory: Path, path: str, known: int) -> RepairedFile | None:
    file = directory / path
    size = file.stat().st_size
    if size <= known:
        return None
    whole = complete_bytes(file, known)
    cut = size - whole
    if cut and not whole:
        return None  # not one whole record: perhaps no WARC file at all
    if cut:
        os.truncate(file, whole)
    entries = tuple(member.entry for member in read_records(directory, path, known) if member.entry is not None)
    return RepairedFile(path, cut, entries) if cut or entries else None


_CHUNK_BYTES = 1 << 20
_MAGIC = b"WARC/1."


def begins_with_record(path: Path) -> bool:
    """Whether the file begins with a gzip member, and this with a WARC record."""
    with path.open("rb") as file:
        head = file.read(_CHUNK_BYTES)
    try:
        return zlib.decompressobj(wbits=31).decompress(head, len(_MAGIC)) == _MAGIC
    except zlib.error:
        return False


def complete_bytes(path: Path, known: int = 0) -> int:
    """The end of the last complete record; the first `known` bytes are taken as complete."""
    end = known
    with path.open("rb") as file:
        file.seek(known)
        position = known
        member = zlib.decompressobj(wbits=31)
        while chunk := file.read(_CHUNK_BYTES):
            position += len(chunk)
            while chunk:
                try:
                    while chunk and not member.eof:
                        member.decompress(chunk, _CHUNK_BYTES)
                        chunk = member.unconsumed_tail
                except zlib.error:
                    return end
                if member.eof:
                    chunk = member.unused_data
                    end = position - len(chunk)
                    member = zlib.decompressobj(wbits=31)
    return end
