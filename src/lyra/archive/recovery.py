"""After a kill in the middle of a write: the torn end is cut off, and whole records that nobody entered are named."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lyra.archive.files import is_being_written
from lyra.archive.reading import read_records
from lyra.archive.whole import complete_bytes
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord

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

    Only what lies behind the known end is read. A file without any entry in the index is read whole.
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
