"""SQLite's errors become Lyra's, here and nowhere else. They name the file, never where it lies (SPEC §10, L7)."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lyra.errors import DatabaseBusy, DiskFull, InvalidParams, LyraError, StorageError

# SQLite reports a full disk as an I/O error where it grows the shared-memory index or syncs.
_LITTLE_SPACE_BYTES = 1_000_000


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise what SQLite reports about the database as a typed error that says what to do."""
    try:
        yield
    except apsw.Error as exc:
        raise _from_sqlite(exc, path) from exc
    except UnicodeEncodeError as exc:
        raise InvalidParams(
            "A text contains an incomplete character (a lone surrogate) and cannot be stored.",
            remedy="Send valid Unicode.",
        ) from exc


@contextmanager
def opening(path: Path) -> Iterator[None]:
    """Like `translated`, and for what the file system reports while the file is made or looked at."""
    try:
        with translated(path):
            yield
    except OSError as exc:
        raise _from_system(exc, path) from exc


def _from_sqlite(exc: apsw.Error, path: Path) -> LyraError:
    if isinstance(exc, apsw.FullError) or (isinstance(exc, apsw.IOError) and _has_little_space(path)):
        return _full(path)
    if isinstance(exc, apsw.BusyError | apsw.LockedError):
        return DatabaseBusy(
            f"Another process has locked the database {path.name} for too long.",
            remedy="Try again; if it lasts, end the other Lyra process.",
            retry_after_s=5.0,
        )
    if isinstance(exc, apsw.NotADBError):
        return not_a_database(path)
    if isinstance(exc, apsw.CorruptError):
        return StorageError(
            f"The database {path.name} is damaged ({exc}).",
            remedy="Restore it from a backup, or move it away to start with a new one; the archive is unchanged.",
        )
    if isinstance(exc, apsw.CantOpenError | apsw.ReadOnlyError | apsw.PermissionsError | apsw.IOError):
        return unusable(path, str(exc))
    return StorageError(f"The database reported an error: {exc}.", remedy="Report this as a defect of Lyra.")


def _from_system(exc: OSError, path: Path) -> LyraError:
    if exc.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(path)
    return unusable(path, exc.strerror or str(exc))


def _full(path: Path) -> DiskFull:
    return DiskFull(
        f"The disk that holds {path.name} is full; the last change was undone.",
        remedy="Free some space, then try again.",
    )


def unusable(path: Path, why: str) -> StorageError:
    """The directory or file cannot be opened or written."""
    return StorageError(
        f"The database {path.name} cannot be used: {why}.",
        remedy="Make its directory writable for this user, or choose another with LYRA_DATA_DIR.",
    )


def not_a_database(path: Path) -> StorageError:
    """The file is something else."""
    return StorageError(
        f"The file {path.name} is not a database of Lyra.",
        remedy="Move it away, or choose another data directory with LYRA_DATA_DIR.",
    )


def _has_little_space(path: Path) -> bool:
    try:
        stat = os.statvfs(path.parent)
    except OSError:
        return False
    return stat.f_bavail * stat.f_frsize < _LITTLE_SPACE_BYTES
