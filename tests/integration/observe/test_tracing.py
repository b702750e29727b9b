"""Traces go to the collector that was set, and nowhere else."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from lyra.errors import InvalidParams
from lyra.observe import tracing

CODE = """
import sys
from lyra.observe import tracing
end = tracing.configure(sys.argv[1])
with tracing.tracer.start_as_current_span("search"):
    tracing.add_event("phase", "fetch")
end()
"""


def test_spans_reach_a_collector_on_this_machine() -> None:
    """A real export over HTTP, in a process of its own: the provider is one for the whole process."""
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/v1/traces"
        subprocess.run([sys.executable, "-c", CODE, address], check=True, timeout=60)
        server.shutdown()

    ((path, body),) = received
    assert path == "/v1/traces"
    assert [word in body for word in (b"search", b"lyra.phase", b"fetch")] == [True] * 3


@pytest.mark.parametrize("endpoint", ["http://collector.example/v1/traces", "ftp://127.0.0.1/", "collector"])
def test_traces_leave_the_machine_over_tls_alone(endpoint: str) -> None:
    """An address that is neither https nor on this machine is refused before anything is sent."""
    with pytest.raises(InvalidParams, match="Traces cannot go to"):
        tracing.configure(endpoint)


def test_without_an_endpoint_nothing_is_set_up() -> None:
    """The default: no provider, and the end does nothing."""
    assert tracing.configure(None)() is None
