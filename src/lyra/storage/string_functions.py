"""String functions for clients' SQL: the built-in ones are quadratic on hostile strings, and nothing interrupts them.

Measured: `instr` and `replace` of half a megabyte in one megabyte, 20 s each inside a single VM instruction.
"""

from collections.abc import Callable

import apsw

Value = None | int | float | bytes | str


def install(connection: apsw.Connection, check: Callable[[], None], max_bytes: int) -> None:
    """Replace instr, replace and the trims on this connection; `check` raises when the time is over."""

    def guarded(function: Callable[..., Value]) -> Callable[..., Value]:
        def call(*values: Value) -> Value:
            check()
            return None if None in values else function(*values)

        return call

    def replace_within(whole: Value, old: Value, new: Value) -> str:
        return _replace(_text(whole), _text(old), _text(new), max_bytes)

    connection.create_scalar_function("instr", guarded(_instr), 2, deterministic=True)
    connection.create_scalar_function("replace", guarded(replace_within), 3, deterministic=True)
    for count in (1, 2):
        connection.create_scalar_function("trim", guarded(_trim), count, deterministic=True)
        connection.create_scalar_function("ltrim", guarded(_ltrim), count, deterministic=True)
        connection.create_scalar_function("rtrim", guarded(_rtrim), count, deterministic=True)


def _instr(whole: Value, part: Value) -> int:
    if isinstance(whole, bytes) and isinstance(part, bytes):
        return whole.find(part) + 1
    return _text(whole).find(_text(part)) + 1


def _replace(whole: str, old: str, new: str, max_bytes: int) -> str:
    if not old:
        return whole
    if len(whole) + whole.count(old) * (len(new) - len(old)) > max_bytes:
        raise apsw.TooBigError("string or blob too big")
    return whole.replace(old, new)


def _trim(text: Value, characters: Value = " ") -> str:
    return _rtrim(_ltrim(text, characters), characters)


def _ltrim(text: Value, characters: Value = " ") -> str:
    whole, cut = _text(text), frozenset(_text(characters))
    start = next((i for i, char in enumerate(whole) if char not in cut), len(whole))
    return whole[start:]


def _rtrim(text: Value, characters: Value = " ") -> str:
    whole, cut = _text(text), frozenset(_text(characters))
    end = next((i for i in range(len(whole), 0, -1) if whole[i - 1] not in cut), 0)
    return whole[:end]


def _text(value: Value) -> str:
    """A value as SQLite writes it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float):
        mantissa, e, exponent = f"{value:.15g}".partition("e")
        return f"{mantissa}{'' if '.' in mantissa or not mantissa[-1].isdigit() else '.0'}{e}{exponent}"
    return str(value)
