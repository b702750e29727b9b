"""The executor of `query_graph`: one read-only statement of a client, guarded in depth, off the event loop.

In order: the text is one statement that begins with SELECT or WITH; the connection is read-only; the authorizer lets
only readable tables and safe functions through; time, VM steps, memory, values, rows and result have limits. What reads
addresses is only prepared on the first connection, and runs on one that shows them without secrets.
"""

import asyncio
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from lyra.errors import InvalidParams
from lyra.model.graph_query import GuardedResult
from lyra.model.person import OWNER, Person
from lyra.redact.redactor import PLAIN, Redactor
from lyra.storage import graph_schema, shown_addresses
from lyra.storage.guarded_connections import GuardedConnection, GuardedConnections
from lyra.storage.query_limits import MAX_VALUE_BYTES, QueryLimits
from lyra.storage.sqlite_errors import translated
from lyra.text import strip_control_chars

MAX_LIMIT = 200
MAX_TIMEOUT_MS = 2_000
MAX_VM_STEPS = 5_000_000
MAX_SQL_CHARS = 20_000
MAX_RESULT_CHARS = 200_000
MAX_CELL_CHARS = 20_000

_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]"
_COMMENT = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
_QUOTED_OR_COMMENT = re.compile(rf"(?P<quoted>{_QUOTED})|{_COMMENT}", re.DOTALL)
_SEVERAL_PARTS = re.compile(r"\b(?:union|except|intersect)\b", re.IGNORECASE)
_LEADING = re.compile(r"\s*(select|with)\b", re.IGNORECASE)

# The table and column that a result column shows as they are stored; None where it is computed.
Origin = tuple[str, str] | None


class GraphQueries:
    """Runs statements of clients on the database of this path; close it to give back its connections."""

    def __init__(self, path: Path, redactor: Redactor = PLAIN) -> None:
        self._connections = GuardedConnections(path, redactor)

    async def run(
        self,
        sql: str,
        *,
        limit: int = 50,
        timeout_ms: int = 300,
        max_vm_steps: int = 500_000,
        include_schema: bool = False,
        person: Person = OWNER,
    ) -> GuardedResult:
        """One SELECT over what the person sees. A refused statement raises InvalidParams, a stopped one TimedOut."""
        _check_range("limit", limit, MAX_LIMIT)
        _check_range("timeout_ms", timeout_ms, MAX_TIMEOUT_MS)
        _check_range("max_vm_steps", max_vm_steps, MAX_VM_STEPS)
        check_text(sql)
        return await asyncio.to_thread(self._run, sql, limit, timeout_ms, max_vm_steps, include_schema, person)

    async def close(self) -> None:
        await asyncio.to_thread(self._connections.close)

    def _run(
        self, sql: str, limit: int, timeout_ms: int, max_vm_steps: int, include_schema: bool, person: Person
    ) -> GuardedResult:
        with translated(self._connections.path):
            with self._connections.connection_for(person, sql) as guarded:
                schema = graph_schema.describe(guarded.connection) if include_schema else None
                limits = _limits(guarded, timeout_ms, max_vm_steps)
                started = time.monotonic()
                prepared, rows, truncated = _ask(guarded, limits, sql, limit)
            columns, origins = prepared
            if rows is None:
                with self._connections.connection_for(person, sql, is_plain=False) as guarded:
                    started = time.monotonic()
                    _, rows, truncated = _ask(guarded, _limits(guarded, timeout_ms, max_vm_steps), sql, limit)
                    if guarded.addresses is not None and guarded.addresses.has_changed:
                        origins = tuple(None if one in shown_addresses.COLUMNS else one for one in origins)
            elapsed_ms = _elapsed_ms(started, is_exact=guarded.is_whole)
        return GuardedResult(
            rows or (),
            columns,
            len(rows or ()),
            truncated,
            elapsed_ms,
            schema,
            origins=origins,
            read=limits.reads.columns(),
            is_row_by_row=limits.reads.is_row_by_row(),
        )


def _limits(guarded: GuardedConnection, timeout_ms: int, max_vm_steps: int) -> QueryLimits:
    if guarded.addresses is not None:
        guarded.addresses.has_changed = False
    limits = QueryLimits(
        timeout_ms=timeout_ms,
        max_vm_steps=max_vm_steps,
        views=guarded.views,
        known=guarded.known,
        hidden_schema=None if guarded.is_whole else guarded.schema,
        own_function=guarded.addresses.name if guarded.addresses is not None else None,
    )
    limits.apply_to(guarded.connection)
    return limits


def check_text(sql: str) -> None:
    """Refuse what is not one statement that begins with SELECT or WITH; words inside literals are free."""
    if len(sql) > MAX_SQL_CHARS:
        raise InvalidParams(
            f"The SQL has {len(sql)} characters; at most {MAX_SQL_CHARS} are taken.", remedy="Shorten it."
        )
    bare = _bare(sql)
    if not bare.strip("; \n"):
        raise InvalidParams("The SQL is empty.", remedy="Ask one SELECT.")
    if not _LEADING.match(bare):
        raise InvalidParams("The statement does not begin with SELECT or WITH.", remedy="Only reading is allowed.")
    if ";" in bare.rstrip("; \t\r\n") or "\x00" in sql:
        raise InvalidParams("There is more than one statement.", remedy="Ask one SELECT at a time.")


def _bare(sql: str) -> str:
    """The statement without comments and what stands in quotes."""
    return _QUOTED_OR_COMMENT.sub(lambda match: "''" if match["quoted"] else " ", sql).strip()


def _check_range(name: str, value: int, highest: int) -> None:
    if not 1 <= value <= highest:
        raise InvalidParams(f"{name} is {value}; it may be 1 to {highest}.", remedy=f"Choose another {name}.")


def _elapsed_ms(started: float, *, is_exact: bool) -> int:
    """Since then; in tenths of a second for who does not see everything, as it depends on what others have."""
    taken_ms = (time.monotonic() - started) * 1000
    return round(taken_ms) if is_exact else 100 * round(taken_ms / 100)


def _ask(
    guarded: GuardedConnection, limits: QueryLimits, sql: str, limit: int
) -> tuple[tuple[tuple[str, ...], tuple[Origin, ...]], tuple[dict[str, Any], ...] | None, bool]:
    """The columns and where they come from, the rows, and whether some were left out.

    None for rows where the statement reads addresses, which this connection would show as they are.
    """
    cursor = guarded.connection.cursor()
    rows: tuple[dict[str, Any], ...] | None = None
    truncated = False
    names: list[str] = []
    origins: list[Origin] = []
    would_show = False

    def allow_first(cursor: apsw.Cursor, statement: str, bindings: object) -> bool:
        """Called between preparing and stepping; a second statement ends it all."""
        nonlocal would_show
        is_first = not names
        would_show = is_first and guarded.is_plain and limits.reads.has_any(shown_addresses.COLUMNS)
        for name, _, _, table, column in cursor.description_full:
            names.append(strip_control_chars(name))
            origins.append((table.lower(), column.lower()) if table and column else None)
        limits.begin()
        return is_first and not would_show

    cursor.exec_trace = allow_first
    try:
        cursor.execute(sql, can_cache=False)
        rows, truncated = _collect(cursor, _unique(names), limit)
    except apsw.InterruptError as exc:
        raise limits.limit_error() from exc
    except apsw.ExecTraceAbort as exc:
        if not would_show:
            raise InvalidParams("There is more than one statement.", remedy="Ask one SELECT at a time.") from exc
    except apsw.BindingsError as exc:
        raise InvalidParams("Parameters such as ? are not taken.", remedy="Write values as literals.") from exc
    except (apsw.AuthError, apsw.SQLError, apsw.ReadOnlyError, apsw.MismatchError) as exc:
        raise limits.refusal_error(f"SQLite refuses the statement: {exc}.") from exc
    except (apsw.TooBigError, apsw.NoMemError) as exc:
        raise InvalidParams(
            f"A value of the query is larger than {MAX_VALUE_BYTES} bytes.",
            remedy="Read a page by its fragments, and build no long strings.",
        ) from exc
    except UnicodeDecodeError as exc:
        raise InvalidParams("A text in the result is not UTF-8.", remedy="Show it with hex().") from exc
    finally:
        cursor.close(True)  # rows that nobody takes would hold a snapshot
    if _SEVERAL_PARTS.search(_bare(sql)):  # SQLite tells of the first part alone where its columns come from
        origins = [None] * len(origins)
    return (_unique(names), tuple(origins)), rows, truncated


def _collect(
    cursor: Iterator[tuple[Any, ...]], columns: tuple[str, ...], limit: int
) -> tuple[tuple[dict[str, Any], ...], bool]:
    """At most `limit` rows and MAX_RESULT_CHARS characters, and whether anything was left out."""
    rows: list[dict[str, Any]] = []
    size = 0
    truncated = False
    for values in cursor:
        cells = [_cell(value) for value in values]
        truncated |= any(was_cut for _, was_cut, _ in cells)
        size += sum(length for _, _, length in cells)
        if len(rows) == limit or (rows and size > MAX_RESULT_CHARS):
            return tuple(rows), True
        rows.append(dict(zip(columns, (value for value, _, _ in cells), strict=True)))
    return tuple(rows), truncated


def _cell(value: Any) -> tuple[Any, bool, int]:
    """A value that JSON can carry, whether it was cut, and about how many characters it takes."""
    if isinstance(value, bytes):
        return {"blob_bytes": len(value)}, False, 24
    if isinstance(value, float) and not math.isfinite(value):
        return ("Infinity" if value > 0 else "-Infinity"), False, 10
    if isinstance(value, str):
        return (value[:MAX_CELL_CHARS], len(value) > MAX_CELL_CHARS, min(len(value), MAX_CELL_CHARS))
    return value, False, 10


def _unique(names: list[str]) -> tuple[str, ...]:
    """Column names, told apart by a number where two are equal: a row is an object."""
    seen: dict[str, int] = {}
    unique: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(unique)
