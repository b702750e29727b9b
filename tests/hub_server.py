"""A hub on loopback with the address layout of Hugging Face's: `/{repository}/resolve/{revision}/{file}`."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


class Hub:
    """Serves the files of one folder under `makers/tiny` at `abc123`, redirecting as a hub does.

    `breaks_after` ends a transfer after so many bytes, once; `status` refuses; `ignores_ranges` starts every transfer
    from the beginning; `altered` is sent in place of a file of that name.
    """

    def __init__(self, folder: Path) -> None:
        self.requests: list[tuple[str, str | None]] = []
        self.breaks_after: int | None = None
        self.status = 200
        self.ignores_ranges = False
        self.altered: dict[str, bytes] = {}
        hub = self

        class Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = unquote(self.path)
                hub.requests.append((path, self.headers.get("Range")))
                start = "/makers/tiny/resolve/abc123/"
                if hub.status != 200 or not path.startswith((start, "/cdn/")):
                    self.send_error(hub.status if hub.status != 200 else 404)
                elif path.startswith(start):
                    self.send_response(302)
                    self.send_header("Location", f"/cdn/{path.removeprefix(start)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    self._send(path.removeprefix("/cdn/"))

            def _send(self, name: str) -> None:
                content = hub.altered.get(name) or (folder / name).read_bytes()
                asked = None if hub.ignores_ranges else self.headers.get("Range")
                first = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
                self.send_response(206 if asked else 200)
                self.send_header("Content-Length", str(len(content) - first))
                self.end_headers()
                cut, hub.breaks_after = hub.breaks_after, None
                self.wfile.write(content[first:] if cut is None else content[first : first + cut])

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_port}"


@contextmanager
def serving(folder: Path) -> Iterator[Hub]:
    """A hub until the block ends."""
    hub = Hub(folder)
    thread = threading.Thread(target=hub.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield hub
    finally:
        hub.http.shutdown()
        thread.join()
        hub.http.server_close()
