"""Faces as their users see them: `lyra serve` behind the official MCP client, and `lyra` on a command line."""

import contextlib
import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
import pytest
import structlog
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, Tool

from lyra.cli.main import main
from lyra.ml.card import model_directory
from lyra_bench.demo.world import HURRIED
from simweb import SimWeb
from simweb.truth import Truth, load_truth

_WAIT_S = 240.0
_COMMAND_LIMIT_S = 540.0
LOOK_S = 0.02  # between two looks at what another process does: who never rests keeps it from its work
# Tests beside them would otherwise take the processor from the searches of a server over HTTP.
IN_FRONT = {"LYRA_JOBS__NICENESS": "0"}
# Fewer papers than by default, so that a search takes seconds; what is tested does not depend on how many they are.
BRISK = {
    **HURRIED,
    "LYRA_ACADEMIC__RESULTS_PER_QUERY": "3",
    "LYRA_ACADEMIC__KEPT_PER_PAPER": "2",
    "LYRA_ACADEMIC__KEPT_PER_SEARCH": "3",
    "LYRA_JOBS__POLL_S": "0.1",
    **IN_FRONT,
    "LYRA_ENGINES__ENABLED": '["duckduckgo", "mojeek"]',
}
# For sessions whose verdicts nobody looks at: without the large reader, inference takes half the time.
SMALL_READER = {"LYRA_MODELS__DIRECTORY": str(model_directory("small").parent)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A session fixture may do a whole search before the first test: the limit of a unit test would be too short."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(600))


@dataclass
class Face:
    """An MCP client that is connected to a server of its own; calls are blocking, so that tests read in order."""

    client: Client
    portal: BlockingPortal
    process: psutil.Process
    heard: list[tuple[float, float | None, str | None]] = field(default_factory=list)

    def tools(self) -> list[Tool]:
        return self.portal.call(self.client.list_tools).tools

    def result(self, tool: str, **arguments: Any) -> CallToolResult:
        """The whole result; progress notifications are kept in `heard`."""

        async def hear(done: float, total: float | None, message: str | None) -> None:
            self.heard.append((done, total, message))

        return self.portal.call(lambda: self.client.call_tool(tool, arguments, progress_callback=hear))

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The fields of an answer that must be a success."""
        result = self.result(tool, **arguments)
        fields = dict(result.structured_content or {})
        assert (result.is_error, fields.get("ok")) == (False, True), fields
        return fields

    def refused(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The fields of an answer that must be an error for the protocol too."""
        result = self.result(tool, **arguments)
        fields = dict(result.structured_content or {})
        assert (result.is_error, fields.get("ok")) == (True, False), fields
        return fields

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """All rows, page by page."""
        rows: list[dict[str, Any]] = []
        while found := self.call(
            "query_graph", sql=f"{sql} limit 30 offset {len(rows)}", options={"limit": 200, "timeout_ms": 2000}
        )["rows"]:
            rows += found
        return rows

    def ended(self, task_id: str, search_id: str) -> dict[str, Any]:
        """The search's row in the status, as soon as it has ended."""
        deadline = time.monotonic() + _WAIT_S
        while time.monotonic() < deadline:
            status = self.call("get_status", task_id=task_id, wait_seconds=10)
            row = next(one for one in status["searches"] if one["id"] == search_id)
            if row["status"] != "running":
                return dict(row)
        pytest.fail(f"{search_id} did not end within {_WAIT_S} s")

    def search(self, task_id: str, query: str, **options: Any) -> dict[str, Any]:
        """A search worked through to its end."""
        answer = self.call("search", task_id=task_id, query=query, options={"wait_seconds": _WAIT_S, **options})
        assert answer["status"] != "running"
        return answer

    def kill(self) -> None:
        """kill -9, as a crash would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=10)


Connect = Callable[..., AbstractContextManager[Face]]


@dataclass(frozen=True)
class Command:
    """What a `lyra` command left: its exit code, and exactly what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(scope="session")
def truth() -> Truth:
    return load_truth()


@pytest.fixture(scope="session")
def shared_web() -> Iterator[SimWeb]:
    with SimWeb() as web:
        yield web


@pytest.fixture
def web(shared_web: SimWeb) -> Iterator[SimWeb]:
    """The simulated web with no faults but its own."""
    shared_web.journal.clear()
    yield shared_web
    shared_web.faults.clear()


def _environment(web: SimWeb, more: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
    return {**own, **BRISK, **reach, **more}


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="session")
def connect(portal: BlockingPortal, shared_web: SimWeb) -> Connect:
    """Connects a client to a `lyra serve` of its own; `connect(data_dir, mode="legacy", LYRA_…="…")`."""

    @contextmanager
    def connected(data_dir: Path, *, mode: str = "auto", web: SimWeb = shared_web, **environ: str) -> Iterator[Face]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "lyra", "--data-dir", str(data_dir), "serve"],
            env=_environment(web, environ),
        )
        before = {child.pid for child in psutil.Process().children()}
        with portal.wrap_async_context_manager(Client(server, mode=mode)) as client:
            (process,) = [child for child in psutil.Process().children() if child.pid not in before]
            yield Face(client, portal, process)

    return connected


@dataclass(frozen=True)
class Researched:
    """A task that was searched in English, in Japanese and for refutations; the server that did it still runs."""

    face: Face
    data_dir: Path
    task_id: str
    hypotheses: tuple[str, ...]
    english: dict[str, Any]
    japanese: dict[str, Any]
    refuting: dict[str, Any]


@pytest.fixture(scope="session")
def researched(connect: Connect, truth: Truth, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Researched]:
    data_dir = tmp_path_factory.mktemp("researched")
    texts = [truth.claim(name).text["en"] for name in truth.hypotheses]
    with connect(data_dir) as face:
        task = face.call(
            "create_task", query=truth.question["en"], config={"hypotheses": [{"text": text} for text in texts]}
        )
        yield Researched(
            face,
            data_dir,
            task["task_id"],
            tuple(task["claims"]),
            face.search(task["task_id"], "saxagliptin heart failure hospitalisation", max_pages=5),
            face.search(task["task_id"], "DPP-4阻害薬 類天疱瘡 リスク", max_pages=4),
            face.search(
                task["task_id"],
                "saxagliptin heart failure not increased",
                max_pages=2,
                refute=True,
                claim_ids=[task["claims"][3]],
            ),
        )


@pytest.fixture(scope="session")
def lyra(shared_web: SimWeb) -> Callable[..., Command]:
    """Runs `lyra …` as a process: `lyra("task", "list", data_dir=…, LYRA_…="…")`."""

    def run(*words: str, data_dir: Path | None = None, **environ: str) -> Command:
        flags = ["--data-dir", str(data_dir)] if data_dir else []
        done = subprocess.run(
            [sys.executable, "-m", "lyra", *flags, *words],
            env=_environment(shared_web, environ),
            capture_output=True,
            text=True,
            timeout=_COMMAND_LIMIT_S,
            check=False,
        )
        return Command(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def lyra_here(shared_web: SimWeb) -> Callable[..., Command]:
    """Runs `lyra …` within this process, a second faster: for tests of what it says, not of how it starts and ends."""

    def run(*words: str, data_dir: Path | None = None, **environ: str) -> Command:
        flags = ["--data-dir", str(data_dir)] if data_dir else []
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with (
            _logging_restored(),
            patch.dict(os.environ, _environment(shared_web, environ), clear=True),
            patch.object(sys, "argv", ["lyra", *flags, *words]),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as ended,
        ):
            main()
        written = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
        return Command(int(ended.value.code or 0), *written)

    return run


@contextmanager
def _logging_restored() -> Iterator[None]:
    """Whatever a command set up is taken down, with the files it wrote to."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        for handler in set(root.handlers) - set(handlers):
            handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()


@pytest.fixture
def start(shared_web: SimWeb) -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts `lyra …` and leaves it running; what is left at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str, data_dir: Path, **environ: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), *words]
        environment = _environment(shared_web, environ)
        pipe = subprocess.PIPE
        started.append(subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()
