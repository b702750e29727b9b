"""Files written whole or not at all, and what the file system says meanwhile as errors that say what to do."""

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from lyra.errors import DiskFull, LyraError, StorageError

FULL = (errno.ENOSPC, errno.EDQUOT)


def put_whole(path: Path, text: str, *, keeps_mode: bool = False) -> None:
    """Put a text in the file's place in one step; whatever goes wrong, the file is as it was.

    It is readable by this user alone, or like the file it replaces.
    """
    put_bytes(path, text.encode(), keeps_mode=keeps_mode)


def put_bytes(path: Path, data: bytes, *, keeps_mode: bool = False) -> None:
    """Like `put_whole`, for bytes."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        if keeps_mode:
            shutil.copymode(path, temporary)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def make_private_folder(folder: Path) -> None:
    """Make the folder, and those above it that are missing, for this user alone, whatever the umask."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def make_open_folder(folder: Path) -> None:
    """Make the folder, and those above it that are missing, so that everybody may read them, whatever the umask."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        one.chmod(0o755)


def open_to_readers(folder: Path) -> None:
    """Let everybody read the folder and all that is in it."""
    for one in (folder, *folder.rglob("*")):
        one.chmod(0o755 if one.is_dir() else 0o644)


def close_to_others(paths: Iterable[Path], *, is_deep: bool) -> int:
    """Take from other users what they may do with these files and folders, and with all that is in them (`is_deep`).

    Links, what is not this user's, and folders that are everyone's (`/tmp`) are left alone. Returns how many changed.
    """
    found = (one for path in paths for one in (path, *(path.rglob("*") if is_deep and not path.is_symlink() else ())))
    return sum(_close(one) for one in found)


def _close(path: Path) -> bool:
    try:
        known = path.lstat()
        is_shared = stat.S_ISDIR(known.st_mode) and known.st_mode & stat.S_ISVTX
        if stat.S_ISLNK(known.st_mode) or is_shared or known.st_uid != os.geteuid() or not known.st_mode & 0o077:
            return False
        path.chmod(stat.S_IMODE(known.st_mode) & 0o700)
    except OSError:  # it went away meanwhile, or lies on a disk without modes
        return False
    return True


def open_private(path: Path, mode: str) -> BinaryIO:
    """Open a file to write (`xb`, `wb`, `ab`), unbuffered; it is readable by this user alone, whatever the umask."""
    flags = {"xb": os.O_EXCL, "wb": os.O_TRUNC, "ab": os.O_APPEND}[mode] | os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    mode_now = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode_now) and stat.S_IMODE(mode_now) != 0o600:  # each change is written to the disk's journal
        os.fchmod(descriptor, 0o600)
    return cast(BinaryIO, os.fdopen(descriptor, mode.replace("x", "w"), buffering=0))


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write every byte to an unbuffered file."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def sync_folder(folder: Path) -> None:
    """Let the names in the folder outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def in_one_step(file: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A private folder, and a stream that becomes `file` when all went well; otherwise nothing is left."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.") as scratch:
        part = Path(scratch) / "part"
        with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as stream:
            yield Path(scratch), stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)


@contextmanager
def writing(directory: Path, otherwise: type[LyraError] = StorageError) -> Iterator[None]:
    """Raise DiskFull where the disk is full, else `otherwise`, for what goes wrong below a directory."""
    try:
        yield
    except OSError as exc:
        if exc.errno in FULL:
            raise DiskFull(
                f"The disk that holds {directory} is full; nothing incomplete was saved.",
                remedy="Free some space, then try again.",
            ) from exc
        raise otherwise(
            f"{directory} cannot be written: {exc.strerror or exc}.",
            remedy="Make the directory writable for this user, or choose another.",
        ) from exc


def unwritable_output(exc: OSError) -> LyraError:
    """The error of a standard output that takes nothing more."""
    if exc.errno in FULL:
        return DiskFull(
            "The output cannot be written: its disk is full.", remedy="Free some space, or write elsewhere."
        )
    return LyraError(f"The output cannot be written: {exc.strerror or exc}.", remedy="Write elsewhere.")
