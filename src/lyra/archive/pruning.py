"""How the archive shrinks: which records go (the oldest that no evidence needs), and files without them."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from lyra.archive.records import WarcRecord, read_records, warcinfo
from lyra.archive.warc import file_name
from lyra.disk import open_private, sync_folder, write_all, writing
from lyra.ids import new_id
from lyra.model.archive import RecordUse
from lyra.model.page import ArchiveRef


def choose_removals(
    uses: Sequence[RecordUse],
    *,
    excess_bytes: int,
    before: datetime | None,
    is_forced: bool,
    sizes: Mapping[str, int],
) -> tuple[RecordUse, ...]:
    """Records last needed before `before`, then the oldest until `excess_bytes` are gained; evidence only by force.

    A record goes together with all that refer to it, and is as young as the youngest of them. `sizes` are the bytes
    that go with a record.
    """
    groups = _families(uses)
    free = [group for group in groups if is_forced or not any(use.is_evidence for use in group)]
    removed: list[RecordUse] = []
    gained = 0
    for group in sorted(free, key=_last_moment):
        is_expired = before is not None and _last_moment(group) < before
        if not is_expired and gained >= excess_bytes:
            continue
        removed += group
        gained += sum(sizes.get(use.ref.record_id, use.ref.length) for use in group)
    return tuple(removed)


def _families(uses: Sequence[RecordUse]) -> list[list[RecordUse]]:
    """Records joined by what they refer to, directly or through others."""
    known = {use.ref.record_id: use for use in uses}
    families: dict[str, list[RecordUse]] = defaultdict(list)
    for use in uses:
        root, seen = use, {use.ref.record_id}
        while root.refers_to in known and root.refers_to not in seen:
            root = known[root.refers_to]
            seen.add(root.ref.record_id)
        families[root.ref.record_id].append(use)
    return list(families.values())


def _last_moment(group: Sequence[RecordUse]) -> datetime:
    return max(use.archived_at for use in group)


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """What became of one file: where its records are now and which are gone."""

    path: str
    moved: tuple[ArchiveRef, ...]
    removed: tuple[str, ...]
    freed_bytes: int


def rewrite(
    directory: Path,
    path: str,
    unwanted: Collection[str],
    *,
    edits: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType({}),
    without_request: Collection[str] = (),
    without_referer: Collection[str] = (),
) -> RewrittenFile:
    """Write the file anew without these records and the requests that led to them; the old one stays for now.

    `edits` change the bytes of records that stay; `without_request` lose their requests, `without_referer` only one
    that names a referer. Raises StorageError where the file cannot be read to its end, or DiskFull; then there is no
    new one.
    """
    kept = [member for member in read_records(directory, path) if member.kind != "warcinfo"]
    gone = [
        m
        for m in kept
        if m.record_id in unwanted
        or m.concurrent_to in unwanted
        or m.concurrent_to in without_request
        or (m.names_referer and m.concurrent_to in without_referer)
    ]
    kept = [m for m in kept if m not in gone]
    removed = tuple(member.record_id for member in gone if member.entry is not None)
    size = (directory / path).stat().st_size
    if not kept:
        return RewrittenFile(path, (), removed, size)
    day = Path(path).parent.name
    # No process goes on writing to it: its name names none.
    target = Path(path).parent / f"lyra-{day}-rewritten-{new_id('w')}.warc.gz"
    with writing(directory):
        moved = _copy(directory / path, directory / target, kept, target.as_posix(), edits)
    return RewrittenFile(path, moved, removed, size - (directory / target).stat().st_size)


def _copy(
    source: Path, target: Path, kept: list[WarcRecord], path: str, edits: Mapping[str, Callable[[bytes], bytes]]
) -> tuple[ArchiveRef, ...]:
    moved: list[ArchiveRef] = []
    part = target.with_name(f"{file_name(target.parent.name)}.part")
    try:
        with source.open("rb") as old, open_private(part, "xb") as new:
            write_all(new, warcinfo(target.name))
            for member in kept:
                old.seek(member.offset)
                edit = edits.get(member.record_id)
                data = old.read(member.length) if edit is None else edit(old.read(member.length))
                moved.append(ArchiveRef(path, new.tell(), len(data), member.record_id))
                write_all(new, data)
            os.fsync(new.fileno())
        part.replace(target)
        sync_folder(target.parent)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return tuple(moved)
