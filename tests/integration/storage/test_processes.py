"""Several processes on one file."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lyra.storage import tasks
from lyra.storage.database import Database

WRITER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from lyra.model.task import Budget, Task, TaskStatus
from lyra.storage import tasks
from lyra.storage.database import Database

async def main(path, name, number):
    print("ready", flush=True)
    sys.stdin.readline()
    db = await Database.open(Path(path))
    for i in range(int(number)):
        task = Task(f"task_{name}{i:011x}", f"question {i}", TaskStatus.CREATED, datetime.now(UTC), Budget())
        await db.write(tasks.insert, task)
        print(i, flush=True)
    await db.close()

asyncio.run(main(*sys.argv[1:]))
"""


def start(path: Path, name: str, number: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.parametrize("number", [0, 4], ids=["new", "schema 4"])
async def test_processes_that_open_a_file_at_once_all_write(path, at_schema, number):
    """Three servers started together make or upgrade the schema once, and none loses a write to another."""
    at_schema(number).close()
    processes = [start(path, name, 40) for name in "abc"]

    for process in processes:
        go(process)
    ended = [await asyncio.to_thread(process.communicate) for process in processes]

    database = await Database.open(path)
    stored = await database.read(tasks.recent, 1000)
    sound = await database.read(lambda c: c.execute("pragma integrity_check").get)
    await database.close()
    assert [(process.returncode, errors) for process, (_, errors) in zip(processes, ended, strict=True)] == [
        (0, "")
    ] * 3
    assert sorted(task.id for task in stored) == sorted(f"task_{name}{i:011x}" for name in "abc" for i in range(40))
    assert sound == "ok"


async def test_a_killed_process_leaves_whole_writes_and_holds_nobody_up(path):
    """Kill −9 in the middle: what was answered is there, and the next process writes at once."""
    process = start(path, "d", 100_000)
    go(process)
    assert process.stdout is not None
    answered = [process.stdout.readline() for _ in range(20)]
    process.send_signal(signal.SIGKILL)
    process.communicate()

    database = await Database.open(path)
    stored = {task.id for task in await database.read(tasks.recent, 200_000)}
    await database.write(tasks.set_status, "task_d00000000000", "completed")
    sound = await database.read(lambda c: c.execute("pragma integrity_check").get)
    await database.close()
    assert answered[-1] == "19\n"
    assert {f"task_d{i:011x}" for i in range(20)} - stored == set()
    assert sound == "ok"
