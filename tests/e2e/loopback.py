"""Pages of a test's own making on loopback, and what a process needs to reach them and nothing else."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.e2e.conftest import LOOK_S, SMALL_READER

# Straight to this machine, and nowhere else.
ON_LOOPBACK = {
    **SMALL_READER,
    "LYRA_NETWORK__PROXY": "",
    "LYRA_NETWORK__ALLOW_PRIVATE_ADDRESSES": "true",
    "LYRA_ACADEMIC__ENABLED": "false",
    "LYRA_WAYBACK__ENABLED": "false",
    "LYRA_JOBS__LEASE_S": "1",
}


@contextlib.contextmanager
def pages_on_loopback(pages: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that has these pages by their path, and no others."""
    bodies = {path: page.encode() for path, page in pages.items()}

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = bodies.get(self.path.partition("?")[0])
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: Any) -> None:
            """A test prints nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def wait_for(is_so: Callable[[], object]) -> None:
    """Look until it is so; fails after two minutes."""
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(LOOK_S)
