"""Traces go to the collector that was set, and nowhere else."""

import asyncio
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.errors import InvalidParams
from lyra.model.search import SearchOptions
from lyra.model.task import TaskConfig
from lyra.observe import tracing
from lyra.settings import Settings

CODE = """
import sys
from lyra.observe import tracing
end = tracing.configure(sys.argv[1])
with tracing.tracer.start_as_current_span("search"):
    tracing.add_event("phase", "fetch")
end()
"""


WORDS = "Which bridges of Halvorsen were closed?"
CALLS = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                 "clientInfo": {"name": "test", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "get_auth_queue", "arguments": {}}},
    {"id": 3, "method": "tools/call", "params": {"name": "create_task", "arguments": {"query": WORDS}}},
)  # fmt: skip


@dataclass
class Collector:
    """Takes what is sent to its address: path and body."""

    address: str
    received: "queue.Queue[tuple[str, bytes]]"


@pytest.fixture
def collector() -> Iterator[Collector]:
    received: queue.Queue[tuple[str, bytes]] = queue.Queue()

    class Taking(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.put((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Taking) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Collector(f"http://127.0.0.1:{server.server_port}/v1/traces", received)
        server.shutdown()


def test_spans_reach_a_collector_on_this_machine(collector: Collector) -> None:
    """A real export over HTTP, in a process of its own: the provider is one for the whole process."""
    subprocess.run([sys.executable, "-c", CODE, collector.address], check=True, timeout=60)

    path, body = collector.received.get(timeout=10)
    assert path == "/v1/traces"
    assert [word in body for word in (b"search", b"lyra.phase", b"fetch")] == [True] * 3


async def _queued(settings: Settings) -> str:
    async with Lyra.open(settings) as lyra:
        task, _ = await lyra.tasks.create(WORDS, TaskConfig())
        return (await lyra.searches.start(task.id, WORDS, SearchOptions())).id


def test_a_teams_searches_are_traced_in_their_own_process(collector: Collector, tmp_path: Path) -> None:
    """Searches run beside the server, and their spans come from there, without what was asked."""
    nowhere = {"proxy": "http://127.0.0.1:9"}
    settings = Settings.model_validate(
        {"data_dir": tmp_path, "log": {"traces_endpoint": collector.address}, "network": nowhere}
    )
    search_id = asyncio.run(_queued(settings))
    command = [sys.executable, "-P", "-m", "lyra.cli.work"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stdin is not None
        process.stdin.write(f"{settings.model_dump_json()}\n")
        process.stdin.flush()

        _, body = collector.received.get(timeout=60)

        process.stdin.close()
    assert [word in body for word in (search_id.encode(), WORDS.encode())] == [True, False]


def test_calls_of_a_client_that_starts_lyra_are_traced(collector: Collector, tmp_path: Path) -> None:
    """Over stdio too, from when Lyra is open; the last spans go when the client hangs up, without what was asked."""
    config = tmp_path / "settings.toml"
    config.write_text(f'[log]\ntraces_endpoint = "{collector.address}"\n', encoding="utf-8")
    command = [sys.executable, "-m", "lyra", "--config", str(config), "--data-dir", str(tmp_path / "data"), "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = []
        for call in CALLS:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **call}) + "\n")
            process.stdin.flush()
            answers += [json.loads(process.stdout.readline())["id"]] if "id" in call else []
        process.stdin.close()

        _, body = collector.received.get(timeout=60)

    assert answers == [1, 2, 3]
    assert [word in body for word in (b"create_task", WORDS.encode())] == [True, False]


@pytest.mark.parametrize("endpoint", ["http://collector.example/v1/traces", "ftp://127.0.0.1/", "collector"])
def test_traces_leave_the_machine_over_tls_alone(endpoint: str) -> None:
    """An address that is neither https nor on this machine is refused before anything is sent."""
    with pytest.raises(InvalidParams, match="Traces cannot go to"):
        tracing.configure(endpoint)


def test_without_an_endpoint_nothing_is_set_up() -> None:
    """The default: no provider, and the end does nothing."""
    assert tracing.configure(None)() is None
