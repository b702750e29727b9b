"""A server of models on loopback, as TEI and OpenAI-compatible servers answer, with the faults of bad ones."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSION = 3


class ModelServer:
    """`refuses` are statuses for the next requests but `/info`; `raw` replaces an answer; while `hangs` none comes.

    `dies_after` requests the connection is cut in the middle. A batch larger than `max_batch` is refused as TEI does.
    """

    def __init__(self, kind: str) -> None:
        self.requests: list[tuple[str, Any]] = []
        self.keys: list[str | None] = []
        self.info: Any = {"model_id": "makers/tiny", "model_sha": "0123456789abcdef", "max_client_batch_size": 4,
                          "model_type": {kind: {}}}  # fmt: skip
        self.labels = ("entailment", "neutral", "contradiction")
        self.refuses: list[int] = []
        self.raw: bytes | None = None
        self.max_batch = 4
        self.dies_after: int | None = None
        self.hangs = False
        self.most_at_once = 0
        self.closing = threading.Event()
        self._under_way = 0
        self._lock = threading.Lock()
        server = self

        class Door(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(None)

            def do_POST(self) -> None:
                self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def _answer(self, request: Any) -> None:
                server.requests.append((self.path, request))
                server.keys.append(self.headers.get("Authorization"))
                if server.hangs:
                    server.closing.wait(30)
                    return
                with server.counted():
                    status, body = server.answer(self.path, request)
                if server.dies_after is not None and len(server.requests) > server.dies_after:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n[[0.")
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_port}"

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        yield
        with self._lock:
            self._under_way -= 1

    def answer(self, path: str, request: Any) -> tuple[int, bytes]:
        if path == "/info":
            return 200, json.dumps(self.info).encode()
        if self.refuses:
            return self.refuses.pop(0), b'{"error": "no"}'
        if self.raw is not None:
            return 200, self.raw
        items = request["input"] if "input" in request else request["inputs"]
        if len(items) > self.max_batch:
            return 422, b'{"error": "batch size > maximum allowed batch size", "error_type": "Validation"}'
        answers: dict[str, Callable[[], Any]] = {
            "/embed": lambda: [vector(text) for text in items],
            "/predict": lambda: [self.scores(text, claim) for text, claim in items],
            "/v1/embeddings": lambda: {"data": [{"index": at, "embedding": vector(text)} for at, text in
                                                reversed(list(enumerate(items)))]},
        }  # fmt: skip
        return (200, json.dumps(answers[path]()).encode()) if path in answers else (404, b"")

    def scores(self, text: str, claim: str) -> list[dict[str, Any]]:
        """For where the text holds the claim, against where it says "not", sorted as TEI sorts."""
        found = {"entailment": 3.0 * (claim in text), "neutral": 1.0, "contradiction": 3.0 * ("not" in text)}
        rows = [{"label": name, "score": found.get(name, 0.0)} for name in self.labels]
        return sorted(rows, key=lambda row: -float(row["score"]))


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


@contextmanager
def serving(kind: str = "embedding") -> Iterator[ModelServer]:
    """A server until the block ends."""
    server = ModelServer(kind)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.http.shutdown()
        thread.join()
        server.http.server_close()
