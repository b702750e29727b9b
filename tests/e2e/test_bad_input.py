"""What a broken or hostile client sends, and how it leaves: a clear answer or a clean end, in bounded memory."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import psutil
import pytest

from lyra.mcp.frames import MAX_FRAME_BYTES
from lyra_bench.demo.world import HURRIED
from simweb import Fault, SimWeb
from tests.e2e.conftest import LOOK_S

_RESIDENT_LIMIT_BYTES = 150_000_000
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """A server's bare standard input and output."""

    def __init__(self, process: "subprocess.Popen[bytes]", data_dir: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self._stdout = process.stdin, process.stdout

    def send(self, raw: bytes) -> None:
        self.stdin.write(raw)
        self.stdin.flush()

    def ask(self, message_id: int | str, method: str, **params: Any) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}
        self.send(json.dumps(message).encode() + b"\n")
        return self.answer(message_id)

    def answer(self, message_id: int | str) -> dict[str, Any]:
        while True:
            message: dict[str, Any] = json.loads(self._stdout.readline())
            if message.get("id") == message_id:
                return message

    def hello(self, version: str = "2025-06-18") -> dict[str, Any]:
        info = {"name": "raw", "version": "1"}
        return self.ask(0, "initialize", protocolVersion=version, capabilities={}, clientInfo=info)

    def jobs(self) -> list[Any]:
        connection = apsw.Connection(str(self.data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return list(connection.execute("select state, attempts from jobs"))
        finally:
            connection.close()


@pytest.fixture
def wire(tmp_path: Path, web: SimWeb) -> Iterator[Wire]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve"]
    pipe = subprocess.PIPE
    environment = {**own, **HURRIED, **reach, "LYRA_JOBS__POLL_S": "0.1"}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment) as process:
        yield Wire(process, tmp_path)
        process.kill()


def test_a_frame_of_100_megabytes_is_refused_in_bounded_memory(wire: Wire) -> None:
    """The request is named in the refusal, whatever end its id stands at, and the next one is answered."""
    wire.hello()
    body = b'"params":{"name":"create_task","arguments":{"query":"' + b"x" * 100_000_000 + b'"}}'

    wire.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call",' + body + b"}\n")
    first = wire.answer(1)
    wire.send(b'{"method":"tools/call",' + body + b',"jsonrpc":"2.0","id":"two"}\n')
    second = wire.answer("two")
    wire.send(b"\xff" * (MAX_FRAME_BYTES + 1) + b"\n")
    listed = wire.ask(3, "tools/list")

    limit_mb = MAX_FRAME_BYTES // 1024**2
    refusal = {"code": -32600, "message": f"The request is larger than {limit_mb} MB; nothing was done."}
    assert (first["error"], second["error"]) == (refusal, refusal)
    assert listed["result"]["tools"][0]["name"] == "create_task"
    assert psutil.Process(wire.process.pid).memory_info().rss < _RESIDENT_LIMIT_BYTES


def test_half_a_large_frame_ends_the_server_cleanly(wire: Wire) -> None:
    """A client that dies while it writes leaves half a frame: it is not acted upon."""
    wire.hello()

    wire.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"' + b"x" * 20_000_000)
    wire.stdin.close()

    assert wire.process.wait(timeout=30) == 0


def test_an_unknown_version_of_the_handshake_is_answered_with_a_known_one(wire: Wire) -> None:
    """As the protocol demands: the client decides whether it can go on with what the server offers."""
    answer = wire.hello("1999-01-01")

    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_an_unknown_version_of_an_envelope_is_refused_with_those_that_are_known(wire: Wire) -> None:
    """Without a handshake every request says its version; the error names the supported ones, and a right one works."""
    wrong = wire.ask(1, "tools/list", _meta={**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"})
    right = wire.ask(2, "tools/list", _meta=ENVELOPE)

    assert wrong["error"]["data"]["supported"] == ["2026-07-28"]
    assert right["result"]["tools"][0]["name"] == "create_task"


@pytest.mark.parametrize(
    "leave",
    [lambda wire: wire.stdin.close(), lambda wire: wire.process.send_signal(signal.SIGTERM)],
    ids=["hangs up", "SIGTERM"],
)
def test_a_client_that_leaves_mid_call_leaves_nothing_undone(
    wire: Wire, web: SimWeb, leave: Callable[[Wire], None]
) -> None:
    """The search it waited for goes back to the queue, its start uncounted, for the next process to take up."""
    web.faults.set("*", Fault("slow", delay_s=0.5))
    wire.hello()
    made = wire.ask(1, "tools/call", name="create_task", arguments={"query": "Are gliptins safe?"})
    task = made["result"]["structuredContent"]["task_id"]
    call = {"name": "search", "arguments": {"task_id": task, "query": "gliptin tablets cost"}}
    wire.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}).encode() + b"\n")
    deadline = time.monotonic() + 60
    while wire.jobs() != [("running", 1)]:
        assert time.monotonic() < deadline
        time.sleep(LOOK_S)

    leave(wire)

    assert wire.process.wait(timeout=30) == 0
    assert wire.jobs() == [("queued", 0)]


def test_a_client_that_closes_its_ears_ends_the_server_quietly(tmp_path: Path) -> None:
    """The answer has nobody to go to: exit code 0 and no traceback."""
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve"]
    pipe = subprocess.PIPE
    listing = {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {}}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        wire = Wire(process, tmp_path)
        wire.hello()

        process.stdout.close()  # type: ignore[union-attr]
        wire.send(json.dumps(listing).encode() + b"\n")
        wire.send(json.dumps({**listing, "id": 6}).encode() + b"\n")
        told = process.stderr.read().decode()  # type: ignore[union-attr]
        code = process.wait(20)

    assert (code, told) == (0, "")
