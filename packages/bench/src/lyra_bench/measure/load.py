"""A server for a team under load: many people read once a second, each with a token of their own, while searches run.

The server is a process of its own with TLS. Its graph has 50,000 edges and 100,000 fragments with vectors, in a shared
task; the searches run on the simulated web.
"""

import asyncio
import contextlib
import os
import random
import secrets
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from lyra.app import Lyra
from lyra.model.person import Role
from lyra.settings import load
from lyra.storage import embeddings, tasks
from lyra_bench.measure import views
from lyra_bench.measure.raw_client import RawConnection
from lyra_bench.measure.vectors import DIMENSION
from simweb import SimWeb
from simweb.truth import load_truth

if TYPE_CHECKING:
    from mcp import Client

EDGES = 50_000
FRAGMENTS = 100_000
_BATCH = 5_000
_SAMPLE_S = 5.0
# Reads of each kind, one after another before the load, for what one costs: all of them are within a person's limit.
_ALONE = 30
_READY_S = 60.0
# Nobody is burdened by quick requests to this machine.
QUICK = {
    "LYRA_POLITENESS__DOMAIN_QPS": "50",
    "LYRA_POLITENESS__PAUSE_MIN_S": "0",
    "LYRA_POLITENESS__PAUSE_MAX_S": "0.02",
    "LYRA_POLITENESS__ENGINE_QPS": "20",
    "LYRA_POLITENESS__API_QPS": "20",
    "LYRA_JOBS__CONCURRENCY": "4",
}
_WORDS = ("heart", "kidney", "liver", "skin", "bone", "sleep", "memory", "pain", "weight", "vision", "balance", "mood")
# What a reader asks, in turn: how it stands, a view, the tables, and search by meaning over everything that is seen.
_READS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_status", {"task_id": views.TASK}),
    ("query_graph", {"sql": f"SELECT * FROM v_contradictions WHERE task_id = '{views.TASK}' LIMIT 20"}),
    ("query_graph", {"sql": f"SELECT verdict, count(*) FROM claims WHERE task_id = '{views.TASK}' GROUP BY verdict"}),
    ("vector_search", {"query": "effects on the {word}", "target": "fragments", "min_similarity": 0.0}),
)


@dataclass
class Load:
    """What was asked, how long answers took, what failed, and how the server grew."""

    clients: int
    seconds: float
    taken_ms: dict[str, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    searches_ended: int = 0
    memory_mb: list[float] = field(default_factory=list)
    handles: list[int] = field(default_factory=list)
    cpu_s: dict[str, float] = field(default_factory=dict)
    alone_cpu_ms: dict[str, float] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        every = sorted(value for found in self.taken_ms.values() for value in found)
        return {
            "clients": self.clients,
            "seconds": round(self.seconds, 1),
            "reads": len(every),
            "reads_per_second": round(len(every) / self.seconds, 1),
            "errors": dict(self.errors),
            "p50_ms": _percentile(every, 50),
            "p99_ms": _percentile(every, 99),
            "worst_ms": _percentile(every, 100),
            "p99_ms_by_read": {name: _percentile(sorted(found), 99) for name, found in self.taken_ms.items()},
            "searches_ended_meanwhile": self.searches_ended,
            "memory_mb": _growth(self.memory_mb),
            "handles": _growth(self.handles),
            "cpu_s": {name: round(spent, 1) for name, spent in self.cpu_s.items()},
            "server_cpu_ms_by_read_alone": self.alone_cpu_ms,
            "server_cpu_ms_per_read": round(1000 * self.cpu_s.get("server", 0.0) / max(1, len(every)), 1),
        }


async def measure_load(
    clients: int = 50,
    seconds: float = 600,
    *,
    searches: int = 4,
    edges: int = EDGES,
    fragments: int = FRAGMENTS,
    seed: int = 1,
    keep: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Latency of reads, errors and growth of one server; each reader asks once a second, at a moment of its own.

    `keep` holds the graph; one that is in it is used as it was made.
    """
    with tempfile.TemporaryDirectory(prefix="lyra-load-") as folder:
        data_dir = Path(folder) / "data"
        with SimWeb() as web:
            reach = {"LYRA_NETWORK__PROXY": web.proxy_url, "LYRA_NETWORK__CA_BUNDLE": str(web.ca_path)}
            await _make_graph(keep / "data" if keep else data_dir, edges, fragments, tell)
            if keep:
                shutil.copytree(keep / "data", data_dir)
            tokens = await add_people(data_dir, clients, searches)
            with running_server(Path(folder), data_dir, {**QUICK, **reach}) as running:
                tell(f"{clients} clients, {seconds:.0f} s")
                return (await _run(running, tokens, seconds, searches, random.Random(seed), tell)).fields()


@dataclass(frozen=True, slots=True)
class Running:
    url: str
    trust: ssl.SSLContext
    process: psutil.Process


async def _make_graph(data_dir: Path, edges: int, fragments: int, tell: Callable[[str], None]) -> None:
    """A shared graph of that size, where there is none."""
    import numpy as np

    if (data_dir / "lyra.db").exists():
        return
    tell("making the graph")
    chance = np.random.default_rng(0)
    async with Lyra.open(load({"data_dir": data_dir}, environ={})) as lyra:
        await lyra.db.write(views.build_graph, 1_000, fragments // 1_000, 5_000, edges)
        await lyra.db.write(tasks.set_shared, views.TASK, is_shared=True)
        ids = await lyra.db.read(
            lambda connection: [str(one) for (one,) in connection.execute("select id from fragments")]
        )
        for start in range(0, len(ids), _BATCH):
            rows = chance.standard_normal((len(ids[start : start + _BATCH]), DIMENSION)).astype(np.float32)
            named = list(zip(ids[start : start + _BATCH], rows, strict=True))
            await lyra.db.write(embeddings.put_many, "fragment", named, lyra.models.embedder.model_id)


async def add_people(data_dir: Path, clients: int, searches: int) -> list[str]:
    """The tokens: first those of the researchers, then those of the readers."""
    async with Lyra.open(load({"data_dir": data_dir}, environ={})) as lyra:
        roles = [Role.RESEARCHER] * searches + [Role.READER] * clients
        made = secrets.token_hex(4)
        return [(await lyra.people.add(f"Person {made} {at}", role)).token for at, role in enumerate(roles)]


@contextlib.contextmanager
def running_server(folder: Path, data_dir: Path, environment: dict[str, str]) -> Iterator[Running]:
    import trustme

    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1")
    leaf.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    leaf.private_key_pem.write_to_path(folder / "key.pem")
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    own = {name: value for name, value in os.environ.items() if not name.startswith("LYRA_")}
    files = ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]
    command = [sys.executable, "-m", "lyra", "--data-dir", str(data_dir), "serve", "--http", "--port", "0", *files]
    with subprocess.Popen(command, env={**own, **environment}, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = process.stderr.readline().split()[1].rstrip(";")
        try:
            yield Running(url, trust, psutil.Process(process.pid))
        finally:
            process.terminate()


async def _run(
    running: Running,
    tokens: Sequence[str],
    seconds: float,
    searches: int,
    chance: random.Random,
    tell: Callable[[str], None],
) -> Load:
    load_ = Load(len(tokens) - searches, seconds)
    load_.alone_cpu_ms = await _read_alone(running, tokens[searches])
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    before = _cpu_s(running.process)
    async with asyncio.TaskGroup() as group:
        for token in tokens[:searches]:
            group.create_task(_search_until(running, token, deadline, load_))
        for at, token in enumerate(tokens[searches:]):
            group.create_task(_read_until(running, token, deadline, load_, at, chance.random()))
        watching = group.create_task(_watch_until(running, deadline, load_, tell))
        await watching
        load_.cpu_s = {name: spent - before[name] for name, spent in _cpu_s(running.process).items()}
    return load_


async def _read_alone(running: Running, token: str) -> dict[str, float]:
    """Milliseconds of the server's processor time a read of each kind; what it does once after its start is done."""
    found: dict[str, float] = {}
    async with _connected(running) as connection:
        for turn, (tool, arguments) in enumerate(_READS):
            await connection.call(token, tool, _worded(arguments, 0))
            before = _spent(running.process.cpu_times())
            for number in range(_ALONE):
                await connection.call(token, tool, _worded(arguments, number))
            found[_name_of(turn)] = round(1000 * (_spent(running.process.cpu_times()) - before) / _ALONE, 1)
    return found


def _name_of(turn: int) -> str:
    """What a reader asks at this turn; the two statements are told apart by their number."""
    tool, _ = _READS[turn % len(_READS)]
    return f"{tool} {turn % len(_READS)}" if tool == "query_graph" else tool


def _cpu_s(server: psutil.Process) -> dict[str, float]:
    """Seconds of processor time so far: of the server, of all that it started, of the clients and simulated web."""
    below = [one.cpu_times() for one in _alive(server.children(recursive=True))]
    return {
        "server": _spent(server.cpu_times()),
        "searches": sum(_spent(one) for one in below),
        "clients": _spent(psutil.Process().cpu_times()),
    }


def _alive(found: Sequence[psutil.Process]) -> list[psutil.Process]:
    return [one for one in found if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def _spent(times: Any) -> float:
    return float(times.user + times.system)


def _worded(arguments: dict[str, Any], turn: int) -> dict[str, Any]:
    """The arguments with another word at each turn."""
    word = _WORDS[turn % len(_WORDS)]
    return {name: value.replace("{word}", word) if name == "query" else value for name, value in arguments.items()}


@contextlib.asynccontextmanager
async def client_of(running: Running, token: str) -> "AsyncIterator[Client]":
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    bearer = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=bearer, verify=running.trust, timeout=_READY_S) as http,
        Client(streamable_http_client(running.url, http_client=http)) as client,
    ):
        yield client


@contextlib.asynccontextmanager
async def _connected(running: Running) -> "AsyncIterator[RawConnection]":
    connection = await RawConnection.open(running.url, running.trust)
    try:
        yield connection
    finally:
        connection.close()


async def _read_until(running: Running, token: str, deadline: float, load_: Load, first: int, offset_s: float) -> None:
    """One read a second; a late answer delays the next, and is counted as it was."""
    loop = asyncio.get_running_loop()
    await asyncio.sleep(offset_s)
    async with _connected(running) as connection:
        turn = first
        while loop.time() < deadline:
            tool, arguments = _READS[turn % len(_READS)]
            started = loop.time()
            error = await connection.call(token, tool, _worded(arguments, turn + 1))
            took_s = loop.time() - started
            load_.taken_ms.setdefault(_name_of(turn), []).append(1000 * took_s)
            turn += 1
            if error is not None:
                load_.errors[error] += 1
            await asyncio.sleep(max(0.0, 1 - took_s))


async def _search_until(running: Running, token: str, deadline: float, load_: Load) -> None:
    """One search after another, each for another of the topic's queries."""
    loop = asyncio.get_running_loop()
    queries = [one for found in load_truth().queries.values() for one in found]
    async with client_of(running, token) as client:
        turn = 0
        while loop.time() < deadline:
            made = (await client.call_tool("create_task", {"query": "Are gliptins safe?"})).structured_content or {}
            options = {"wait_seconds": min(60.0, max(1.0, deadline - loop.time())), "max_pages": 10}
            asked = {"task_id": made.get("task_id"), "query": queries[turn % len(queries)], "options": options}
            answer = (await client.call_tool("search", asked)).structured_content or {}
            load_.searches_ended += answer.get("status") in ("satisfied", "partial", "exhausted")
            turn += 1


async def _watch_until(running: Running, deadline: float, load_: Load, tell: Callable[[str], None]) -> None:
    loop = asyncio.get_running_loop()
    while loop.time() < deadline:
        load_.memory_mb.append(running.process.memory_info().rss / 1e6)
        load_.handles.append(running.process.num_fds())
        reads = sum(map(len, load_.taken_ms.values()))
        tell(f"{max(0.0, deadline - loop.time()):.0f} s left, {reads} reads, {load_.errors.total()} errors")
        await asyncio.sleep(min(_SAMPLE_S, max(0.1, deadline - loop.time())))


def _percentile(ordered: Sequence[float], share: int) -> float | None:
    return round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 1) if ordered else None


def _growth(found: Sequence[float]) -> dict[str, float]:
    """Medians of the first and of the last quarter, and the highest."""
    part = max(1, len(found) // 4)
    return {
        "first_quarter": round(statistics.median(found[:part]), 1),
        "last_quarter": round(statistics.median(found[-part:]), 1),
        "highest": round(max(found), 1),
    }
