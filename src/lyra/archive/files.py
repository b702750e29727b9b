"""Taking archive files away when no stored page refers to them any more."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_WRITER = re.compile(r"lyra-\d{8}-(\d+)-")


@dataclass(frozen=True, slots=True)
class RemovedFiles:
    """`left` are files that could not be removed, each with the reason."""

    removed: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()


def remove_files(directory: Path, paths: Iterable[str]) -> RemovedFiles:
    """Remove archive files by their path below `directory`; one that a living process may still write to stays."""
    removed: list[str] = []
    left: list[tuple[str, str]] = []
    for path in paths:
        reason = _remove(directory, path)
        if reason is None:
            removed.append(path)
        else:
            left.append((path, reason))
    return RemovedFiles(tuple(removed), tuple(left))


def _remove(directory: Path, path: str) -> str | None:
    """Why the file stays, or none where it is gone; one that is gone already is no failure."""
    file = (directory / path).resolve()
    if not file.is_relative_to(directory.resolve()):
        return "it lies outside the archive"
    if is_being_written(file):
        return "the process that writes it is still running"
    try:
        file.unlink(missing_ok=True)
    except OSError as exc:
        return exc.strerror or str(exc)
    _remove_empty(file.parent, directory.resolve())
    return None


def is_being_written(file: Path) -> bool:
    """Whether the process named in the file lives; after a restart another may bear its number, and the file stays."""
    writer = _WRITER.match(file.name)
    if writer is None:
        return False
    try:
        os.kill(int(writer.group(1)), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove_empty(folder: Path, directory: Path) -> None:
    if folder != directory and not any(folder.iterdir()):
        folder.rmdir()
