"""Two stdio servers, one HTTP server and the command line at once on one data directory."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from lyra_bench.demo.world import HURRIED
from simweb import SimWeb
from tests.e2e.conftest import IN_FRONT, SMALL_READER

PAGES = (
    "https://www.nimeth.gov/health-topics/dpp-4-inhibitors",
    "https://www.evidencecompass.org/reviews/dpp4-inhibitors-type-2-diabetes",
    "https://en.wikipedia.org/wiki/Dipeptidyl_peptidase-4_inhibitor",
)
COUNTS = {
    "pages": "select count(*), count(distinct url) from pages",
    "papers": "select count(*), count(distinct url) from pages where url like 'https://doi.org/%'",
    "fragments": "select count(*), count(distinct page_id || ' ' || position) from fragments",
    "claims": "select count(*), count(distinct task_id || claim_text) from claims",
    "edges": "select count(*), count(distinct source_id || target_id) from edges",
    "jobs": "select count(*), sum(state = 'done' and attempts = 1) from jobs",
    "searches": "select count(*), sum(status in ('satisfied', 'partial', 'exhausted')) from queries",
}


@pytest.fixture
def slow_web() -> Iterator[SimWeb]:
    """Slow enough for requests of two processes to overlap where nothing holds them apart."""
    with SimWeb(latency_s=0.05) as web:
        yield web


def environment(web: SimWeb) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
    return {**own, **HURRIED, **IN_FRONT, **SMALL_READER, **reach, "LYRA_JOBS__POLL_S": "0.1"}


def command(data_dir: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), *words]


@asynccontextmanager
async def over_stdio(data_dir: Path, environ: Mapping[str, str]) -> AsyncIterator[Client]:
    program, *args = command(data_dir, "serve")
    async with Client(StdioServerParameters(command=program, args=args, env=dict(environ))) as client:
        yield client


@asynccontextmanager
async def over_http(data_dir: Path, environ: Mapping[str, str]) -> AsyncIterator[Client]:
    process = await asyncio.create_subprocess_exec(
        *command(data_dir, "serve", "--http", "--port", "0"), env=dict(environ), stderr=subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        url = (await process.stderr.readline()).decode().split()[1].rstrip(";")
        token = (data_dir / "http-token").read_text().strip()
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=120) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            yield client
    finally:
        process.terminate()
        await process.wait()


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    fields = dict(result.structured_content or {})
    assert fields["ok"], fields
    return fields


async def research(client: Client, shared_task: str) -> None:
    """A task of its own and a share of the common one, on the same few sites as everybody else."""
    own = (await call(client, "create_task", query="Are gliptins safe?"))["task_id"]
    async with asyncio.TaskGroup() as group:
        for task in (own, shared_task):
            for url in PAGES:
                options = {"wait_seconds": 100}
                group.create_task(call(client, "search", task_id=task, query=url, options=options))


async def by_hand(data_dir: Path, environ: Mapping[str, str], *words: str) -> Any:
    process = await asyncio.create_subprocess_exec(
        *command(data_dir, *words, "--json"), env=dict(environ), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    told = await process.stdout.read()
    assert await process.wait() == 0, told
    return json.loads(told)


def counted(data_dir: Path) -> dict[str, tuple[int, int]]:
    connection = apsw.Connection(str(data_dir / "lyra.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {name: next(iter(connection.execute(sql))) for name, sql in COUNTS.items()}  # type: ignore[misc]
    finally:
        connection.close()


async def test_many_processes_are_one_polite_visitor(slow_web: SimWeb, tmp_path: Path) -> None:
    """19 searches by four processes at once: each ends, nothing is stored or fetched twice, no site is pressed."""
    environ = environment(slow_web)
    async with (
        over_stdio(tmp_path, environ) as one,
        over_stdio(tmp_path, environ) as two,
        over_http(tmp_path, environ) as three,
    ):
        common = (await call(one, "create_task", query="What do gliptins do?"))["task_id"]
        async with asyncio.TaskGroup() as group:
            for client in (one, two, three):
                group.create_task(research(client, common))
            group.create_task(by_hand(tmp_path, environ, "search", common, PAGES[0]))
            group.create_task(by_hand(tmp_path, environ, "backup", str(tmp_path.parent / "busy.zip")))
        status = await call(two, "get_status", task_id=common)
        listed = await by_hand(tmp_path, environ, "task", "list")

    counts = counted(tmp_path)
    fetched = Counter(visit.url for visit in slow_web.requests if visit.url in PAGES)
    assert slow_web.politeness_violations() == ()
    assert {name: found for name, (found, distinct) in counts.items() if found != distinct} == {}
    assert (counts["pages"][0], counts["papers"][0]) == (18, 15)  # the three, and the papers that they name or are near
    assert (counts["searches"][0], len(status["searches"]), len(listed)) == (19, 10, 4)
    assert fetched == dict.fromkeys(PAGES, 1)
