"""A page whose reader hangs, through the server: the task can be stopped, and the server ends when it is told to."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from lyra_bench.demo.world import HURRIED
from simweb import SimWeb
from tests.e2e.conftest import IN_FRONT

READER = "lyra.extract.process"


@dataclass(frozen=True)
class Hung:
    """A server one of whose searches is at a page that is never read to its end."""

    server: asyncio.subprocess.Process
    client: Client
    task_id: str
    reader: psutil.Process


def readers(server: int) -> list[psutil.Process]:
    """The processes below the server that read pages."""
    found = []
    for one in psutil.Process(server).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            found += [one] if READER in one.cmdline() else []
    return found


async def frozen_reader(server: int) -> psutil.Process:
    """The first that starts, held still: whatever it is doing takes for ever."""
    async with asyncio.timeout(120):
        while not (found := readers(server)):  # noqa: ASYNC110 - another process starts it
            await asyncio.sleep(0.01)
    found[0].send_signal(signal.SIGSTOP)
    return found[0]


async def fields(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    return dict((await client.call_tool(tool, arguments)).structured_content or {})


@asynccontextmanager
async def hung_server(tmp_path: Path) -> AsyncIterator[Hung]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    command = [sys.executable, "-m", "lyra", "--data-dir", str(tmp_path), "serve", "--http", "--port", "0"]
    with SimWeb() as web:
        reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
        environment = {**own, **HURRIED, **IN_FRONT, **reach}
        server = await asyncio.create_subprocess_exec(*command, env=environment, stderr=subprocess.PIPE)
        try:
            assert server.stderr is not None
            url = (await server.stderr.readline()).decode().split()[1].rstrip(";")
            bearer = {"Authorization": f"Bearer {(tmp_path / 'http-token').read_text().strip()}"}
            async with (
                httpx2.AsyncClient(headers=bearer, timeout=120) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                task = (await fields(client, "create_task", query="Are gliptins safe?"))["task_id"]
                options = {"wait_seconds": 0, "max_pages": 3}
                await fields(client, "search", task_id=task, query="gliptin heart failure", options=options)
                yield Hung(server, client, task, await frozen_reader(server.pid))
        finally:
            with contextlib.suppress(ProcessLookupError):
                server.kill()
            await server.wait()


async def test_stop_task_ends_the_reader_of_a_page_that_hangs(tmp_path: Path) -> None:
    """The search is cancelled at once, and the process that hangs is ended with it."""
    async with hung_server(tmp_path) as hung:
        stopped = await fields(hung.client, "stop_task", task_id=hung.task_id, reason="user_cancelled")
        gone, _ = await asyncio.to_thread(psutil.wait_procs, [hung.reader], 30)
        status = await fields(hung.client, "get_status", task_id=hung.task_id)

    assert (stopped["ok"], stopped["final_status"]) == (True, "cancelled")
    assert gone == [hung.reader]
    assert [one["status"] for one in status["searches"]] == ["cancelled"]


async def test_a_server_that_is_told_to_end_does_not_wait_for_a_page_that_hangs(tmp_path: Path) -> None:
    """SIGTERM ends it, its process for searches and the reader, in order."""
    async with hung_server(tmp_path) as hung:
        below = psutil.Process(hung.server.pid).children(recursive=True)
        hung.server.terminate()
        code = await asyncio.wait_for(hung.server.wait(), 60)
        _, left = await asyncio.to_thread(psutil.wait_procs, below, 30)

    assert (code, left) == (0, [])
