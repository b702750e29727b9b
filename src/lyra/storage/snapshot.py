"""A copy of the database as it stands at one moment, taken while others read and write it."""

from dataclasses import dataclass
from pathlib import Path

import apsw

from lyra.errors import StorageError
from lyra.storage import migrate
from lyra.storage.connection import connect, create_file
from lyra.storage.sqlite_errors import opening


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the copy holds; `archived` are the archive's files it refers to, each with the bytes it needs of them."""

    schema_version: int
    archived: dict[str, int]


def take(source: Path, target: Path) -> Snapshot:
    """Copy the database to `target`, which must not exist, as one file without a log beside it."""
    with opening(source):
        if not source.is_file():
            raise StorageError(f"There is no database {source.name} to copy.", remedy="Choose another data directory.")
        migrate.check_header(source)
        original = connect(source, read_only=True)
        try:
            create_file(target)
            copy = apsw.Connection(str(target))
            try:
                with copy.backup("main", original, "main") as progress:
                    progress.step(-1)  # in one go: a writer between two steps would make it start again
                copy.pragma("journal_mode", "delete")
            finally:
                copy.close()
        finally:
            original.close()
    return check_copy(target)


def check_copy(path: Path) -> Snapshot:
    """Check a copy: that it is Lyra's, not too new and whole. Raises StorageError or DatabaseTooNew."""
    with opening(path):
        migrate.check_header(path)
        connection = connect(path)
        try:
            damage = connection.execute("pragma quick_check(1)").get
            if damage != "ok" or connection.pragma("application_id") != migrate.APPLICATION_ID:
                raise StorageError(f"The database {path.name} is damaged or not Lyra's: {damage}.", remedy=_OTHER)
            version = int(connection.pragma("user_version"))
            return Snapshot(version, _archived(connection))
        finally:
            connection.close()


def is_in_use(path: Path) -> bool:
    """Whether any process has the database open: such a one keeps a lock, even while it rests."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        connection.pragma("locking_mode", "exclusive")
        connection.execute("begin exclusive")
        connection.execute("rollback")
    except apsw.BusyError:
        return True
    except apsw.Error:  # no database at all: nobody can be using it as one
        return False
    finally:
        connection.close()
    return False


def _archived(connection: apsw.Connection) -> dict[str, int]:
    rows = connection.execute(
        """
        select warc_path, max(warc_offset + warc_length)
        from (
            select warc_path, warc_offset, warc_length from pages
            union all
            select warc_path, warc_offset, warc_length from page_versions
        )
        where warc_path is not null
        group by warc_path
        """
    )
    return {str(path): int(end) for path, end in rows}


_OTHER = "Use another backup."
