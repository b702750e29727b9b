"""Files of this machine and of object stores under one kind of address: `file:///…`, `s3://bucket/…`, `gs://…`.

What pyarrow's file systems know may follow in the query: `s3://bucket/crawl?endpoint_override=127.0.0.1:9000&scheme=http`.
Access keys are found where pyarrow looks for them (environment, ~/.aws), never in an address that is stored.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote, unquote_to_bytes, urlsplit

from lyra.disk import put_bytes
from lyra.errors import InvalidParams, StorageError

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

EXTRA = "pip install 'lyra-mcp[cluster]'"
_LOCAL = "file"
_STORES = ("s3", "gs", "abfs", "abfss", "hdfs")


def require_pyarrow() -> None:
    """Raises InvalidParams, which names the extra, where pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise InvalidParams("Reading in bulk needs pyarrow, which is not installed.", remedy=f"{EXTRA}.")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that was listed; `version` changes when its content does."""

    address: str
    size_bytes: int
    version: str


def address_of(given: str) -> str:
    """The address of what a person named: a path becomes `file:///…`, an address of a store stays as it is."""
    scheme = urlsplit(given).scheme
    if scheme in _STORES:
        return given
    if scheme and scheme != _LOCAL and "://" in given:
        raise InvalidParams(
            f"{scheme}:// is not a store that Lyra can read.", remedy=f"Give a path, or one of {', '.join(_STORES)}."
        )
    return path_of(given).absolute().as_uri() if scheme == _LOCAL else Path(given).absolute().as_uri()


def path_of(address: str) -> Path:
    """The path of a `file:///…` address, whatever the encoding of its name."""
    return Path(os.fsdecode(unquote_to_bytes(urlsplit(address).path)))


def public_address(address: str) -> str:
    """The address without its query, which says how the store is reached."""
    return address.partition("?")[0]


def is_local(address: str) -> bool:
    return address.startswith("file://")


def list_files(address: str) -> Iterator[StoredFile]:
    """Every file at or below an address, by name; hidden ones and what lies behind links to folders are left out."""
    yield from _local_files(path_of(address)) if is_local(address) else _store_files(address)


@contextmanager
def open_file(address: str) -> Iterator[BinaryIO]:
    """A file to read, at any place in it; raises OSError."""
    if is_local(address):
        with path_of(address).open("rb") as file:
            yield file
        return
    system, path = _store(address)
    with system.open_input_file(path) as file:
        yield cast(BinaryIO, file)


def exists(address: str) -> bool:
    """Whether a file is there."""
    return path_of(address).is_file() if is_local(address) else _kind(address) == "File"


def is_folder(address: str) -> bool:
    """Whether there is a folder, or in a store any object below this name."""
    return path_of(address).is_dir() if is_local(address) else _kind(address) == "Directory"


def _kind(address: str) -> str:
    system, path = _store(address)
    return str(system.get_file_info(path).type.name)


def put_file(address: str, data: bytes) -> None:
    """Write a file whole or not at all, in the place of one that is there."""
    if is_local(address):
        path = path_of(address)
        path.parent.mkdir(parents=True, exist_ok=True)
        put_bytes(path, data)
        return
    system, path_in_store = _store(address)
    with system.open_output_stream(path_in_store, compression=None) as file:
        file.write(data)


def child(address: str, *names: str) -> str:
    """An address below another one; the query stays at the end."""
    head, mark, query = address.partition("?")
    return "/".join((head.rstrip("/"), *(quote(one) for one in names))) + mark + query


def _local_files(path: Path) -> Iterator[StoredFile]:
    if path.is_file():
        yield _stored(path, path.stat())
        return
    if not path.is_dir():
        raise _missing(str(path))
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            one = Path(folder, name)
            if not name.startswith(".") and one.is_file():
                yield _stored(one, one.stat())


def _stored(path: Path, known: os.stat_result) -> StoredFile:
    return StoredFile(path.absolute().as_uri(), known.st_size, f"{known.st_size}-{known.st_mtime_ns}")


def _store_files(address: str) -> Iterator[StoredFile]:
    from pyarrow.fs import FileSelector, FileType

    try:
        system, path = _store(address)
        first = system.get_file_info(path)
        found = [first] if first.type == FileType.File else system.get_file_info(FileSelector(path, recursive=True))
    except FileNotFoundError as exc:
        raise _missing(public_address(address)) from exc
    except OSError as exc:
        raise _unreachable(address, exc) from exc
    for one in sorted(found, key=lambda info: str(info.path)):
        hidden = any(part.startswith(".") for part in str(one.path).split("/"))
        if one.type == FileType.File and not hidden:
            yield _stored_object(address, one)


def _stored_object(address: str, info: "FileInfo") -> StoredFile:
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    return StoredFile(f"{parts.scheme}://{quote(info.path)}{query}", info.size, f"{info.size}-{info.mtime_ns}")


def _store(address: str) -> tuple[Any, str]:
    require_pyarrow()
    from pyarrow import ArrowInvalid
    from pyarrow.fs import FileSystem

    try:
        system, path = FileSystem.from_uri(address)
    except (ArrowInvalid, OSError) as exc:
        raise _unreachable(address, exc) from exc
    return system, path


def _missing(name: str) -> InvalidParams:
    return InvalidParams(f"There is no file or folder {name}.", remedy="Give a path or address that is there.")


def _unreachable(address: str, exc: BaseException) -> StorageError:
    reason = (str(exc) or type(exc).__name__).strip().splitlines()[0][:300]
    return StorageError(
        f"{public_address(address)} cannot be reached: {reason}",
        remedy="Check the address, its endpoint_override and region, and the access keys in the environment.",
    )
