"""L1: what a page could try from inside the processes that judge and read it is refused by the kernel."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from lyra.extract.reader import DocumentReader
from lyra.ml import landlock
from lyra.ml.process import WorkerConfig, WorkerProcess
from lyra.ml.remote import IsolatedModels
from lyra.settings import Models

# The entry that both processes share, and then whatever an attacker's code would do.
_ATTACKER = """
import sys
from lyra.ml.frames import receive, send
from lyra.ml.worker import start_isolated

connection, _ = start_isolated(sys.argv[1:])
while True:
    request, _ = receive(connection)
    try:
        exec(request["code"], {})
        send(connection, {"errno": 0})
    except OSError as exc:
        send(connection, {"errno": exc.errno})
"""
Attempt = Callable[[str], int]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's home with what must stay as it is."""
    place = tmp_path_factory.mktemp("home")
    (place / ".bashrc").write_text("alias ll='ls -l'\n")
    (place / "lyra.db").write_bytes(b"SQLite format 3\0")
    return place


@pytest.fixture(scope="module")
def attempt(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attempt]:
    """Runs code in an isolated process; the number of the error it met, 0 for none."""
    modules = tmp_path_factory.mktemp("modules")
    (modules / "attacker.py").write_text(_ATTACKER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("HOME", str(home))
        process = WorkerProcess(WorkerConfig(module="attacker"))
    yield lambda code: int(process.ask({"code": code})[0]["errno"])
    process.kill()


@pytest.fixture
def has_landlock() -> None:
    try:
        landlock.version()
    except OSError as exc:
        pytest.skip(f"this kernel has no Landlock: {exc.strerror}")


@pytest.mark.usefixtures("has_landlock")
@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import os; open(os.path.expanduser('~/.bashrc'), 'a')", id="write ~/.bashrc"),
        pytest.param("import os; open(os.path.expanduser('~/lyra.db'), 'rb')", id="open the database"),
        pytest.param("import os; os.listdir(os.path.expanduser('~'))", id="list the home"),
        pytest.param("import os; os.unlink(os.path.expanduser('~/lyra.db'))", id="delete the database"),
        pytest.param("import os; os.mkdir(os.path.expanduser('~/.config'))", id="make a directory"),
        pytest.param("import os; os.truncate(os.path.expanduser('~/lyra.db'), 0)", id="empty the database"),
        pytest.param("import os; os.rename(os.path.expanduser('~/lyra.db'), '/tmp/lyra.db')", id="move the database"),
        pytest.param("open('/tmp/lyra-attack', 'w')", id="write below /tmp"),
        pytest.param("open('/etc/passwd')", id="read the users"),
    ],
)
def test_files_of_the_user_are_out_of_reach(attempt: Attempt, code: str) -> None:
    """Reading and writing alike: only Lyra's code and models can be read."""
    assert attempt(code) == errno.EACCES


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import os; os.execv('/bin/true', ['true'])", id="exec"),
        pytest.param("import os; os.fork()", id="fork"),
        pytest.param("import subprocess; subprocess.run(['/bin/true'])", id="subprocess"),
        pytest.param("import os; os.kill(os.getppid(), 0)", id="signal the server"),
        pytest.param("import os; os.chmod(os.path.expanduser('~/lyra.db'), 0o666)", id="open the database to all"),
        pytest.param("import os, resource; resource.prlimit(os.getppid(), 7)", id="limits of the server"),
        pytest.param("import socket; socket.socket()", id="socket"),
    ],
)
def test_programs_processes_and_others_are_out_of_reach(attempt: Attempt, code: str) -> None:
    """The filter refuses what reaches beyond the process."""
    assert attempt(code) == errno.EPERM


def test_a_file_that_was_open_before_cannot_grow_without_end(attempt: Attempt) -> None:
    """Its errors go to a file of the server: one mebibyte and no more."""
    assert attempt("import os\nfor _ in range(3): os.write(2, b'x' * 700_000)") == errno.EFBIG


def test_threads_still_start(attempt: Attempt) -> None:
    """Inference needs them; they are made by the call that also makes processes."""
    assert attempt("import threading; t = threading.Thread(target=print); t.start(); t.join()") == 0


def test_nothing_was_changed(attempt: Attempt, home: Path) -> None:
    """After every attempt the home is as it was."""
    attempt("import os; os.remove(os.path.expanduser('~/.bashrc'))")

    assert sorted(os.listdir(home)) == [".bashrc", "lyra.db"]
    assert (home / ".bashrc").read_text() == "alias ll='ls -l'\n"


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/status").read_text()


@pytest.mark.usefixtures("has_landlock")
async def test_both_processes_say_and_have_what_closes_them_in() -> None:
    """Inference and reading are started alike; each proves its limits to the server before it works."""
    models, reader = IsolatedModels(Models()), DocumentReader(Models())
    status = await models.probe()
    await reader.read(b"<p>Words.</p>", content_type="text/html")
    worker = reader._pool[0].worker
    states = [_state(pid) for pid in (status.pid, worker.pid)]
    await models.close()
    await reader.close()

    assert status.guards == worker.isolation.guards
    assert sorted(status.guards) == ["files", "memory", "processes", "programs"]
    assert (status.lacking, worker.isolation.lacking) == ({}, {})
    assert [state.count("Seccomp:\t2\n") + state.count("NoNewPrivs:\t1\n") for state in states] == [2, 2]


async def test_memory_is_limited_by_address_space_too() -> None:
    """Shared memory and files mapped into memory are no way around the limit."""
    models = IsolatedModels(Models(memory_limit_mb=512))
    status = await models.probe()
    process = psutil.Process(status.pid)
    data, mapped = process.rlimit(psutil.RLIMIT_DATA)[1], process.rlimit(psutil.RLIMIT_AS)[1]
    await models.close()

    assert (data, mapped) == (512 << 20, (512 + 4096 + 128 * (os.cpu_count() or 1)) << 20)
