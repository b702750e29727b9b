"""Marks every test by the directory it lies in, and keeps unit tests off the network."""

import asyncio
import json
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

_KINDS = ("unit", "integration", "e2e")
_TESTS = Path(__file__).parent

NewDatabase = Callable[[Path], Path]


def pytest_configure() -> None:
    os.environ["LYRA_LANG"] = "en"  # also in the terminal of a Japanese developer
    os.environ["LYRA_MODELS__STRONG"] = "off"  # tests that want a strong reader ask for one


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        kind = item.path.relative_to(_TESTS).parts[0]
        assert kind in _KINDS, f"{item.path} lies in none of {_KINDS}"
        item.add_marker(getattr(pytest.mark, kind))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Files go to whoever is free, but those that share the fixture `researched` to one worker: it is dear to make."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    files = (_TESTS / "e2e").glob("test_*.py")
    sharing = {f"tests/e2e/{file.name}" for file in files if "researched: Any" in file.read_text("utf-8")}

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "researched" if file in sharing else file

    return Scheduling(config, log)


@pytest.fixture(autouse=True)
def _no_network_in_unit_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("unit"):

        def refused(*_: object, **__: object) -> None:
            raise AssertionError("a unit test tried to open a network connection")

        monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.fixture(autouse=True, scope="session")
def _no_shared_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What set-up has put into the environment is not there for tests in this process, nor for fixtures of modules."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("lyra.ml.card", "lyra.model_store.store"):
            patch.setattr(f"{module}.shared_root", lambda: tmp_path_factory.getbasetemp() / "no_models")
        yield


@pytest.fixture
def shared_data() -> Path:
    """Third-party data beside the checkout; tests that need it are skipped where it is absent."""
    path = _TESTS.parent.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the third-party data set (../shared/data) is not on this machine")
    return path


@pytest.fixture(scope="session")
def _empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: migrating a new file takes six times as long as opening a copy of one."""
    from lyra.storage.database import Database

    async def make(path: Path) -> Path:
        await (await Database.open(path)).close()
        return path

    return asyncio.run(make(tmp_path_factory.mktemp("empty") / "lyra.db"))


@pytest.fixture(scope="session")
def new_database(_empty_database: Path) -> NewDatabase:
    """Puts a database of the latest schema without rows at a path, as Lyra would make it there; gives the path."""
    from lyra.storage.connection import create_file

    def put(path: Path) -> Path:
        create_file(path)
        shutil.copyfile(_empty_database, path)
        return path

    return put


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The Chrome or Chromium of this machine; tests that need one are skipped where there is none."""
    from lyra.errors import ChromeNotReady
    from lyra.fetch.browser.machine import executable

    try:
        return executable(None)
    except ChromeNotReady:
        pytest.skip("no Chrome or Chromium is installed on this machine")


@pytest.fixture(scope="session")
def virtual_screen() -> None:
    """Xvfb, on which windows can be opened unseen; tests that need it are skipped where there is none."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed on this machine")


@pytest.fixture(scope="session")
def xdotool() -> None:
    """What raises windows; tests that need it are skipped where there is none."""
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed on this machine")


@pytest.fixture(scope="session")
def certutil() -> None:
    """What makes a browser trust the simulated web; tests that need it are skipped where there is none."""
    if shutil.which("certutil") is None:
        pytest.skip("certutil (libnss3-tools) is not installed on this machine")


class LlmServer:
    """Stands where Ollama or llama.cpp would: an OpenAI-compatible server on loopback that says what a test wants.

    `says` maps a request to what the model writes; `status` and `raw` replace the whole answer. It refuses what such
    servers refuse: a schema while `takes_schema` is false. While `hangs`, nothing is answered.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.says: Callable[[dict[str, Any]], str] = lambda _: '{"score": 8}'
        self.status = 200
        self.raw: bytes | None = None
        self.headers: dict[str, str] = {}
        self.takes_schema = True
        self.hangs = False
        self.arrived = threading.Event()
        self.closing = threading.Event()
        server = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append({**request, "path": self.path})
                server.keys.append(self.headers.get("Authorization"))
                server.arrived.set()
                if server.hangs:
                    server.closing.wait(30)
                    return
                status, body = server.answer(request)
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **server.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.http.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self.http.server_port}/v1"

    def answer(self, request: dict[str, Any]) -> tuple[int, bytes]:
        if not self.takes_schema and request["response_format"]["type"] == "json_schema":
            return 400, b'{"error": {"message": "response_format json_schema is not supported"}}'
        if self.status != 200 or self.raw is not None:
            return self.status, self.raw or b'{"error": {"message": "no"}}'
        message = {"role": "assistant", "content": self.says(request)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, json.dumps({"object": "chat.completion", "choices": [choice]}).encode()


@pytest.fixture
def llm_server() -> Iterator[LlmServer]:
    """A language model that the test speaks for."""
    server = LlmServer()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.closing.set()
    server.http.shutdown()
    thread.join()
    server.http.server_close()
