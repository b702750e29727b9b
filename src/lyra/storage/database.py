"""The database: one writer thread, pooled reader threads, and nothing of it on the event loop."""

import asyncio
import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from apsw import Connection

from lyra.errors import StorageError
from lyra.storage import full_text, graph_views, migrate, tokenizer
from lyra.storage.connection import connect, create_file, in_transaction
from lyra.storage.sqlite_errors import opening, translated

P = ParamSpec("P")
T = TypeVar("T")


class Database:
    """Runs functions `fn(connection, …)` inside transactions: writes one after another, reads side by side.

    Cancelling a caller never tears a transaction: work that has not begun is dropped, work that has is finished.
    """

    def __init__(self, path: Path, writer: Connection, readers: int) -> None:
        self.path = path
        self._writer = writer
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="lyra-write")
        self._reading = ThreadPoolExecutor(readers, thread_name_prefix="lyra-read")
        self._idle: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._is_open = True

    @classmethod
    async def open(cls, path: Path, *, readers: int = 4) -> "Database":
        """Open or create the file and bring it to the latest schema.

        Raises DatabaseTooNew before anything is written, DiskFull, or StorageError with a remedy.
        """
        return cls(path, await asyncio.to_thread(_prepare, path), readers)

    async def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` on a reader connection, in one snapshot."""
        return await self._submit(self._reading, lambda: self._read(lambda connection: fn(connection, *args, **kwargs)))

    async def write(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `fn` on the writer connection in one transaction, which any exception rolls back.

        Raises DatabaseTooNew where a newer Lyra has upgraded the file since it was opened.
        """
        return await self._submit(
            self._writing, lambda: self._write(lambda connection: fn(connection, *args, **kwargs))
        )

    async def compact(self) -> bool:
        """Write the file anew without what was deleted, in its pages, full text and log; whether all of it is gone.

        It is not while another process reads an earlier state: then the log keeps it until that one has ended.
        """
        return await self._submit(self._writing, self._compact)

    def last_write(self) -> int:
        """When any process last wrote, in nanoseconds, by the time of the write-ahead log; takes no lock."""
        try:
            return Path(f"{self.path}-wal").stat().st_mtime_ns
        except OSError:
            return 0

    async def close(self) -> None:
        """Finish what has begun and close every connection; closing twice is harmless."""
        if self._is_open:
            self._is_open = False
            await asyncio.to_thread(self._close)

    async def _submit(self, pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        if not self._is_open:
            raise StorageError("The database is closed.", remedy="Open it again.")
        return await asyncio.get_running_loop().run_in_executor(pool, work)

    def _read(self, fn: Callable[[Connection], T]) -> T:
        with translated(self.path):
            connection = self._reader()
            try:
                return in_transaction(connection, "begin", fn)
            finally:
                self._idle.put(connection)

    def _reader(self) -> Connection:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            return connect(self.path, read_only=True)

    def _write(self, fn: Callable[[Connection], T]) -> T:
        with translated(self.path):
            return in_transaction(self._writer, "begin immediate", lambda inside: self._unless_newer(inside, fn))

    def _compact(self) -> bool:
        with translated(self.path):
            in_transaction(self._writer, "begin immediate", full_text.optimize)
            self._writer.execute("pragma temp_store = file")  # the copy is as large as the database
            try:
                self._writer.execute("vacuum")
            finally:
                self._writer.execute("pragma temp_store = memory")
            is_busy, *_ = self._writer.execute("pragma wal_checkpoint(truncate)").fetchone() or (1,)
            return not is_busy

    def _unless_newer(self, connection: Connection, fn: Callable[[Connection], T]) -> T:
        """What `fn` gives; what it writes would be wrong in a file that a newer Lyra has upgraded meanwhile."""
        migrate.refuse_newer(connection, self.path)
        return fn(connection)

    def _close(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        while not self._idle.empty():
            self._idle.get_nowait().close()
        self._writer.close()


def _prepare(path: Path) -> Connection:
    with opening(path):
        create_file(path)
        migrate.check_header(path)
        connection = connect(path)
        try:
            migrate.migrate(connection, path)
            if tokenizer.is_outdated(connection):
                in_transaction(connection, "begin immediate", tokenizer.rebuild_indexes)
            graph_views.install(connection)
        except BaseException:
            connection.close()
            raise
    return connection
