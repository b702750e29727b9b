"""What the file system says while a backup is written or unpacked, as typed errors."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lyra.errors import DiskFull, InvalidParams


@contextmanager
def translated(directory: Path) -> Iterator[None]:
    """Raise DiskFull or InvalidParams for what goes wrong below a directory the user named."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"The disk that holds {directory} is full; nothing was half-written.",
                remedy="Free some space, or choose another disk.",
            ) from exc
        raise InvalidParams(
            f"{directory} cannot be written: {exc.strerror or exc}.", remedy="Choose another place."
        ) from exc
