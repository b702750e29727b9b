"""All data as one file, made while Lyra runs, and restored only when every byte is right.

A backup takes a snapshot of the database first, then the archive's files, which only ever grow. Restoring unpacks and
checks everything beside the data directory before anything is replaced.
"""

import hashlib
import json
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from lyra import __version__, backup_contents
from lyra.archive.files import complete_bytes
from lyra.clock import stamp
from lyra.disk import in_one_step, writing
from lyra.errors import DatabaseBusy, DiskFull, InvalidParams, StorageError
from lyra.redact.key import KEY_FILE
from lyra.settings import Settings
from lyra.storage import schema_check, snapshot
from lyra.text import strip_control_chars

_MANIFEST = "manifest.json"
_DATABASE = "lyra.db"
_FORMAT = "lyra-backup"
_VERSION = 1
_ARCHIVE = "archive"
_REPORTS = "reports"
_OTHER_FILES = (backup_contents.DOMAINS_FILE, KEY_FILE)
_ARCHIVE_SUFFIXES = (".warc.gz", ".png", ".cdxj", ".har")
_MAX_PATH_CHARS = 500
_CHUNK_BYTES = 1 << 20
_MAX_MANIFEST_BYTES = 256_000_000
_COMPRESSED_SUFFIXES = frozenset({".gz", ".zst", ".png", ".jpg", ".pdf"})
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file by its path below the data directory."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """`missing` are archive files that the database refers to and that were not there, or not whole."""

    lyra_version: str
    schema_version: int
    created_at: str
    files: tuple[BackupFile, ...]
    missing: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files)

    def to_json(self) -> str:
        files = [{"path": one.path, "size_bytes": one.size_bytes, "sha256": one.sha256} for one in self.files]
        about = {"format": _FORMAT, "version": _VERSION, "lyra_version": self.lyra_version}
        about |= {"schema_version": self.schema_version, "created_at": self.created_at}
        return json.dumps({**about, "missing": self.missing, "files": files}, ensure_ascii=False, indent=1)


def parse_manifest(text: bytes) -> BackupManifest:
    """Read a manifest. Raises InvalidParams where it is not one that this Lyra can trust."""
    try:
        fields = json.loads(text)
        if fields["format"] != _FORMAT:
            raise ValueError("another format")
        if fields["version"] > _VERSION:
            raise InvalidParams("The backup was made by a newer Lyra.", remedy="Update Lyra.")
        manifest = BackupManifest(
            lyra_version=str(fields["lyra_version"]),
            schema_version=int(fields["schema_version"]),
            created_at=str(fields["created_at"]),
            files=tuple(_backup_file(row) for row in fields["files"]),
            missing=tuple(str(path) for path in fields["missing"]),
        )
        if _DATABASE not in {entry.path for entry in manifest.files}:
            raise ValueError("no database")
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise _unusable(f"its list of contents cannot be read ({exc})") from exc
    return manifest


def _backup_file(row: Any) -> BackupFile:
    path, size = row["path"], row["size_bytes"]
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or str(pure) != path or "\\" in path or path == _MANIFEST:
        raise ValueError("it names a file outside the data directory")
    if not is_backed_up(path):
        raise ValueError(f"it names {strip_control_chars(path)[:80]!r}, which is not part of a backup")
    if not isinstance(size, int) or size < 0:
        raise ValueError("a size is not a number")
    return BackupFile(path, size, str(row["sha256"]))


def is_backed_up(path: str) -> bool:
    """Whether a path below the data directory is one that backups hold: no token, session, profile or setting is."""
    if strip_control_chars(path) != path or len(path) > _MAX_PATH_CHARS:
        return False
    folder, *parts = path.split("/")
    if not parts:
        return path in (_DATABASE, *_OTHER_FILES)
    if any(part.startswith(".") for part in parts):
        return False
    if folder == _REPORTS:
        return path.lower().endswith(backup_contents.REPORT_SUFFIXES)
    return folder == _ARCHIVE and path.endswith(_ARCHIVE_SUFFIXES)


def _unusable(why: str) -> InvalidParams:
    """The file is no backup, or not a whole one."""
    return InvalidParams(
        f"The backup cannot be used: {why}. Nothing was changed.",
        remedy="Use another backup; `lyra backup FILE` makes one.",
    )


@dataclass(frozen=True, slots=True)
class FinishedBackup:
    """A finished backup; `left_out` are other files of the user's that a restore would not take in."""

    path: Path
    size_bytes: int
    manifest: BackupManifest
    left_out: tuple[str, ...] = ()


def make_backup(settings: Settings, file: Path, now: datetime) -> FinishedBackup:
    """Write the database, the archive and the reports to `file`, in one step.

    Other processes may go on working. Tokens and logs stay behind. Raises InvalidParams, DiskFull or StorageError, and
    then there is no file.
    """
    _check_backup(settings, file)
    with writing(file.parent, InvalidParams), in_one_step(file) as (scratch, stream):
        copy = scratch / _DATABASE
        taken = snapshot.take(settings.database_path, copy)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            entries = [_add(archive, copy, _DATABASE)]
            entries += _add_archive(archive, settings.archive_dir, taken.archived)
            taken_in, left_out = _other_files(settings.data_dir)
            entries += [_add(archive, *found) for found in taken_in]
            manifest = BackupManifest(__version__, taken.schema_version, stamp(now), tuple(entries))
            manifest = replace(manifest, missing=_missing(taken.archived, entries))
            archive.writestr(_MANIFEST, manifest.to_json())
    return FinishedBackup(file, file.stat().st_size, manifest, left_out)


def _check_backup(settings: Settings, file: Path) -> None:
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


def _add_archive(archive: zipfile.ZipFile, directory: Path, needed: dict[str, int]) -> Iterator[BackupFile]:
    """Every archive file up to its last whole record; one that goes away meanwhile counts as missing, as one does that
    begins with no record: no restore would take it in."""
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory).as_posix()
        if path.is_symlink() or not path.is_file() or not is_backed_up(f"{_ARCHIVE}/{name}"):
            continue
        try:
            size = path.stat().st_size
            end = complete_bytes(path, min(needed.get(name, 0), size)) if name.endswith(".warc.gz") else size
            if end and backup_contents.problem_in(path, name):
                continue
            yield _add(archive, path, f"{_ARCHIVE}/{name}", end)
        except FileNotFoundError:
            continue


def _other_files(data_dir: Path) -> tuple[list[tuple[Path, str]], tuple[str, ...]]:
    """The reports, the list of domains and the key, and the names of those that a restore would refuse."""
    found = [*sorted((data_dir / _REPORTS).rglob("*")), *(data_dir / name for name in _OTHER_FILES)]
    named = [
        (path, path.relative_to(data_dir).as_posix()) for path in found if path.is_file() and not path.is_symlink()
    ]
    taken_in = [
        (path, name) for path, name in named if is_backed_up(name) and not backup_contents.problem_in(path, name)
    ]
    return taken_in, tuple(name for path, name in named if (path, name) not in taken_in)


def _add(archive: zipfile.ZipFile, path: Path, name: str, end: int | None = None) -> BackupFile:
    """Copy the first `end` bytes of a file, all by default."""
    digest, size = hashlib.sha256(), 0
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_STORED if path.suffix in _COMPRESSED_SUFFIXES else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    with path.open("rb") as source, archive.open(info, "w", force_zip64=True) as target:
        while end is None or size < end:
            chunk = source.read(_CHUNK_BYTES if end is None else min(_CHUNK_BYTES, end - size))
            if not chunk:
                break
            digest.update(chunk)
            size += len(chunk)
            target.write(chunk)
    return BackupFile(name, size, digest.hexdigest())


def _missing(needed: dict[str, int], entries: list[BackupFile]) -> tuple[str, ...]:
    sizes = {entry.path: entry.size_bytes for entry in entries}
    return tuple(sorted(name for name, end in needed.items() if sizes.get(f"{_ARCHIVE}/{name}", 0) < end))


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """`earlier` is where what was there before has been moved; `overrides` counts the domains whose trust or rate the
    backup sets."""

    directory: Path
    manifest: BackupManifest
    earlier: Path | None
    overrides: int = 0


def restore_backup(file: Path, directory: Path, now: datetime, *, force: bool = False) -> RestoredBackup:
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
                    _unpack(archive, manifest, unpacked, now)
                    earlier = _swap(unpacked, target, now, is_taken=is_taken)
                finally:
                    shutil.rmtree(unpacked, ignore_errors=True)
    except _UNREADABLE as exc:
        raise _unusable(f"it is not a complete backup ({exc})") from exc
    except OSError as exc:
        raise InvalidParams(f"{file} cannot be read: {exc.strerror or exc}.", remedy="Choose another file.") from exc
    return RestoredBackup(directory, manifest, earlier, backup_contents.count_overrides(target))


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
    database = target / _DATABASE
    if database.is_file() and snapshot.is_in_use(database):
        raise DatabaseBusy(
            f"A Lyra process uses {target}; nothing was changed.", remedy="End it (also AI clients that started it)."
        )
    return True


def _read_manifest(archive: zipfile.ZipFile) -> BackupManifest:
    names = archive.namelist()
    if _MANIFEST not in names or archive.getinfo(_MANIFEST).file_size > _MAX_MANIFEST_BYTES:
        raise _unusable("it has no list of contents")
    manifest = parse_manifest(archive.read(_MANIFEST))
    if sorted([*(entry.path for entry in manifest.files), _MANIFEST]) != sorted(names) or len(set(names)) < len(names):
        raise _unusable("it does not hold what it lists")
    return manifest


def _check_member(member: zipfile.ZipInfo, entry: BackupFile) -> None:
    """Refuse what is not a plain file, or not of the size listed, before anything is unpacked."""
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG) or member.is_dir():
        raise _unusable(f"{entry.path} in it is not a plain file")
    if member.file_size != entry.size_bytes:
        raise _unusable(f"{entry.path} in it has not the size listed")


def _check_space(directory: Path, needed: int) -> None:
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise DiskFull(
            f"The backup needs {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; nothing was changed.",
            remedy="Free some space, or choose another disk with --into.",
        )


def _unpack(archive: zipfile.ZipFile, manifest: BackupManifest, directory: Path, now: datetime) -> None:
    for entry in manifest.files:
        _check_member(archive.getinfo(entry.path), entry)
    for entry in manifest.files:
        path = directory / entry.path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _unpack_one(archive, entry, path)
        if problem := backup_contents.problem_in(path, entry.path):
            raise _unusable(problem)
    _check_database(directory / _DATABASE, now)


def _check_database(path: Path, now: datetime) -> None:
    """Refuse a database with anything that is not Lyra's: a trigger or view would act with the first search."""
    foreign = schema_check.foreign_objects(path)
    if foreign:
        raise _unusable(f"its database is not as Lyra makes it: {strip_control_chars(', '.join(foreign))[:200]}")
    schema_check.make_safe(path, now)
    snapshot.check_copy(path)


def _unpack_one(archive: zipfile.ZipFile, entry: BackupFile, path: Path) -> None:
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
        raise _unusable(f"{entry.path} in it is damaged")


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
