"""Files and folders that a user names for what a command writes: checked first, then written for this user alone."""

import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lyra.errors import InvalidParams


def check_file(path: Path | None, option: str = "--output") -> None:
    """Raises InvalidParams where a file that the user named is a folder, or its folder is not there; none is made."""
    if path is None:
        return
    if path.is_dir():
        strerror = os.strerror(errno.EISDIR)
        raise InvalidParams(f"{path} cannot be written: {strerror}.", remedy=f"Choose another file with {option}.")
    _check_parent(path, option)


def check_folder(path: Path | None) -> None:
    """Raises InvalidParams where a folder that the user named for new files is a file, or has something in it."""
    if path is None:
        return
    if path.is_dir():
        if any(path.iterdir()):
            raise InvalidParams(f"{path} is not empty.", remedy="Name a new folder with --output.")
    elif path.exists():
        raise InvalidParams(f"{path} is a file.", remedy="Name a new folder with --output.")
    _check_parent(path, "--output")


def _check_parent(path: Path, option: str) -> None:
    if not path.absolute().parent.is_dir():
        raise InvalidParams(
            f"{path} cannot be written: there is no folder {path.parent}.",
            remedy=f"Make the folder first, or choose another file with {option}.",
        )


def write_text(path: Path, text: str, *, makes_folder: bool = False) -> None:
    """Write a file. Raises InvalidParams where that is not possible; only Lyra's own folders are made."""
    write_bytes(path, text.encode(), makes_folder=makes_folder)


def write_bytes(path: Path, content: bytes, *, makes_folder: bool = False) -> None:
    """Write a file that only this user can read. Raises InvalidParams where that is not possible; only Lyra's own
    folders are made."""
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(path, content)
    except OSError as exc:
        raise _unwritable(path, exc) from exc


def write_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with these files, whole or not at all; only this user can read them."""
    try:
        # `mkdtemp` makes it for this user alone.
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=f".{path.name}.") as made:
            folder = Path(made) / "files"
            for name, content in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                _write(folder / name, content)
            folder.rename(path)  # an empty folder of that name gives way
    except OSError as exc:
        raise _unwritable(path, exc) from exc


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):  # one that was there keeps its mode otherwise
            os.fchmod(descriptor, 0o600)
        file.write(content)


def _unwritable(path: Path, exc: OSError) -> InvalidParams:
    return InvalidParams(f"{path} cannot be written: {exc.strerror}.", remedy="Choose another file with --output.")
