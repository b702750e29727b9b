"""Numbered migrations, each in one transaction with its record; two processes may open a new file at once."""

import re
import time
from functools import cache, partial
from importlib import resources
from pathlib import Path

import apsw

from lyra.errors import DatabaseTooNew
from lyra.storage import failures
from lyra.storage.connection import BUSY_TIMEOUT_MS, in_transaction, read_header

# `pragma application_id`: the file is Lyra's. "Lyra" in ASCII.
APPLICATION_ID = 0x4C797261
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_VERSION_AT = slice(60, 64)


@cache
def _migrations() -> tuple[tuple[int, str], ...]:
    """Number and SQL of every migration, in order."""
    found = []
    for file in resources.files("lyra.storage").joinpath("migrations").iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            found.append((int(match.group(1)), file.read_text("utf-8")))
    return tuple(sorted(found))


def latest() -> int:
    """The schema version this Lyra writes."""
    return _migrations()[-1][0]


def check_header(path: Path) -> None:
    """Refuse a file that is no database or too new from its bytes alone, before SQLite touches anything."""
    header = read_header(path)
    if header is None:
        raise failures.not_a_database(path)
    if header:
        _refuse_newer(int.from_bytes(header[_VERSION_AT], "big"), path)


def migrate(connection: apsw.Connection, path: Path) -> None:
    """Bring the file to the latest schema; refuses foreign and newer files before writing."""
    _check(connection, path)
    _use_wal(connection)
    for number, sql in _migrations():
        if _version(connection) < number:
            in_transaction(connection, "begin immediate", partial(_apply, number=number, sql=sql))


def _check(connection: apsw.Connection, path: Path) -> None:
    version = _version(connection)
    is_ours = connection.pragma("application_id") == APPLICATION_ID
    has_tables = connection.execute("select exists (select 1 from sqlite_schema)").get
    if not is_ours and (version or has_tables):
        raise failures.not_a_database(path)
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


def _apply(connection: apsw.Connection, number: int, sql: str) -> None:
    if _version(connection) < number:  # another process may have come first
        connection.execute(sql)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", number)
