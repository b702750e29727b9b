"""Putting a backup back: everything is unpacked and checked beside the data directory before anything is replaced."""

import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lyra.backup.manifest import DATABASE, NAME, Entry, Manifest, parse, unfit
from lyra.disk import writing
from lyra.errors import DatabaseBusy, DiskFull, InvalidParams, StorageError
from lyra.storage import snapshot

_CHUNK_BYTES = 1 << 20
_MANIFEST_BYTES = 256_000_000
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Restored:
    """`earlier` is where what was there before has been moved."""

    directory: Path
    manifest: Manifest
    earlier: Path | None


def restore(file: Path, directory: Path, now: datetime, *, force: bool = False) -> Restored:
    """Unpack `file` as the data directory. What was there is kept beside it, and only moved away with `force`.

    Raises InvalidParams for a file that is no whole backup, DiskFull, DatabaseBusy or StorageError: then nothing has
    changed.
    """
    target = directory.resolve()
    is_taken = _check_target(target, force=force)
    try:
        with file.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            manifest = _read_manifest(archive)
            with writing(target.parent, InvalidParams):
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _check_space(target.parent, manifest.size_bytes)
                unpacked = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-restore-"))
                try:
                    _unpack(archive, manifest, unpacked)
                    earlier = _swap(unpacked, target, now, is_taken=is_taken)
                finally:
                    shutil.rmtree(unpacked, ignore_errors=True)
    except _UNREADABLE as exc:
        raise unfit(f"it is no whole backup ({exc})") from exc
    except OSError as exc:
        raise InvalidParams(f"{file} cannot be read: {exc.strerror or exc}.", remedy="Choose another file.") from exc
    return Restored(directory, manifest, earlier)


def _check_target(target: Path, *, force: bool) -> bool:
    """Whether something is there that has to be moved away."""
    if target.exists() and not target.is_dir():
        raise InvalidParams(f"{target} is not a directory.", remedy="Choose another with --into.")
    if not target.is_dir() or not any(target.iterdir()):
        return False
    if not force:
        raise InvalidParams(
            f"The data directory {target} is not empty; nothing was changed.",
            remedy="Choose another with --into, or pass --force to move what is there aside.",
        )
    database = target / DATABASE
    if database.is_file() and snapshot.is_in_use(database):
        raise DatabaseBusy(
            f"A Lyra process uses {target}; nothing was changed.", remedy="End it (also AI clients that started it)."
        )
    return True


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    names = archive.namelist()
    if NAME not in names or archive.getinfo(NAME).file_size > _MANIFEST_BYTES:
        raise unfit("it has no list of contents")
    manifest = parse(archive.read(NAME))
    if sorted([*(entry.path for entry in manifest.files), NAME]) != sorted(names):
        raise unfit("it does not hold what it lists")
    return manifest


def _check_space(directory: Path, needed: int) -> None:
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise DiskFull(
            f"The backup needs {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; nothing was changed.",
            remedy="Free some space, or choose another disk with --into.",
        )


def _unpack(archive: zipfile.ZipFile, manifest: Manifest, directory: Path) -> None:
    for entry in manifest.files:
        path = directory / entry.path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _unpack_one(archive, entry, path)
    snapshot.examine(directory / DATABASE)


def _unpack_one(archive: zipfile.ZipFile, entry: Entry, path: Path) -> None:
    digest, left = hashlib.sha256(), entry.size_bytes
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with archive.open(entry.path) as source, os.fdopen(descriptor, "wb") as target:
        while chunk := source.read(min(_CHUNK_BYTES, left + 1)):
            left -= len(chunk)
            if left < 0:
                break
            digest.update(chunk)
            target.write(chunk)
    if left != 0 or digest.hexdigest() != entry.sha256:
        raise unfit(f"{entry.path} in it is damaged")


def _swap(unpacked: Path, target: Path, now: datetime, *, is_taken: bool) -> Path | None:
    """Put the checked files in place; what was there goes aside, and comes back where that fails."""
    earlier = target.with_name(f"{target.name}.before-restore-{now:%Y%m%dT%H%M%SZ}") if is_taken else None
    try:
        if earlier is not None:
            target.rename(earlier)
        elif target.exists():
            target.rmdir()
        try:
            unpacked.rename(target)
        except OSError:
            if earlier is not None:
                earlier.rename(target)
            raise
    except OSError as exc:
        raise StorageError(
            f"The data directory {target} cannot be replaced: {exc.strerror or exc}. Nothing was changed.",
            remedy="Choose another with --into.",
        ) from exc
    return earlier
