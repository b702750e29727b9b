"""Clients without patience: one that hangs up after five seconds, and one that reads no more."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from mcp import Client, StdioServerParameters

from simweb import SimWeb
from tests.e2e.conftest import _environment

HANG_UP_S = 5.0


def test_client_with_a_limit_of_five_seconds_gets_running_in_time(portal: BlockingPortal, tmp_path: Path) -> None:
    """Its first call, which also opens the server, and nothing said about waiting; then it waits in short calls."""
    with SimWeb(latency_s=1.0) as slow:
        args = ["-m", "lyra", "--data-dir", str(tmp_path), "serve"]
        server = StdioServerParameters(command=sys.executable, args=args, env=_environment(slow, {}))
        with portal.wrap_async_context_manager(Client(server, read_timeout_seconds=HANG_UP_S)) as client:

            def call(tool: str, **arguments: Any) -> dict[str, Any]:
                return dict(portal.call(lambda: client.call_tool(tool, arguments)).structured_content or {})

            task_id = call("create_task", query="Are gliptins safe?")["task_id"]
            begun = call("search", task_id=task_id, query="saxagliptin heart failure")
            options = {"search_id": begun["search_id"], "wait_seconds": 0.5}
            again = call("search", task_id=task_id, query="saxagliptin heart failure", options=options)
            status = call("get_status", task_id=task_id, wait_seconds=0.5, until="done")

    assert (begun["ok"], begun["status"]) == (True, "running")
    assert (again["search_id"], again["status"]) == (begun["search_id"], "running")
    assert [row["id"] for row in status["searches"]] == [begun["search_id"]]


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[Callable[[], "subprocess.Popen[bytes]"]]:
    """A server whose client has asked for more than a pipe holds, and has read only the beginning."""
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        started.append(process)
        assert process.stdin is not None
        assert process.stdout is not None
        handshake = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "deaf", "version": "1"},
        }
        messages = [
            {"id": 0, "method": "initialize", "params": handshake},
            {"method": "notifications/initialized"},
            *({"id": number, "method": "tools/list"} for number in range(1, 20)),
        ]
        process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in messages))
        process.stdin.flush()
        os.read(process.stdout.fileno(), 1)  # it has begun to answer
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def test_server_whose_client_reads_no_more_ends_on_sigterm(deaf: Callable[[], "subprocess.Popen[bytes]"]) -> None:
    """At once, and in order: the answer that does not go out holds nothing up."""
    process = deaf()

    process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=60) == 0


def test_server_whose_client_reads_no_more_ends_at_the_end_of_input(
    deaf: Callable[[], "subprocess.Popen[bytes]"],
) -> None:
    """Its pipe is full and stays so."""
    process = deaf()
    assert process.stdin is not None

    process.stdin.close()

    assert process.wait(timeout=60) == 0
