"""SHA-256 of large files, with progress."""

import hashlib
from collections.abc import Callable
from pathlib import Path

_BLOCK = 1 << 20


def hash_file(path: Path, progress: Callable[[int, int], None] | None = None) -> str:
    """The hash of a whole file; `progress` is told the bytes done and all there are."""
    found, total, done = hashlib.sha256(), path.stat().st_size, 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
            done += len(block)
            if progress:
                progress(done, total)
    return found.hexdigest()
