"""Files written whole or not at all, and what the file system says meanwhile as errors that say what to do."""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def sync_folder(folder: Path) -> None:
    """Let the names in the folder outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def writing(directory: Path, otherwise: type[LyraError] = StorageError) -> Iterator[None]:
    """Raise DiskFull where the disk is full, else `otherwise`, for what goes wrong below a directory."""
    try:
        yield
    except OSError as exc:
        if exc.errno in FULL:
            raise DiskFull(
                f"The disk that holds {directory} is full; nothing was half-written.",
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
