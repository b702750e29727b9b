"""A WARC file without some of its records: the others are copied byte for byte into a new file."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from lyra.archive.reading import WarcRecord, read_records
from lyra.archive.records import warcinfo
from lyra.archive.warc import file_name
from lyra.disk import writing
from lyra.model.page import ArchiveRef


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """What became of one file: where its records stand now and which are gone."""

    path: str
    moved: tuple[ArchiveRef, ...]
    removed: tuple[str, ...]
    freed_bytes: int


def rewrite(directory: Path, path: str, unwanted: Collection[str]) -> RewrittenFile:
    """Write the file anew without these records and the requests that led to them; the old one stays for now.

    Raises StorageError where it cannot be read to its end, or DiskFull; then there is no new file.
    """
    kept = [member for member in read_records(directory, path) if member.kind != "warcinfo"]
    gone = [m for m in kept if m.record_id in unwanted or (m.concurrent_to and m.concurrent_to in unwanted)]
    kept = [m for m in kept if m not in gone]
    removed = tuple(member.record_id for member in gone if member.entry is not None)
    size = (directory / path).stat().st_size
    if not kept:
        return RewrittenFile(path, (), removed, size)
    day = Path(path).parent.name
    target = Path(path).parent / file_name(day)
    with writing(directory):
        moved = _copy(directory / path, directory / target, kept, target.as_posix())
    return RewrittenFile(path, moved, removed, size - (directory / target).stat().st_size)


def _copy(source: Path, target: Path, kept: list[WarcRecord], path: str) -> tuple[ArchiveRef, ...]:
    moved: list[ArchiveRef] = []
    part = target.with_name(f"{target.name}.part")
    try:
        with source.open("rb") as old, part.open("xb") as new:
            new.write(warcinfo(target.name))
            for member in kept:
                old.seek(member.offset)
                moved.append(ArchiveRef(path, new.tell(), member.length, member.record_id))
                new.write(old.read(member.length))
            new.flush()
            os.fsync(new.fileno())
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return tuple(moved)
