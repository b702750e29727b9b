"""Numbered migrations, each in one transaction with its record; two processes may open a file at once."""

import re
import time
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import apsw

from lyra.errors import DatabaseTooNew
from lyra.storage import sqlite_errors
from lyra.storage.connection import BUSY_TIMEOUT_MS, in_transaction, read_header

# `pragma application_id`: the file is Lyra's. "Lyra" in ASCII.
APPLICATION_ID = 0x4C797261
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_VERSION_AT = slice(60, 64)
# Folders: what makes new databases and goes on from there; what brings older ones to the schema of its first file.
_NEW, _OLD = "migrations", "upgrades"


@cache
def _migrations(folder: str) -> Mapping[int, str]:
    """The SQL of every file of a folder by its number, in order."""
    found = {}
    for file in resources.files("lyra.storage").joinpath(folder).iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            found[int(match.group(1))] = file.read_text("utf-8")
    return MappingProxyType(dict(sorted(found.items())))


def latest() -> int:
    """The schema version this Lyra writes."""
    return max(_migrations(_NEW))


def _next_step(version: int) -> tuple[int, str]:
    """Number and SQL of the step that a database of this version needs next.

    A new one is made whole by the first file of `migrations`, an older one is brought to the same schema by `upgrades`;
    from there both go on with the later files of `migrations`.
    """
    whole = min(_migrations(_NEW))
    folder = _OLD if 0 < version < whole else _NEW
    return next((number, sql) for number, sql in _migrations(folder).items() if number > version)


def steps_to(version: int) -> list[str]:
    """The SQL that makes an empty file of this version, as files of that version were made."""
    whole = min(_migrations(_NEW))
    if version < whole:
        return [sql for number, sql in _migrations(_OLD).items() if number <= version]
    return [sql for number, sql in _migrations(_NEW).items() if number <= version]


def check_header(path: Path) -> None:
    """Refuse a file that is no database or too new from its bytes alone, before SQLite touches anything."""
    header = read_header(path)
    if header is None:
        raise sqlite_errors.not_a_database(path)
    if header:
        _refuse_newer(int.from_bytes(header[_VERSION_AT], "big"), path)


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring the file to the latest schema; refuses foreign and newer files before writing."""
    _check(connection, path)
    _use_wal(connection)
    while _version(connection) < latest():
        in_transaction(connection, "begin immediate", _take_step)


def refuse_newer(connection: apsw.Connection, path: Path) -> None:
    """Raise DatabaseTooNew where a newer Lyra has upgraded the file since it was opened."""
    _refuse_newer(_version(connection), path)


def _check(connection: apsw.Connection, path: Path) -> None:
    version = _version(connection)
    is_ours = connection.pragma("application_id") == APPLICATION_ID
    has_tables = connection.execute("select exists (select 1 from sqlite_schema)").get
    if not is_ours and (version or has_tables):
        raise sqlite_errors.not_a_database(path)
    _refuse_newer(version, path)


def _refuse_newer(version: int, path: Path) -> None:
    if version > latest():
        raise DatabaseTooNew(
            f"The database {path.name} has schema {version}; this Lyra knows up to {latest()}. Nothing was changed.",
            remedy="Update Lyra, or choose another data directory with LYRA_DATA_DIR.",
            details={"found": version, "known": latest()},
        )


def _version(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))


def _use_wal(connection: apsw.Connection) -> None:
    """Switch to write-ahead logging. Two processes that switch at once get "busy" without any waiting: try again."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while connection.pragma("journal_mode") != "wal":
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _take_step(connection: apsw.Connection) -> None:
    version = _version(connection)
    if version < latest():  # another process may have come first
        number, sql = _next_step(version)
        connection.execute(sql)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", number)
