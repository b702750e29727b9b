"""Whether the database file is sound: pages, indexes, references, full text, and nothing in its schema but Lyra's."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw

from lyra.model.archive import ArchivedRecord
from lyra.storage import archive_index
from lyra.storage.connection import connect
from lyra.storage.schema_check import foreign_objects
from lyra.storage.sqlite_errors import opening

_STEPS_BETWEEN_BEATS = 100_000
_MOST_SHOWN = 20
_TREE = re.compile(r"Tree (\d+) ")


@dataclass(frozen=True, slots=True)
class DatabaseCheck:
    """What is wrong in the file, in words; and what it says of the archive, unless it is too damaged to tell."""

    problems: tuple[str, ...]
    records: tuple[ArchivedRecord, ...] = ()
    page_records: tuple[tuple[str, str], ...] = ()
    is_archive_known: bool = True


def check_database(path: Path, on_beat: Callable[[], None]) -> DatabaseCheck:
    """Read the whole file; `on_beat` is called now and then and may raise, which ends the check.

    Raises StorageError where the file cannot be opened at all.
    """
    foreign = tuple(f"not Lyra's own, or changed: {one}" for one in foreign_objects(path))
    with opening(path):
        connection = connect(path)

        def beat() -> bool:
            on_beat()
            return False

        try:
            connection.set_progress_handler(beat, _STEPS_BETWEEN_BEATS)
            damage = _damage(connection)
            if damage:
                return DatabaseCheck((*foreign, *damage), is_archive_known=False)
            return DatabaseCheck(
                (*foreign, *_references(connection), *_full_text(connection)),
                archive_index.all_records(connection),
                archive_index.page_records(connection),
            )
        finally:
            connection.close()


def _damage(connection: apsw.Connection) -> list[str]:
    """A line for each damaged table or index, by its name, then what else SQLite says."""
    try:
        found = [str(row[0]) for row in connection.execute(f"pragma integrity_check({_MOST_SHOWN})")]
    except apsw.CorruptError as exc:
        return _unreadable_tables(connection) or [str(exc)]
    lines = [line for one in found for line in one.splitlines() if not line.startswith("***")]
    return [] if lines == ["ok"] else _named(lines, _trees(connection))


def _unreadable_tables(connection: apsw.Connection) -> list[str]:
    """Tables that cannot be read to their end; where one is, SQLite ends its check of all of them."""
    unreadable = []
    names = connection.execute("select name from sqlite_schema where type = 'table' and rootpage > 0").fetchall()
    for (name,) in names:
        try:
            connection.execute(f'pragma integrity_check("{name}")').fetchall()
        except apsw.CorruptError:
            unreadable.append(f"table {name} cannot be read")
    return unreadable


def _trees(connection: apsw.Connection) -> dict[str, str]:
    """Tables and indexes by the number of their first page, which is what SQLite calls a tree by."""
    rows = connection.execute("select rootpage, type, name, tbl_name from sqlite_schema where rootpage > 0").fetchall()
    return {
        str(page): f"table {name}" if kind == "table" else f"index {name} of table {table}"
        for page, kind, name, table in rows
    }


def _named(lines: list[str], trees: dict[str, str]) -> list[str]:
    damaged: Counter[str] = Counter()
    rest = []
    for line in lines:
        tree = _TREE.match(line)
        if tree is None:
            rest.append(line)
        else:
            damaged[trees.get(tree[1], f"tree {tree[1]}")] += 1
    return [f"{name} is damaged (places: {count})" for name, count in sorted(damaged.items(), key=_tables_first)] + rest


def _tables_first(entry: tuple[str, int]) -> tuple[bool, str]:
    return not entry[0].startswith("table "), entry[0]


def _references(connection: apsw.Connection) -> list[str]:
    found = connection.execute("pragma foreign_key_check").fetchall()[:_MOST_SHOWN]
    return [f"a row of {table} refers to a row of {parent} that is gone" for table, _, parent, _ in found]


def _full_text(connection: apsw.Connection) -> list[str]:
    broken = []
    for table in ("fragments_fts", "claims_fts"):
        try:
            connection.execute(f"insert into {table} ({table}, rank) values ('integrity-check', 1)")
        except apsw.CorruptError:
            broken.append(f"the word index {table} does not fit its rows")
    return broken
