"""What the file system says while something is written, as typed errors that say what to do."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lyra.errors import DiskFull, LyraError, StorageError


@contextmanager
def writing(directory: Path, otherwise: type[LyraError] = StorageError) -> Iterator[None]:
    """Raise DiskFull where the disk is full, else `otherwise`, for what goes wrong below a directory."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"The disk that holds {directory} is full; nothing was half-written.",
                remedy="Free some space, then try again.",
            ) from exc
        raise otherwise(
            f"{directory} cannot be written: {exc.strerror or exc}.",
            remedy="Make the directory writable for this user, or choose another.",
        ) from exc
