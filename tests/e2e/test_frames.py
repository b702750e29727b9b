"""Malformed frames on stdin: the server answers or ignores them, and stays alive."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}


class Wire:
    """The server's bare standard input and output."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    def send(self, raw: bytes) -> None:
        self._stdin.write(raw)
        self._stdin.flush()

    def answer(self, message_id: int) -> dict[str, Any]:
        """The next message with that id; what else the server says is passed over."""
        while True:
            message: dict[str, Any] = json.loads(self._stdout.readline())
            if message.get("id") == message_id:
                return message


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    ) as process:
        yield Wire(process)
        process.kill()


def frame(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def test_garbage_on_the_wire_does_not_end_the_server(wire: Wire) -> None:
    """No JSON, half a frame, bad UTF-8, wrong types, ten megabytes in a line: the next good frame is answered."""
    wire.send(frame(INITIALIZE))
    hello = wire.answer(1)
    wire.send(frame({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    wire.send(b"this is not JSON\n")
    wire.send(b'{"jsonrpc": "2.0", "id": 2, "method": "tools/li\n')
    wire.send(b'\xff\xfe{"jsonrpc": "2.0"}\x80\n')
    wire.send(b"\x00\x00\x00\n\n")
    wire.send(b"[1, 2, 3]\n")
    wire.send(b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": 5}\n')
    wire.send(b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 5}}\n')
    wire.send(b'{"jsonrpc": "2.0", "id": 4, "method": "no/such/method"}\n')
    wire.send(b'"' + b"x" * 10_000_000 + b'"\n')
    wire.send(frame(LIST))

    assert hello["result"]["serverInfo"]["name"] == "lyra"
    assert wire.answer(7)["result"]["tools"][0]["name"] == "create_task"
    assert wire.process.poll() is None


def test_unknown_methods_get_the_protocols_own_error(wire: Wire) -> None:
    """A request that the protocol does not know is answered, not dropped."""
    wire.send(frame(INITIALIZE))
    wire.answer(1)

    wire.send(b'{"jsonrpc": "2.0", "id": 4, "method": "no/such/method"}\n')

    assert wire.answer(4)["error"]["code"] == -32601


def test_what_the_transport_cannot_read_is_answered(wire: Wire) -> None:
    """Shift_JIS, half an emoji, nesting without end: an error under the request's id, nobody waits for ever."""
    wire.send(frame(INITIALIZE))
    wire.answer(1)

    wire.send('{"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": {"q": "心不全"}}\n'.encode("cp932"))
    wire.send(b'{"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"cut": "\\ud83d"}}\n')
    wire.send(
        b'{"jsonrpc": "2.0", "id": 6, "method": "tools/list", "params": {"deep": ' + b"[" * 300 + b"]" * 300 + b"}}\n"
    )

    assert [wire.answer(message_id)["error"]["code"] for message_id in (4, 5, 6)] == [-32700, -32700, -32700]


def test_end_of_input_ends_the_server_in_good_order(wire: Wire) -> None:
    """A client that hangs up, even in the middle of a frame, leaves no process behind."""
    wire.send(frame(INITIALIZE))
    wire.answer(1)

    wire.process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "meth')  # type: ignore[union-attr]
    wire.process.stdin.close()  # type: ignore[union-attr]

    assert wire.process.wait(timeout=20) == 0
