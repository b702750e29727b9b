"""MCP over streamable HTTP: the official client with the token, and everyone else refused."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw
import httpx2
import mcp_types as types
import psutil
import pytest
from mcp import Client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from pydantic import Field

from lyra.mcp.frames import MAX_FRAME_BYTES
from lyra.mcp.server import TOOLS
from lyra_bench.demo.world import HURRIED
from simweb import Fault, SimWeb
from tests.e2e.conftest import LOOK_S

EXTENSION = "io.modelcontextprotocol/tasks"
CUT = {"truncated", "more"}  # where more claims were found than an answer shows
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@dataclass(frozen=True)
class Served:
    """A running `lyra serve --http`."""

    url: str
    token: str
    data_dir: Path
    process: "subprocess.Popen[str]"

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def post(self, **headers: str) -> httpx2.Response:
        return httpx2.post(self.url, headers={**ACCEPT, **headers}, json=LIST, timeout=20)

    @asynccontextmanager
    async def client(self, mode: str = "auto", **options: Any) -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(headers=self.bearer, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), mode=mode, **options) as client,
        ):
            yield client


def begun(process: "subprocess.Popen[str]", data_dir: Path) -> Served:
    """The server as soon as it says where it is."""
    assert process.stderr is not None
    told = process.stderr.readline()
    threading.Thread(target=process.stderr.read, daemon=True).start()
    return Served(told.split()[1].rstrip(";"), (data_dir / "http-token").read_text().strip(), data_dir, process)


@pytest.fixture(scope="module")
def served(shared_web: SimWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests that do not end it."""
    data_dir = tmp_path_factory.mktemp("http")
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": shared_web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(shared_web.ca_path)}
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "serve", "--http", "--port", "0"]
    # Tests beside it would take the processor from searches that stand back as far as they do by default.
    environment = {**own, **HURRIED, **reach, "LYRA_JOBS__POLL_S": "0.1", "LYRA_JOBS__NICENESS": "1"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        yield begun(process, data_dir)
        process.terminate()


async def fields(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict((await client.call_tool(tool, arguments)).structured_content or {})


async def test_a_server_answers_to_the_address_it_listens_on(start: Any, tmp_path: Path) -> None:
    """Another address of loopback than the usual one is the server's own name, and no foreign host."""
    process = start("serve", "--http", "--port", "0", "--host", "127.0.0.2", data_dir=tmp_path)
    served = await asyncio.to_thread(begun, process, tmp_path)

    async with served.client() as client:
        tools = await client.list_tools()

    assert served.url.startswith("http://127.0.0.2:")
    assert len(tools.tools) == len(TOOLS)


async def test_both_eras_work_over_http_and_several_clients_share_it(served: Served, lyra: Any) -> None:
    """One server, four clients at once, each with tasks of its own; the command line sees them all."""

    async def use(number: int, mode: str) -> tuple[int, str]:
        async with served.client(mode) as client:
            tools = await client.list_tools()
            made = await fields(client, "create_task", query=f"心不全 {number}")
            status = await fields(client, "get_status", task_id=made["task_id"])
            return len(tools.tools), status["query"]

    found = await asyncio.gather(*(use(n, mode) for n, mode in enumerate(("auto", "legacy", "auto", "legacy"))))
    listed = await asyncio.to_thread(lyra, "task", "list", "--json", data_dir=served.data_dir)

    asked = ["心不全 0", "心不全 1", "心不全 2", "心不全 3"]
    assert {count for count, _ in found} == {len(TOOLS)}
    assert [query for _, query in found] == asked
    assert sorted(task["query"] for task in listed.json if "心不全" in task["query"]) == asked


def search_processes(server: int) -> list[psutil.Process]:
    return [one for one in psutil.Process(server).children() if "lyra.cli.work" in one.cmdline()]


async def test_searches_run_in_a_process_that_stands_back(served: Served) -> None:
    """A child of the server with a higher nice value reads the pages; the server itself only answers."""
    async with served.client() as client:
        made = await fields(client, "create_task", query="Are gliptins safe?")
        options = {"wait_seconds": 60, "max_pages": 2}
        found = await fields(client, "search", task_id=made["task_id"], query="gliptin heart failure", options=options)

    (process,) = search_processes(served.process.pid)
    assert found["ok"] is True
    assert process.nice() == psutil.Process(served.process.pid).nice() + 1


def test_a_killed_server_takes_its_search_process_along(lyra: Any, tmp_path: Path) -> None:
    """Its standard input ends, and it gives its jobs back."""
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve", "--http", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        (searching,) = search_processes(process.pid)

        process.kill()
        gone, _ = psutil.wait_procs([searching], timeout=60)

    assert gone == [searching]


def test_strangers_are_refused(served: Served) -> None:
    """No token, a wrong one, a page of another site (DNS rebinding), a body past the limit: each with its status."""
    missing = served.post()
    wrong = served.post(Authorization="Bearer " + "x" * 43)
    empty = served.post(Authorization="Bearer")
    foreign_host = served.post(**served.bearer, Host="evil.example")
    foreign_origin = served.post(**served.bearer, Origin="https://evil.example")
    metrics = served.url.removesuffix("/mcp") + "/metrics"
    foreign_reader = httpx2.get(metrics, headers={**served.bearer, "Origin": "https://evil.example"}, timeout=20)
    rebound_reader = httpx2.get(metrics, headers={**served.bearer, "Host": "evil.example"}, timeout=20)
    known = served.post(**served.bearer)
    known_in_lower_case = served.post(Authorization=f"bearer {served.token}")
    large = httpx2.post(
        served.url, headers={**ACCEPT, **served.bearer}, content=b'{"x": "' + b"x" * MAX_FRAME_BYTES + b'"}', timeout=20
    )

    assert [one.status_code for one in (missing, wrong, empty)] == [401, 401, 401]
    assert missing.json() == {
        "error": "The token is missing or wrong.",
        "remedy": "Send the header Authorization: Bearer TOKEN.",
    }
    assert (foreign_host.status_code, foreign_origin.status_code, large.status_code) == (421, 403, 413)
    assert (foreign_reader.status_code, rebound_reader.status_code) == (403, 421)
    assert known.status_code == known_in_lower_case.status_code == 400  # past the guards: only the session is missing
    assert (served.data_dir / "http-token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (
            b"{not JSON",
            {
                "id": None,
                "code": -32700,
                "message": "The body is not JSON that can be read; send one message, in UTF-8.",
            },
        ),
        (b"[1]", {"id": None, "code": -32600, "message": "The message is not JSON-RPC 2.0 as MCP uses it."}),
        (
            b'{"id": 3, "method": 5}',
            {"id": 3, "code": -32600, "message": "The message is not JSON-RPC 2.0 as MCP uses it."},
        ),
    ],
    ids=["no JSON", "no object", "wrong types"],
)
def test_body_that_is_no_message_is_refused_in_plain_words(served: Served, body: bytes, answer: dict[str, Any]) -> None:
    """An error of the protocol with the id that was sent, and nothing of the libraries behind it."""
    refused = httpx2.post(served.url, headers={**ACCEPT, **served.bearer}, content=body, timeout=20)

    error = {"code": answer["code"], "message": answer["message"]}
    assert refused.status_code == 400
    assert refused.json() == {"jsonrpc": "2.0", "id": answer["id"], "error": error}


def test_a_taken_port_is_a_clear_error(served: Served, lyra: Any, tmp_path: Path) -> None:
    """Exit code 2 and one sentence, before anything of the data directory is opened."""
    port = served.url.split(":")[2].split("/")[0]

    done = lyra("serve", "--http", "--port", port, data_dir=tmp_path / "other")

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        f"lyra: Port {port} is taken by another program.",
        "      Choose another with --port, or 0 for any free one.",
    ]
    assert not (tmp_path / "other" / "lyra.db").exists()


async def test_a_signal_ends_it_in_good_order(start: Any, web: SimWeb, tmp_path: Path) -> None:
    """While a client waits for a search: exit code 0, and the search goes back to the queue, its start uncounted."""
    web.faults.set("*", Fault("slow", delay_s=1.0))
    served = begun(start("serve", "--http", "--port", "0", data_dir=tmp_path), tmp_path)
    async with served.client() as client:
        task = (await fields(client, "create_task", query="Are gliptins safe?"))["task_id"]
        call = asyncio.create_task(fields(client, "search", task_id=task, query="gliptin tablets cost"))
        await until(lambda: jobs(tmp_path, task) == [("running", 1)])

        served.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(served.process.wait, 20)
        call.cancel()

    assert (code, jobs(tmp_path, task)) == (0, [("queued", 0)])


async def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 240
    while not await asyncio.to_thread(is_so):
        assert time.monotonic() < deadline
        await asyncio.sleep(LOOK_S)


def jobs(data_dir: Path, task: str) -> list[Any]:
    connection = apsw.Connection(str(data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute("select state, attempts from jobs where task_id = ?", (task,)))
    finally:
        connection.close()


async def test_a_client_that_vanishes_mid_call_stops_nothing(served: Served, web: SimWeb) -> None:
    """The connection is cut while a search runs; the next client is answered, and the search comes to its end."""
    web.faults.set("*", Fault("slow", delay_s=0.3))
    async with served.client() as client:
        task = (await fields(client, "create_task", query="Are gliptins safe?"))["task_id"]
        url = "https://www.nimeth.gov/health-topics/dpp-4-inhibitors"
        call = asyncio.create_task(fields(client, "search", task_id=task, query=url))
        await until(lambda: jobs(served.data_dir, task) == [("running", 1)])
        call.cancel()

    await until(lambda: jobs(served.data_dir, task) == [("done", 1)])
    async with served.client() as client:
        status = await fields(client, "get_status", task_id=task)

    assert [row["pages_fetched"] for row in status["searches"]] == [1]


class Handle(types.Result):
    """A task handle as the extension defines it."""

    result_type: Literal["task"] = Field(alias="resultType")
    task_id: str = Field(alias="taskId")
    status: str


class Got(types.Result):
    status: str
    result: dict[str, Any] | None = None


class GetParams(types.RequestParams):
    task_id: str = Field(alias="taskId")


class Get(types.Request[GetParams, Literal["tasks/get", "tasks/cancel"]]):
    method: Literal["tasks/get", "tasks/cancel"] = "tasks/get"
    params: GetParams


class Tasks(ClientExtension):
    """A client that knows the Tasks extension: it polls until the task has ended."""

    identifier = EXTENSION

    def __init__(self) -> None:
        self.seen: list[str] = []

    def claims(self) -> list[ResultClaim[Handle]]:
        return [ResultClaim(result_type="task", model=Handle, resolve=self._resolve)]

    async def _resolve(self, handle: Handle, ctx: ClaimContext) -> types.CallToolResult:
        self.seen.append(handle.status)
        while True:
            got = await ctx.session.send_request(request("tasks/get", handle.task_id), Got)
            if got.status != "working":
                self.seen.append(got.status)
                return types.CallToolResult.model_validate(got.result or {"content": [], "isError": True})
            await asyncio.sleep(LOOK_S)
            await asyncio.sleep(0.2)


def request(method: Literal["tasks/get", "tasks/cancel"], task_id: str) -> Get:
    return Get(method=method, params=GetParams(taskId=task_id))


def test_a_task_header_that_names_another_task_is_refused(served: Served) -> None:
    """Proxies route by Mcp-Name: one that disagrees with the body is a header mismatch (SEP-2663)."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {EXTENSION: {}}},
    }
    message = {**LIST, "method": "tasks/get", "params": {"taskId": "s_one", "_meta": envelope}}
    headers = {**ACCEPT, **served.bearer, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tasks/get"}

    other = httpx2.post(served.url, headers={**headers, "Mcp-Name": "s_two"}, json=message, timeout=20)
    same = httpx2.post(served.url, headers={**headers, "Mcp-Name": "s_one"}, json=message, timeout=20)

    assert (other.status_code, other.json()["error"]["code"]) == (400, -32020)
    assert (same.status_code, same.json()["error"]["code"]) == (400, types.INVALID_PARAMS)


async def test_a_search_is_a_durable_task_for_clients_that_know_tasks(served: Served) -> None:
    """They get a handle at once and the whole result by polling; others get the plain result from the same call."""
    knowing = Tasks()
    url = "https://www.evidencecompass.org/reviews/dpp4-inhibitors-type-2-diabetes"
    async with served.client(extensions=[knowing]) as client, served.client() as plain:
        task = (await fields(client, "create_task", query="Are gliptins safe?"))["task_id"]
        answer = await fields(client, "search", task_id=task, query=url)
        refused = await client.call_tool("search", {"task_id": "task_000000000000", "query": "x"})
        ordinary = await fields(plain, "search", task_id=task, query=url)

    assert knowing.seen == ["working", "completed"]
    assert (answer["query"], answer["pages_fetched"]) == (url, 1)
    assert set(answer) - CUT == set(ordinary) - CUT
    assert (refused.is_error, (refused.structured_content or {})["error_code"]) == (True, "TASK_NOT_FOUND")


async def test_tasks_are_known_by_their_id_and_can_be_cancelled(served: Served, web: SimWeb) -> None:
    """An unknown id is INVALID_PARAMS, a client that did not declare the extension is told so (-32021)."""
    web.faults.set("*", Fault("slow", delay_s=1.0))
    async with served.client(extensions=[Tasks()]) as client, served.client() as plain:
        task = (await fields(client, "create_task", query="Are gliptins safe?"))["task_id"]
        call = asyncio.create_task(client.call_tool("search", {"task_id": task, "query": "gliptin tablets cost"}))
        await until(lambda: jobs(served.data_dir, task) == [("running", 1)])
        search = (await fields(client, "get_status", task_id=task))["searches"][0]["id"]
        with pytest.raises(MCPError) as unknown:
            await client.session.send_request(request("tasks/get", "s_nothing"), Got)
        with pytest.raises(MCPError) as undeclared:
            await plain.session.send_request(request("tasks/get", search), Got)
        await client.session.send_request(request("tasks/cancel", search), types.EmptyResult)
        await call
        ended = (await fields(client, "get_status", task_id=task))["searches"][0]

    assert (unknown.value.error.code, undeclared.value.error.code) == (types.INVALID_PARAMS, -32021)
    assert (ended["status"], jobs(served.data_dir, task)) == ("cancelled", [("cancelled", 1)])
