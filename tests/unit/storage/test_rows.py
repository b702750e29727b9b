"""Rows become dataclasses by field name, and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import apsw
import pytest

from lyra.storage.rows import Table, column, from_json, nested, read, read_dicts, read_one

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Note:
    id: str
    written_at: datetime
    colour: Colour
    is_open: bool | None = None
    words: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    home: Place | None = None


NOTES = Table("notes", Note, {"colour": "color", **nested("home", Place, path="home_path", line="home_line")})
SELECT = f"select {NOTES.columns('n')} from notes n order by id"
FULL = Note("a", NOON, Colour.BLUE, False, ("x", "語"), (Place("p", 1), Place("q", 2)), {"k": 0.5}, Place("h", 7))
BARE = Note("b", NOON, Colour.RED)


@pytest.fixture
def connection():
    made = apsw.Connection(":memory:")
    made.execute(
        """
        create table notes (id text primary key, written_at text, color text, is_open integer, words text, places text,
            figures text, home_path text, home_line integer) strict
        """
    )
    return made


def test_a_record_comes_back_as_it_was_written(connection):
    """Times, enums, truth values, lists, mappings and nested dataclasses; None and defaults too."""
    NOTES.insert_many(connection, [FULL, BARE])

    assert read(connection, Note, SELECT) == (FULL, BARE)


def test_columns_hold_plain_values(connection):
    """A time as its stamp, lists as JSON, a nested dataclass as columns of its own."""
    NOTES.insert(connection, FULL)

    assert connection.execute("select * from notes").fetchall() == [
        ("a", "2026-01-02T12:00:00.000Z", "blue", 0, '["x","語"]', '[["p",1],["q",2]]', '{"k":0.5}', "h", 7)
    ]


def test_the_order_of_columns_does_not_matter_and_missing_ones_get_the_default(connection):
    """A statement may give some of the fields in any order."""
    sql = "select 'red' as colour, '2026-01-02T12:00:00.000Z' as written_at, 'c' as id, null as words"

    assert read_one(connection, Note, sql) == Note("c", NOON, Colour.RED)


def test_no_row_is_nothing(connection):
    """Neither a tuple with None nor an error."""
    assert (read(connection, Note, SELECT), read_one(connection, Note, SELECT), read_dicts(connection, SELECT)) == (
        (),
        None,
        [],
    )


def test_a_column_without_a_field_is_refused(connection):
    """A misspelt name shows at the first row."""
    with pytest.raises(KeyError, match="surname"):
        read(connection, Note, "select 'a' as id, 'x' as surname")


def test_saving_again_replaces_everything_but_the_key(connection):
    """A second insert of the same key may be left alone instead."""
    NOTES.save(connection, FULL, "id")
    NOTES.save(connection, Note("a", NOON, Colour.RED), "id")

    is_written = NOTES.insert(connection, FULL, "(id) do nothing")

    assert (is_written, read(connection, Note, SELECT)) == (False, (Note("a", NOON, Colour.RED),))


def test_json_becomes_a_dataclass_whose_unknown_keys_are_left_out():
    """Types within are made too."""
    text = '{"id": "a", "written_at": "2026-01-02T12:00:00.000Z", "colour": "red", "home": ["h", 1], "old": 1}'

    assert from_json(Note, text) == Note("a", NOON, Colour.RED, home=Place("h", 1))


def test_rows_by_name_and_single_columns(connection):
    """Where there is no dataclass for them."""
    NOTES.insert_many(connection, [FULL, BARE])

    assert read_dicts(connection, "select id, color as shade from notes where id = ?", ("a",)) == [
        {"id": "a", "shade": "blue"}
    ]
    assert column(connection, "select id from notes order by id") == ["a", "b"]
