"""Replacements of SQL's string functions answer as the built-in ones do, and take no quadratic time."""

import apsw
import pytest

from lyra.storage import string_functions

EXPRESSIONS = [
    "instr('心不全と膵炎', '膵炎')",
    "instr('abc', 'x')",
    "instr('abc', '')",
    "instr(x'010203', x'03')",
    "instr(12345, 34)",
    "instr(null, 'a')",
    "replace('DPP-4 inhibitor', 'DPP-4', 'SGLT2')",
    "replace('abc', '', 'x')",
    "replace('abc', 'b', null)",
    "replace(1.0, '0', 'x')",
    "replace(0.1, '0', 'x')",
    "replace(1e20, 'e', 'E')",
    "replace(-1.5e-07, '-', '+')",
    "replace(9e999, 'I', 'i')",
    "trim('  a b ')",
    "trim('xxaxx', 'x')",
    "ltrim('xyxa', 'xy')",
    "rtrim('ayxy', 'xy')",
    "trim('aaa', 'a')",
    "trim('', 'a')",
    "trim('a', '')",
    "ltrim(null)",
    "rtrim('。膵炎。', '。')",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_answer_is_that_of_sqlite(expression):
    """A client that knows SQLite must not notice the replacement."""
    plain, replaced = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    string_functions.install(replaced, lambda: None, 1_000_000)

    answer = replaced.execute(f"select {expression}, typeof({expression})").fetchall()

    assert answer == plain.execute(f"select {expression}, typeof({expression})").fetchall()


def test_a_search_for_half_a_megabyte_in_one_is_ours_to_do():
    """The built-in instr takes 20 s for this inside one instruction, where nothing can interrupt it; ours is asked
    once, and Python looks for a text in linear time."""
    connection = apsw.Connection(":memory:")
    calls = []
    string_functions.install(connection, lambda: calls.append(1), 1_000_000)

    found = connection.execute("select instr(printf('%.*c', 990000, 'a'), printf('%.*c', 490000, 'a') || 'b')").get

    assert (found, calls) == (0, [1])


def test_a_replacement_that_would_grow_too_long_is_refused_before_it_is_made():
    """A million times a million characters must not be allocated in order to be found too long."""
    connection = apsw.Connection(":memory:")
    string_functions.install(connection, lambda: None, 1_000_000)

    with pytest.raises(apsw.TooBigError):
        connection.execute("select replace(printf('%.*c', 900000, 'a'), 'a', printf('%.*c', 900000, 'b'))").fetchall()


def test_every_call_asks_whether_the_time_is_over():
    """A statement made of many calls is stopped between them."""
    connection = apsw.Connection(":memory:")
    calls = []
    string_functions.install(connection, lambda: calls.append(1), 1_000_000)

    connection.execute(
        "select instr(value, 'a'), replace(value, 'a', 'b'), trim(value) from json_each('[1, 2]')"
    ).fetchall()

    assert len(calls) == 6
