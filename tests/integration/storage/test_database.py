"""The database: transactions, threads, cancellation and what it raises."""

import asyncio
import stat
import threading
from pathlib import Path

import apsw
import pytest

from lyra.errors import DiskFull, InvalidParams, StorageError, TaskNotFound
from lyra.storage import tasks
from lyra.storage.connection import connect
from lyra.storage.database import Database


def count(connection: apsw.Connection) -> int:
    return int(connection.execute("select count(*) from tasks").get)


def pragma(connection: apsw.Connection, name: str) -> object:
    return connection.pragma(name)


async def test_directory_and_files_are_private(db, path, make):
    """What a hospital asks must not be readable by other users of the machine: 0700 and 0600, side files included."""
    await db.write(tasks.insert, make.task())

    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert modes == {"lyra.db": 0o600, "lyra.db-shm": 0o600, "lyra.db-wal": 0o600}


@pytest.mark.parametrize(
    ("name", "value"), [("journal_mode", "wal"), ("foreign_keys", 1), ("synchronous", 1), ("busy_timeout", 15_000)]
)
async def test_every_connection_has_the_same_pragmas(db, name, value):
    """WAL, foreign keys, synchronous normal (1) and waiting for other processes hold for readers and the writer."""
    found = [await db.write(pragma, name), await db.read(pragma, name)]

    assert found == [value, value]


async def test_a_write_that_raises_leaves_nothing(db, make):
    """A transaction is whole or not at all, whatever the function raises, and its error arrives unchanged."""

    def half(connection: apsw.Connection) -> None:
        tasks.insert(connection, make.task())
        raise TaskNotFound("task_ffffffffffff")

    with pytest.raises(TaskNotFound):
        await db.write(half)

    assert await db.read(count) == 0


async def test_a_broken_constraint_is_a_storage_error_and_the_writer_goes_on(db, make):
    """A refused row rolls back the whole write; the next write finds a sound connection."""

    def twice(connection: apsw.Connection) -> None:
        tasks.insert(connection, make.task())
        tasks.insert(connection, make.task())

    with pytest.raises(StorageError) as refused:
        await db.write(twice)
    await db.write(tasks.insert, make.task(make.other_task_id))

    assert refused.value.message == "The database reported an error: UNIQUE constraint failed: tasks.id."
    assert await db.read(tasks.recent, 10) == (make.task(make.other_task_id),)


async def test_a_write_holds_the_file_from_its_first_moment(db, make):
    """A write that reads before it writes must not lose to another process in between: that one waits."""

    def compete(connection: apsw.Connection) -> str:
        known = count(connection)
        rival = connect(db.path)
        rival.set_busy_timeout(0)
        with pytest.raises(apsw.BusyError) as busy:
            rival.execute("delete from tasks")
        rival.close()
        tasks.insert(connection, make.task())
        return f"{known} {busy.type.__name__}"

    assert await db.write(compete) == "0 BusyError"


async def test_readers_cannot_write(db, make):
    """Only the writer's thread writes, so that writes come one after another."""
    with pytest.raises(StorageError) as refused:
        await db.read(tasks.insert, make.task())

    assert refused.value.message.startswith("The database lyra.db cannot be used: ")
    assert await db.read(count) == 0


async def test_half_a_character_is_refused(db, make):
    """JSON can carry a lone surrogate; SQLite cannot: the caller is told, and nothing is written."""
    with pytest.raises(InvalidParams) as refused:
        await db.write(tasks.insert, make.task(query="心不全 \ud83d"))

    assert refused.value.code == "INVALID_PARAMS"
    assert await db.read(count) == 0


async def test_readers_and_the_event_loop_go_on_while_a_write_lasts(db, make):
    """A long write holds neither the loop nor a reader, and a reader sees nothing of it before it ends."""
    entered, leave = threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> None:
        tasks.insert(connection, make.task())
        entered.set()
        assert leave.wait(10)

    writing = asyncio.create_task(db.write(slow))
    assert await asyncio.to_thread(entered.wait, 10)
    during = await db.read(count)
    leave.set()
    await writing

    assert (during, await db.read(count)) == (0, 1)


async def test_readers_run_side_by_side(db):
    """Two readers that wait for each other both finish: neither waits for the other's connection."""
    meeting = threading.Barrier(2, timeout=10)

    def meet(connection: apsw.Connection) -> bool:
        meeting.wait()
        return True

    assert await asyncio.gather(db.read(meet), db.read(meet)) == [True, True]


async def test_one_read_sees_one_moment(db, make):
    """What is written between two statements of a read is not seen by it: its figures belong together."""
    between, written = threading.Event(), threading.Event()

    def twice(connection: apsw.Connection) -> tuple[int, int]:
        first = count(connection)
        between.set()
        assert written.wait(10)
        return first, count(connection)

    reading = asyncio.create_task(db.read(twice))
    assert await asyncio.to_thread(between.wait, 10)
    await db.write(tasks.insert, make.task())
    written.set()

    assert await reading == (0, 0)


async def test_a_cancelled_write_that_has_begun_is_finished_whole(db, make):
    """Cancelling the caller must not tear the transaction nor leave the writer inside one."""
    entered, leave = threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> None:
        tasks.insert(connection, make.task())
        entered.set()
        assert leave.wait(10)
        tasks.insert(connection, make.task(make.other_task_id))

    writing = asyncio.create_task(db.write(slow))
    assert await asyncio.to_thread(entered.wait, 10)
    writing.cancel()
    leave.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await db.write(tasks.add_usage, make.task_id, 1, 0.0)

    assert await db.read(count) == 2


async def test_a_cancelled_write_that_has_not_begun_is_dropped(db, make):
    """A write still waiting for its turn never happens once its caller is gone."""
    entered, leave = threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> None:
        entered.set()
        assert leave.wait(10)

    first = asyncio.create_task(db.write(slow))
    assert await asyncio.to_thread(entered.wait, 10)
    second = asyncio.create_task(db.write(tasks.insert, make.task()))
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.gather(second, return_exceptions=True)
    leave.set()
    await first

    assert await db.read(count) == 0


async def test_closing_waits_for_what_has_begun(path: Path, make):
    """A write under way when the server stops is on disk afterwards; later calls are refused."""
    database = await Database.open(path)
    entered, leave = threading.Event(), threading.Event()

    def slow(connection: apsw.Connection) -> None:
        entered.set()
        assert leave.wait(10)
        tasks.insert(connection, make.task())

    writing = asyncio.create_task(database.write(slow))
    assert await asyncio.to_thread(entered.wait, 10)
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0)
    leave.set()
    await asyncio.gather(writing, closing)
    await database.close()
    with pytest.raises(StorageError) as refused:
        await database.read(count)

    again = await Database.open(path)
    stored = await again.read(count)
    await again.close()
    assert refused.value.message == "The database is closed."
    assert stored == 1


async def test_a_full_disk_undoes_the_write_and_says_so(db, make):
    """When the file cannot grow the caller gets DiskFull, earlier rows stay, and work goes on once there is room."""
    await db.write(tasks.insert, make.task())
    pages = await db.write(lambda c: c.pragma("page_count"))

    def fill(connection: apsw.Connection) -> None:
        connection.pragma("max_page_count", pages + 5)
        for number in range(1000):
            tasks.insert(connection, make.task(f"task_{number:012x}", query="心不全" * 500))

    with pytest.raises(DiskFull) as full:
        await db.write(fill)
    after = await db.read(tasks.recent, 10)
    await db.write(lambda c: c.pragma("max_page_count", 1_000_000))
    await db.write(tasks.insert, make.task(make.other_task_id))

    assert (full.value.exit_code, full.value.retryable) == (5, True)
    assert full.value.remedy == "Free some space, then try again."
    assert after == (make.task(),)
    assert await db.read(count) == 2
