"""Rows become dataclasses by field name and dataclasses become rows; how each type is kept in a column is said here.

A field of a nested dataclass is a column of its own, named with a dot (`archive.path`); such a dataclass is None where
its first column is null. What else is no plain value is JSON; several dataclasses are lists of their values, and
null is an empty list.
"""

import json
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, field, fields, is_dataclass
from dataclasses import dataclass as _dataclass
from datetime import datetime
from enum import Enum
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, Generic, TypeVar

import apsw
from apsw import Connection

from lyra.clock import parse_stamp, stamp
from lyra.storage.columns import to_json

T = TypeVar("T")
Row = tuple[Any, ...]
Bindings = Sequence[Any] | Mapping[str, Any]


# What makes a dataclass of a statement's rows: its columns are asked for once.
_builders: dict[tuple[type, str], Callable[[Row], Any]] = {}


def read(connection: Connection, into: type[T], sql: str, bindings: Bindings = ()) -> tuple[T, ...]:
    """Every row of a statement as a dataclass; the names of the columns are those of the fields."""
    cursor = connection.execute(sql, bindings)
    build = _builder_of(cursor, into, sql)
    return () if build is None else tuple(map(build, cursor))


def read_one(connection: Connection, into: type[T], sql: str, bindings: Bindings = ()) -> T | None:
    """The first row, or None where there is none."""
    cursor = connection.execute(sql, bindings)
    build = _builder_of(cursor, into, sql)
    row = cursor.fetchone()
    return None if build is None or row is None else build(row)


def _builder_of(cursor: apsw.Cursor, into: type[T], sql: str) -> Callable[[Row], T] | None:
    """None where there is no row, after which SQLite no longer tells the columns."""
    if (into, sql) not in _builders:
        try:
            names = tuple(column[0] for column in cursor.get_description())
        except apsw.ExecutionCompleteError:
            return None
        _builders[into, sql] = _builder(into, names)  # type: ignore[arg-type]
    return _builders[into, sql]


def read_dicts(connection: Connection, sql: str, bindings: Bindings = ()) -> list[dict[str, Any]]:
    """Every row by the names of its columns, as SQLite gives the values."""
    cursor = connection.execute(sql, bindings)
    try:
        names = [column[0] for column in cursor.get_description()]
    except apsw.ExecutionCompleteError:
        return []
    return [dict(zip(names, row, strict=True)) for row in cursor]


def column(connection: Connection, sql: str, bindings: Bindings = ()) -> list[Any]:
    """The only column of a statement."""
    return [value for (value,) in connection.execute(sql, bindings)]


def to_column(value: Any) -> Any:
    """A field's value as a column keeps it."""
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return to_json([astuple(one) for one in value])
    if isinstance(value, tuple | Mapping):
        return to_json(value)
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(asdict(value))
    return value


def from_json(hint: Any, text: str) -> Any:
    """The value of that type which JSON describes; keys without a field are left out."""
    return _from_plain(hint)(json.loads(text))


def insert(connection: Connection, table: str, values: Mapping[str, Any], on_conflict: str = "") -> bool:
    """Write a row of these columns; returns whether one was written."""
    connection.execute(_insert(table, tuple(values), on_conflict), values)
    return bool(connection.changes())


def nested(name: str, of: type, **renamed: str) -> dict[str, str]:
    """The columns of a nested dataclass by its fields, as `Table.renamed` takes them."""
    return {f"{name}.{one.name}": renamed.get(one.name, one.name) for one in fields(of)}


@_dataclass(frozen=True)
class Table(Generic[T]):
    """How a dataclass is kept in a table: a column for each field, of the field's name unless `renamed` says another.

    `renamed` maps `field`, or `field.field` of a nested dataclass, to the column; `without` are fields not kept.
    """

    name: str
    of: type[T]
    renamed: Mapping[str, str] = field(default_factory=dict)
    without: Collection[str] = ()

    def columns(self, alias: str = "", within: str = "") -> str:
        """The list for a select that `read` makes this dataclass of, or one that has it in its field `within`."""
        table, prefix = (f"{name}." if name else "" for name in (alias, within))
        return ", ".join(f'{table}{name} as "{prefix}{path}"' for path, name in self._columns.items())

    def values(self, record: T) -> dict[str, Any]:
        """What the columns hold of a record, by column."""
        return {name: to_column(_at(record, path)) for path, name in self._columns.items()}

    def insert(self, connection: Connection, record: T, on_conflict: str = "", **extra: Any) -> bool:
        """Write a row, with further columns; returns whether one was written."""
        return insert(connection, self.name, self.values(record) | extra, on_conflict)

    def insert_many(self, connection: Connection, records: Iterable[T], on_conflict: str = "") -> None:
        """Write a row for each record."""
        names = tuple(self._columns.values())
        connection.executemany(_insert(self.name, names, on_conflict), map(self.values, records))

    def save(self, connection: Connection, record: T, key: str, defaults: Collection[str] = (), **extra: Any) -> None:
        """Write a row, or everything of the one that has this key; `defaults` are columns that get their default."""
        values = self.values(record) | extra
        changes = ", ".join(f"{name} = excluded.{name}" for name in (*values, *defaults) if name != key)
        insert(connection, self.name, values, f"({key}) do update set {changes}")

    @cached_property
    def _columns(self) -> dict[str, str]:
        """Column by field; of a nested dataclass by the fields that `renamed` names."""
        nested = {path.partition(".")[0] for path in self.renamed if "." in path}
        plain = [one.name for one in fields(self.of) if one.name not in nested and one.name not in self.without]  # type: ignore[arg-type]
        return {name: name for name in plain} | dict(self.renamed)


@cache
def _insert(table: str, names: tuple[str, ...], on_conflict: str) -> str:
    values = ", ".join(f":{name}" for name in names)
    rule = f" on conflict {on_conflict}" if on_conflict else ""
    return f"insert into {table} ({', '.join(names)}) values ({values}){rule}"


def _at(record: Any, path: str) -> Any:
    for name in path.split("."):
        record = None if record is None else getattr(record, name)
    return record


@cache
def _builder(into: type[T], names: tuple[str, ...]) -> Callable[[Row], T]:
    """Makes the dataclass of a row with these columns."""
    hints = typing.get_type_hints(into)
    order = {one.name: at for at, one in enumerate(fields(into))}  # type: ignore[arg-type]
    groups = {name.partition(".")[0] for name in names if "." in name}
    given = sorted({name for name in names if "." not in name} | groups, key=lambda name: order[name])
    # A nested dataclass stands in its place of the row as what is made of the row's own columns.
    pick = itemgetter(*(names.index(name) if name in names else 0 for name in given), 0)
    converters = [(at, made) for at, name in enumerate(given) if name in names and (made := _from_column(hints[name]))]
    nested = [(at, _nested_builder(hints[name], name, names)) for at, name in enumerate(given) if name in groups]
    is_in_order = [order[name] for name in given] == list(range(len(given)))

    def build(row: Row) -> T:
        values = list(pick(row))
        values.pop()
        for at, convert in converters:
            values[at] = convert(values[at])
        for at, make in nested:
            values[at] = make(row)
        return into(*values) if is_in_order else into(**dict(zip(given, values, strict=True)))

    return build


def _nested_builder(hint: Any, group: str, names: tuple[str, ...]) -> Callable[[Row], Any]:
    """Makes the dataclass of a field from the columns `group.…`; None where the first of them is null and may be."""
    places = [at for at, name in enumerate(names) if name.startswith(f"{group}.")]
    own = tuple(names[at].partition(".")[2] for at in places)
    kind, is_optional = _without_none(hint)
    build = _builder(kind, own)
    start, end = places[0], places[-1] + 1
    if places != list(range(start, end)):
        raise TypeError(f"The columns of {group} are not side by side.")

    def make(row: Row) -> Any:
        return None if is_optional and row[start] is None else build(row[start:end])

    return make


def _from_column(hint: Any) -> Callable[[Any], Any] | None:
    """What makes a field's value of a column's; None where they are the same."""
    kind, is_optional = _without_none(hint)
    if kind is datetime or kind is bool or _is_enum(kind):
        convert = _from_plain(kind)
    elif typing.get_origin(kind) in (tuple, dict, Mapping) or is_dataclass(kind):
        structure = _from_plain(kind)
        empty = structure([]) if typing.get_origin(kind) is tuple else None
        convert = lambda text: empty if text is None or text == "[]" else structure(json.loads(text))  # noqa: E731
    else:
        return None
    return (lambda value: None if value is None else convert(value)) if is_optional else convert


@cache
def _from_plain(hint: Any) -> Callable[[Any], Any]:
    """What makes a value of this type of what JSON knows."""
    kind, is_optional = _without_none(hint)
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    convert: Callable[[Any], Any]
    if is_optional:
        inner = _from_plain(kind)
        convert = lambda value: None if value is None else inner(value)  # noqa: E731
    elif kind is datetime:
        convert = parse_stamp
    elif kind is bool or _is_enum(kind):
        convert = kind
    elif is_dataclass(kind):
        convert = _dataclass_from_plain(kind)
    elif origin is tuple and args[-1] is Ellipsis:
        convert = tuple if args[0] in (str, int, float) else _tuple_of(_from_plain(args[0]))
    elif origin is tuple:
        convert = tuple
    else:
        convert = _same
    return convert


def _tuple_of(item: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda values: tuple(map(item, values))


def _dataclass_from_plain(kind: Any) -> Callable[[Any], Any]:
    hints = typing.get_type_hints(kind)
    makers = {one.name: _from_plain(hints[one.name]) for one in fields(kind)}

    is_plain = all(maker is _same for maker in makers.values())

    def make(value: Any) -> Any:
        """Of an object by its keys, of a list in the order of the fields."""
        if is_plain and isinstance(value, list):
            return kind(*value)
        known = value if isinstance(value, dict) else dict(zip(makers, value, strict=False))
        return kind(**{name: makers[name](one) for name, one in known.items() if name in makers})

    return make


def _same(value: Any) -> Any:
    return value


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _without_none(hint: Any) -> tuple[Any, bool]:
    """The type and whether it may be None."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        kinds = [one for one in typing.get_args(hint) if one is not type(None)]
        if len(kinds) == 1 and len(kinds) < len(typing.get_args(hint)):
            return kinds[0], True
    return hint, False
