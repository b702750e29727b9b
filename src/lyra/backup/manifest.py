"""The list inside a backup: what it holds, byte for byte, so that restoring can check everything."""

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from lyra.errors import InvalidParams

NAME = "manifest.json"
DATABASE = "lyra.db"
FORMAT = "lyra-backup"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A file by its path below the data directory."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`missing` are archive files that the database refers to and that were not there, or not whole."""

    lyra_version: str
    schema_version: int
    created_at: str
    files: tuple[Entry, ...]
    missing: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files)

    def to_json(self) -> str:
        files = [{"path": one.path, "size_bytes": one.size_bytes, "sha256": one.sha256} for one in self.files]
        about = {"format": FORMAT, "version": VERSION, "lyra_version": self.lyra_version}
        about |= {"schema_version": self.schema_version, "created_at": self.created_at}
        return json.dumps({**about, "missing": self.missing, "files": files}, ensure_ascii=False, indent=1)


def parse(text: bytes) -> Manifest:
    """Read a manifest. Raises InvalidParams where it is not one that this Lyra can trust."""
    try:
        fields = json.loads(text)
        if fields["format"] != FORMAT:
            raise ValueError("another format")
        if fields["version"] > VERSION:
            raise InvalidParams("The backup was made by a newer Lyra.", remedy="Update Lyra.")
        manifest = Manifest(
            lyra_version=str(fields["lyra_version"]),
            schema_version=int(fields["schema_version"]),
            created_at=str(fields["created_at"]),
            files=tuple(_entry(row) for row in fields["files"]),
            missing=tuple(str(path) for path in fields["missing"]),
        )
        if DATABASE not in {entry.path for entry in manifest.files}:
            raise ValueError("no database")
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise unfit(f"its list of contents cannot be read ({exc})") from exc
    return manifest


def _entry(row: Any) -> Entry:
    path, size = row["path"], row["size_bytes"]
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or str(pure) != path or "\\" in path or path == NAME:
        raise ValueError("it names a file outside the data directory")
    if not isinstance(size, int) or size < 0:
        raise ValueError("a size is no number")
    return Entry(path, size, str(row["sha256"]))


def unfit(why: str) -> InvalidParams:
    """The file is no backup, or not a whole one."""
    return InvalidParams(
        f"The backup cannot be used: {why}. Nothing was changed.",
        remedy="Use another backup; `lyra backup FILE` makes one.",
    )
