"""What a client's SQL may do, how long, and with how much memory: default deny, checked by SQLite at every step."""

import math
import time
from collections.abc import Callable
from enum import Enum

import apsw

from lyra.errors import InvalidParams, TimedOut
from lyra.storage import string_functions
from lyra.storage.graph_schema import FTS_TABLES, HIDDEN_COLUMNS, TABLES, VIEWED_TABLES
from lyra.storage.statement_reads import StatementReads
from lyra.storage.visibility import ROWS, VISIBLE_TASKS

# Counted in steps of this many VM instructions; small, because a single instruction may take a while, and not smaller,
# because each step waits for its turn to run Python.
STEP = 500
MAX_MEMORY_BYTES = 128_000_000
MAX_VALUE_BYTES = 1_000_000
# A function call is one instruction, and code without a loop is not interrupted: so their number is limited. The worst
# that was found, every pattern hostile to a megabyte, takes 2 s.
MAX_FUNCTIONS = 200
# Time is what the statement's thread has spent on the processor: who has to wait for others to be served is not stopped
# for it. So many times as long may it take by the clock.
CLOCK_FACTOR = 10
MAX_PATTERNS = 12

_LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: MAX_VALUE_BYTES,
    apsw.SQLITE_LIMIT_COLUMN: 200,
    apsw.SQLITE_LIMIT_EXPR_DEPTH: 200,
    apsw.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    apsw.SQLITE_LIMIT_FUNCTION_ARG: 100,
    apsw.SQLITE_LIMIT_VDBE_OP: 50_000,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 100,
    apsw.SQLITE_LIMIT_VARIABLE_NUMBER: 16,  # the full-text index needs a few itself
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_FUNCTIONS = frozenset(
    """
    abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 max min mod pi
    pow power radians random round sign sin sinh sqrt tan tanh trunc
    avg count group_concat median percentile percentile_cont percentile_disc string_agg sum total
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
    char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood likely lower ltrim match
    nullif octet_length printf quote replace rtrim substr substring trim typeof unicode unlikely upper
    current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch
    -> ->> json json_array json_array_length json_error_position json_extract json_group_array json_group_object
    json_insert json_object json_pretty json_quote json_remove json_replace json_set json_type json_valid
    bm25 highlight snippet
    """.split()
)
_PATTERN_FUNCTIONS = frozenset({"like", "glob"})
_TABLE_FUNCTIONS = frozenset({"json_each", "json_tree"})
_SHADOW_PARTS = ("data", "idx", "docsize", "config", "content")
_SHADOWS = frozenset(f"{table}_{part}" for table in FTS_TABLES for part in _SHADOW_PARTS)
_RESERVED = ("sqlite_", "pragma_")


class ReachedLimit(Enum):
    """Which limit stopped a statement."""

    TIME = "time"
    STEPS = "VM steps"
    MEMORY = "memory"


class QueryLimits:
    """The limits of one statement on one connection: first `apply_to`, then prepare, then `begin` and step.

    `views` are readable; `known` are the names of everything that can be read at all, hidden or not. What lies in
    `hidden_schema` is read through views alone. `own_function` is one that only the views know.
    """

    def __init__(
        self,
        *,
        timeout_ms: int,
        max_vm_steps: int,
        views: frozenset[str],
        known: frozenset[str],
        hidden_schema: str | None = None,
        own_function: str | None = None,
        spent_s: Callable[[], float] = time.thread_time,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spent_s, self._clock_s = spent_s, clock_s
        self._timeout_ms = timeout_ms
        # A person who does not see everything could count by exact steps what the index of others' texts holds.
        self._max_vm_steps = max_vm_steps if hidden_schema is None else math.inf
        self._readable = frozenset(TABLES) | VIEWED_TABLES | views | _TABLE_FUNCTIONS
        self._known = known
        self._hidden_schema = hidden_schema
        self._own_function = own_function
        self._shown = frozenset(ROWS) | views
        started = clock_s()
        self._spent_until = spent_s() + timeout_ms / 1000
        self._due, self._deadline = started + timeout_ms / 1000, started + CLOCK_FACTOR * timeout_ms / 1000
        self._memory_base = apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0]
        self._steps = 0
        self._functions = 0
        self._patterns = 0
        self.reads = StatementReads()
        self._has_begun = False
        self._stopped: ReachedLimit | None = None
        self._refusal: str | None = None

    def apply_to(self, connection: apsw.Connection) -> None:
        """Set the limits on the connection, for good."""
        string_functions.install(connection, self._check_deadline, MAX_VALUE_BYTES)
        for limit, value in _LIMITS.items():
            connection.limit(limit, value)
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._is_limit_reached, STEP)

    def begin(self) -> None:
        """The statement itself was prepared and allowed: from now on the full-text index may read its own tables."""
        self._has_begun = True

    def refusal_error(self, fallback: str) -> InvalidParams:
        """Why the statement was refused."""
        return InvalidParams(
            self._refusal or fallback,
            remedy="Ask one SELECT over the tables and views that query_graph with options.include_schema lists.",
        )

    def limit_error(self) -> TimedOut:
        """Which limit was reached, and what to do."""
        which = self._stopped or ReachedLimit.TIME
        limits = {
            ReachedLimit.TIME: f"{self._timeout_ms} ms",
            ReachedLimit.STEPS: f"{self._max_vm_steps} VM steps",
            ReachedLimit.MEMORY: f"{MAX_MEMORY_BYTES // 1_000_000} MB",
        }
        return TimedOut(
            f"The query was stopped at its limit of {limits[which]}.",
            remedy="Filter by task_id, add LIMIT, or raise timeout_ms (up to 2000) and max_vm_steps (up to 5000000).",
            details={"limit": which.value},
        )

    def _authorize(self, op: int, one: str | None, two: str | None, schema: str | None, inside: str | None) -> int:
        if op in (apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE):
            self.reads.add_select(inside)
            return apsw.SQLITE_OK
        if op == apsw.SQLITE_READ:
            return self._read((one or "").lower(), (two or "").lower(), schema, inside)
        if op == apsw.SQLITE_FUNCTION:
            return self._function((two or "").lower(), inside)
        if op == apsw.SQLITE_PRAGMA and one == "data_version" and two is None and self._has_begun:
            return apsw.SQLITE_OK  # FTS5 asks whether its cache is still good
        return self._refuse("Only reading is allowed: one SELECT statement, no PRAGMA, ATTACH or changes.")

    def _read(self, table: str, column: str, schema: str | None, inside: str | None) -> int:
        if (table, column) in HIDDEN_COLUMNS:
            return apsw.SQLITE_IGNORE
        if not self._has_begun:
            self.reads.add_column(table, column, inside)
        if self._hidden_schema is not None:
            if table == VISIBLE_TASKS and inside is not None:
                return apsw.SQLITE_OK
            # Of rows that are only counted no column is read, and SQLite says neither schema nor view.
            is_direct = schema == self._hidden_schema if column else table in self._known - self._shown
            if is_direct and inside is None and not self._has_begun:
                return self._refuse(f"The table {table[:60]!r} cannot be read.")
        if table in self._readable or (self._has_begun and table in _SHADOWS):
            return apsw.SQLITE_OK
        if not column and schema is None and table not in self._known and not table.startswith(_RESERVED):
            return apsw.SQLITE_OK  # a table that the statement itself defines (WITH), of which no column is read
        return self._refuse(f"The table {table[:60]!r} cannot be read.")

    def _function(self, name: str, inside: str | None) -> int:
        if name == self._own_function:
            return apsw.SQLITE_OK
        self.reads.add_function(name)
        if name not in _FUNCTIONS or (name == "bm25" and self._hidden_schema is not None):
            return self._refuse(f"The function {name[:60]}() is not allowed.")
        if inside is None and not self._has_begun:
            self._functions += 1
            self._patterns += name in _PATTERN_FUNCTIONS
        if self._functions > MAX_FUNCTIONS or self._patterns > MAX_PATTERNS:
            return self._refuse(
                f"At most {MAX_FUNCTIONS} functions and {MAX_PATTERNS} LIKE or GLOB patterns are taken."
            )
        return apsw.SQLITE_OK

    def _refuse(self, why: str) -> int:
        self._refusal = self._refusal or why
        return apsw.SQLITE_DENY

    def _is_limit_reached(self) -> bool:
        self._steps += STEP
        if self._steps > self._max_vm_steps:
            self._stopped = ReachedLimit.STEPS
        elif self._is_late():
            self._stopped = ReachedLimit.TIME
        elif apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0] - self._memory_base > MAX_MEMORY_BYTES:
            self._stopped = ReachedLimit.MEMORY
        return self._stopped is not None

    def _is_late(self) -> bool:
        """Nobody has worked longer than the clock says, which is asked first: it is much quicker to read."""
        now = self._clock_s()
        return now > self._due and (now > self._deadline or self._spent_s() > self._spent_until)

    def _check_deadline(self) -> None:
        if self._is_late():
            self._stopped = ReachedLimit.TIME
            raise apsw.InterruptError("interrupted")
