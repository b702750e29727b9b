"""Whether a database file has exactly Lyra's tables, indexes, triggers and views; any other could act by itself."""

import re
from datetime import datetime
from functools import cache
from pathlib import Path

import apsw

from lyra.clock import stamp
from lyra.storage import graph_views, migrate, tokenizer
from lyra.storage.sqlite_errors import opening

_OBJECTS = "select type, name, sql from sqlite_schema where sql is not null"
_OF_SQLITE = frozenset({"sqlite_sequence", "sqlite_stat1", "sqlite_stat4"})


def foreign_objects(path: Path) -> tuple[str, ...]:
    """What the file has and Lyra's schema of its number has not, has otherwise, or lacks; views of analysis left out.

    Nothing in the file is run. Raises StorageError where it cannot be read.
    """
    with opening(path):
        migrate.check_header(path)
        connection = _open_untrusted(path)
        try:
            found = _objects(connection)
            wanted = _expected(int(connection.pragma("user_version")))
        finally:
            connection.close()
    differing = {name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)}
    return tuple(sorted(f"{kind} {name}" for kind, name in differing))


def make_safe(path: Path, now: datetime) -> None:
    """Remove the views of analysis, so that opening the file makes Lyra's own, and revoke the tokens of people: whoever
    made the file may have entered one."""
    with opening(path):
        connection = _open_untrusted(path)
        try:
            connection.execute("begin immediate")
            for kind, name, _ in connection.execute(_OBJECTS).fetchall():
                if _is_remade(str(kind), str(name)):
                    connection.execute(f'drop view "{name}"')
            connection.execute("delete from meta where key = 'views'")
            if ("table", "people") in _objects(connection):
                connection.execute("update people set revoked_at = ? where revoked_at is null", (stamp(now),))
            connection.execute("commit")
        finally:
            connection.close()


def _open_untrusted(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    return connection


@cache
def _expected(version: int) -> dict[tuple[str, str], str]:
    connection = apsw.Connection(":memory:")
    tokenizer.register(connection)
    try:
        for sql in migrate.steps_to(version):
            connection.execute(sql)
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: apsw.Connection) -> dict[tuple[str, str], str]:
    rows = ((str(kind), str(name), str(sql)) for kind, name, sql in connection.execute(_OBJECTS))
    return {
        (kind, name): _normal(sql) for kind, name, sql in rows if not _is_remade(kind, name) and name not in _OF_SQLITE
    }


def _is_remade(kind: str, name: str) -> bool:
    """Views of analysis are made again whenever their text changes, so that an older file has them otherwise."""
    return kind == "view" and name in graph_views.names()


def _normal(sql: str) -> str:
    """The statement whatever its spaces, letters and comments, and the way that full text tells words apart."""
    words = re.sub(r"--[^\n]*", "", sql).replace('"', "").lower()
    words = re.sub(r"tokenize = '[^']*'", "tokenize", words)
    return re.sub(r"\s*([(),;])\s*", r"\1", re.sub(r"\s+", " ", words)).strip()
