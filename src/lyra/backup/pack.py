"""Making a backup: a snapshot of the database first, then the archive's files, which only ever grow."""

import hashlib
import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from lyra import __version__
from lyra.archive.files import complete_bytes
from lyra.backup.manifest import DATABASE, NAME, Entry, Manifest
from lyra.clock import stamp
from lyra.disk import writing
from lyra.errors import InvalidParams
from lyra.settings import Settings
from lyra.storage import snapshot

_ARCHIVE = "archive"
_BESIDE = ("reports", "domains.yaml")
_CHUNK_BYTES = 1 << 20
_PACKED = frozenset({".gz", ".zst", ".png", ".jpg", ".pdf"})


@dataclass(frozen=True, slots=True)
class Backup:
    """A finished backup."""

    path: Path
    size_bytes: int
    manifest: Manifest


def pack(settings: Settings, file: Path, now: datetime) -> Backup:
    """Write everything below the data directory that is worth keeping to `file`, in one step.

    Other processes may go on working. Tokens and logs stay behind. Raises InvalidParams, DiskFull or StorageError, and
    then there is no file.
    """
    _check(settings, file)
    with writing(file.parent, InvalidParams), _in_one_step(file) as (scratch, stream):
        copy = scratch / DATABASE
        taken = snapshot.take(settings.database_path, copy)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            entries = [_add(archive, copy, DATABASE)]
            entries += _add_archive(archive, settings.archive_dir, taken.archived)
            entries += [_add(archive, *found) for found in _beside(settings.data_dir)]
            manifest = Manifest(__version__, taken.schema_version, stamp(now), tuple(entries))
            manifest = replace(manifest, missing=_missing(taken.archived, entries))
            archive.writestr(NAME, manifest.to_json())
    return Backup(file, file.stat().st_size, manifest)


def _check(settings: Settings, file: Path) -> None:
    if not settings.database_path.is_file():
        raise InvalidParams(
            f"There is nothing to back up in {settings.data_dir}.", remedy="Choose the data directory with --data-dir."
        )
    if file.exists():
        raise InvalidParams(f"{file} exists already; it was left untouched.", remedy="Choose another name.")
    if file.resolve().is_relative_to(settings.data_dir.resolve()):
        raise InvalidParams(
            "A backup inside the data directory would be lost with it.", remedy="Choose a file outside of it."
        )


@contextmanager
def _in_one_step(file: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A folder for the copy of the database and a stream that becomes `file` when all went well; both are private."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as scratch:
        part = Path(scratch) / "backup"
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as stream:
            yield Path(scratch), stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)


def _add_archive(archive: zipfile.ZipFile, directory: Path, needed: dict[str, int]) -> Iterator[Entry]:
    """Every archive file up to its last whole record; one that goes away meanwhile counts as missing."""
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        name = path.relative_to(directory).as_posix()
        try:
            size = path.stat().st_size
            end = complete_bytes(path, min(needed.get(name, 0), size)) if name.endswith(".warc.gz") else size
            yield _add(archive, path, f"{_ARCHIVE}/{name}", end)
        except FileNotFoundError:
            continue


def _beside(data_dir: Path) -> Iterator[tuple[Path, str]]:
    for name in _BESIDE:
        root = data_dir / name
        found = [root] if root.is_file() else sorted(root.rglob("*"))
        yield from ((path, path.relative_to(data_dir).as_posix()) for path in found if path.is_file())


def _add(archive: zipfile.ZipFile, path: Path, name: str, end: int | None = None) -> Entry:
    """Copy the first `end` bytes of a file, all by default."""
    digest, size = hashlib.sha256(), 0
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED if path.suffix in _PACKED else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    with path.open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
        while end is None or size < end:
            chunk = source.read(_CHUNK_BYTES if end is None else min(_CHUNK_BYTES, end - size))
            if not chunk:
                break
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return Entry(name, size, digest.hexdigest())


def _missing(needed: dict[str, int], entries: list[Entry]) -> tuple[str, ...]:
    sizes = {entry.path: entry.size_bytes for entry in entries}
    return tuple(sorted(name for name, end in needed.items() if sizes.get(f"{_ARCHIVE}/{name}", 0) < end))
