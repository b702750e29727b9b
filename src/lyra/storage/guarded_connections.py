"""Prepared connections for clients' SQL, kept between statements: making one takes longer than most statements.

There are two kinds: to the whole graph, and to what a person sees of it. The second shows no task before it is told
which, and is told anew for each statement. Each is there with addresses as they are, for statements that read none, and
with addresses without secrets.
"""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from lyra.model.person import Person
from lyra.redact.redactor import PLAIN, Redactor
from lyra.storage import people, tokenizer, visibility
from lyra.storage.connection import BUSY_TIMEOUT_MS
from lyra.storage.graph_schema import FTS_TABLES
from lyra.storage.shown_addresses import LOOKED_UP, LOOKING_UP, ShownAddresses

# As many statements run at once on a large machine; one that waits takes up to two megabytes.
_MOST_IDLE = 16


class GuardedConnection:
    """A connection that cannot write the graph. `schema` is the graph's name in it, known to nobody where it is hidden.

    `views` are the analyses, `known` the names of everything that can be read at all. With `redactor` it shows
    addresses without secrets.
    """

    def __init__(self, path: Path, *, is_whole: bool, redactor: Redactor | None = None) -> None:
        self.is_whole = is_whole
        self.is_plain = redactor is None
        is_hidden = redactor is not None or not is_whole
        self.schema = f"graph_{secrets.token_hex(16)}" if is_hidden else "main"
        self.connection = _open_hidden(path, self.schema) if is_hidden else _open_whole(path)
        self.addresses = ShownAddresses(self.connection, redactor) if redactor is not None else None
        if not is_whole:
            visibility.hide_other_tasks(self.connection, self.schema, self.addresses)
        elif self.addresses is not None:
            self.addresses.put_before(self.schema)
        self.connection.execute("pragma query_only = on")
        for table in FTS_TABLES:  # connects the full-text index now: under guard it could not read its own settings
            self.connection.execute(f"select 1 from {self.schema}.{table} limit 0")
        self._version = self._schema_version()
        self.views = self._names(f"select name from {self.schema}.sqlite_schema where type = 'view'")
        if self.addresses is not None and not is_whole:
            self.views |= {f"{self.schema}_{name}" for name in (*LOOKED_UP, *LOOKING_UP)}
        self.known = self._names(f"select name from {self.schema}.sqlite_schema") | self._names(
            "select name from pragma_module_list"
        )

    def show_to(self, person: Person, sql: str) -> None:
        """Let the next statement see what this person sees, with the analyses that it may name."""
        self.connection.execute("pragma query_only = off")
        visibility.show_tasks(self.connection, people.visible_tasks(self.connection, person, self.schema))
        visibility.add_analyses(self.connection, sql, self.schema, self.addresses)
        self.connection.execute("pragma query_only = on")

    def is_current(self) -> bool:
        """Whether the graph still has the schema that this connection was prepared for."""
        return self._schema_version() == self._version

    def reset(self) -> None:
        """Take off what the last statement was watched by."""
        self.connection.set_authorizer(None)
        self.connection.set_progress_handler(None)

    def close(self) -> None:
        self.connection.close(True)

    def _schema_version(self) -> int:
        return int(str(self.connection.execute(f"pragma {self.schema}.schema_version").get))

    def _names(self, sql: str) -> frozenset[str]:
        return frozenset(str(name).lower() for (name,) in self.connection.execute(sql))


class GuardedConnections:
    """Lends connections to one database, each to one statement at a time; threads may share it."""

    def __init__(self, path: Path, redactor: Redactor = PLAIN) -> None:
        self.path = path
        self._redactor = redactor
        self._idle: list[GuardedConnection] = []
        self._lock = threading.Lock()
        self._is_open = True

    @contextmanager
    def connection_for(self, person: Person, sql: str, *, is_plain: bool = True) -> Iterator[GuardedConnection]:
        """One that shows what the person sees; it is kept only where the statement ended well.

        Unless `is_plain` it shows addresses without secrets.
        """
        is_whole = person.sees_everything
        guarded = self._take(is_whole=is_whole, is_plain=is_plain) or GuardedConnection(
            self.path, is_whole=is_whole, redactor=None if is_plain else self._redactor
        )
        is_kept = False
        try:
            if not guarded.is_whole:
                guarded.show_to(person, sql)
            yield guarded
            guarded.reset()
            is_kept = True
        finally:
            self._give_back(guarded, is_kept=is_kept)

    def close(self) -> None:
        """Close what is idle; what is lent is closed when it comes back."""
        with self._lock:
            self._is_open = False
            idle, self._idle = self._idle, []
        for one in idle:
            one.close()

    def _take(self, *, is_whole: bool, is_plain: bool) -> GuardedConnection | None:
        with self._lock:
            wanted = (is_whole, is_plain)
            found = next((one for one in reversed(self._idle) if (one.is_whole, one.is_plain) == wanted), None)
            if found is not None:
                self._idle.remove(found)
        if found is None or found.is_current():
            return found
        found.close()
        return self._take(is_whole=is_whole, is_plain=is_plain)

    def _give_back(self, guarded: GuardedConnection, *, is_kept: bool) -> None:
        surplus = [guarded]
        with self._lock:
            if is_kept and self._is_open:
                self._idle.append(guarded)
                surplus = [self._idle.pop(0)] if len(self._idle) > _MOST_IDLE else []
        for one in surplus:
            one.close()


def _open_whole(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    _configure(connection)
    return connection


def _open_hidden(path: Path, schema: str) -> apsw.Connection:
    """The graph under a name of its own, so that other names can stand before its tables."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(":memory:", flags=flags)
    _configure(connection)
    connection.execute(f"attach ? as {schema}", (f"{path.resolve().as_uri()}?mode=ro",))
    return connection


def _configure(connection: apsw.Connection) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute("pragma temp_store = memory")
    tokenizer.register(connection)
