"""One way to open the file: private permissions, the same pragmas and the full-text tokenizer on every connection."""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import apsw

from lyra.storage import tokenizer

T = TypeVar("T")

BUSY_TIMEOUT_MS = 15_000
_HEADER = b"SQLite format 3\x00"
_HEADER_BYTES = 100


def create_file(path: Path) -> None:
    """Make the data directory (0700) and an empty file (0600) where there is none; SQLite copies the file's mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))


def read_header(path: Path) -> bytes | None:
    """The first 100 bytes as they lie on disk: empty for a new file, None where it is not SQLite's."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    return header if not header or header.startswith(_HEADER) else None


def connect(path: Path, *, read_only: bool = False) -> apsw.Connection:
    """A connection that waits for other processes instead of failing, with foreign keys and the tokenizer `lyra`."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.execute("select 1 from sqlite_schema limit 1").fetchall()  # what ails the file shows here by its name
    tokenizer.register(connection)
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma synchronous = normal")
    connection.execute("pragma temp_store = memory")
    if read_only:
        connection.execute("pragma query_only = on")
    return connection


def in_transaction(connection: apsw.Connection, begin: str, fn: Callable[[apsw.Connection], T]) -> T:
    """What `fn` gives, in one transaction that any exception rolls back; `begin` says of which kind."""
    connection.execute(begin)
    try:
        result = fn(connection)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:  # SQLite has already rolled back after some errors, such as a full disk
            connection.execute("rollback")
        raise
    return result


@contextlib.contextmanager
def secure_deletion(connection: apsw.Connection) -> Iterator[None]:
    """What is deleted within is overwritten in the file and not only unlinked there: it may be confidential."""
    connection.execute("pragma secure_delete = on")
    try:
        yield
    finally:
        connection.execute("pragma secure_delete = off")
