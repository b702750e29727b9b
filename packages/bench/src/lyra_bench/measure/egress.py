"""What each part of Lyra reaches, shown by runs on the simulated web in which every connection is recorded."""

import asyncio
import json
import os
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.errors import NetworkUnavailable
from lyra.model.page import FetchOutcome, FetchRequest
from lyra.model.search import SearchOptions, Source
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.settings import Settings
from lyra_bench.measure.connections import Connection, run_recorded, why_not_here
from lyra_bench.measure.evidence import UNHURT, no_file
from simweb import Fault, SimWeb
from simweb.truth import load_truth

_LIMIT_S = 300.0
_SEARCH_LIMIT_S = 240.0
_TOPIC = "kosui"
# Chrome asks the kernel whether IPv6 has a route by a UDP socket to this address, and sends nothing over it.
_ROUTE_TEST = "2001:4860:4860::8888"
PAGE = "https://www.fdso.gov/safety/dpp4-heart-failure"
REFUSING_PAGE = "https://www.jinkotokei.go.jp/tokei/shussei-r7"


async def measure_egress() -> dict[str, Any]:
    """Run each part below the recorder; whom it reached, and that nothing went anywhere else."""
    reason = why_not_here()
    if reason is not None:
        raise NetworkUnavailable(f"Nothing was recorded: {reason}.", remedy="Run it on Linux.")
    parts = {part: await asyncio.to_thread(_record, part) for part in PARTS}
    return {"is_passed": all(one["is_as_stated"] for one in parts.values()), "parts": parts}


def _record(part: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="lyra-egress-") as scratch, SimWeb() as web:
        web.faults.lift_all()
        web.faults.set(urlsplit(REFUSING_PAGE).hostname or "", Fault("status", status=403, exits="direct"))
        flags = json.dumps(_flags(web, Path(scratch)))
        command = [sys.executable, "-m", "lyra_bench.measure.egress", part, flags]
        code, output, seen = run_recorded(command, os.environ, _LIMIT_S)
        known = {urlsplit(web.proxy_url).port: "proxy", urlsplit(web.socks_url).port: "tor"}
        hosts = sorted({visit.host for visit in web.requests})
    reached = Counter(receiver(one, known) for one in seen)
    strangers = sorted(name for name in reached if name not in STATED[part])
    return {
        "is_as_stated": code == 0 and not strangers,
        "reached": dict(sorted(reached.items())),
        "stated": sorted(STATED[part]),
        "not_stated": [f"{one.program} → {one.host}:{one.port}" for one in seen if receiver(one, known) in strangers],
        "hosts_asked_for": len(hosts),
        "programs": sorted({one.program for one in seen}),
        **({} if code == 0 else {"failure": output[-400:]}),
    }


def receiver(connection: Connection, known: dict[int | None, str]) -> str:
    """Who is reached: the proxy or Tor of the run, this machine, the name server, or the internet."""
    if connection.is_datagram and connection.host == _ROUTE_TEST:
        return "route test"
    if connection.port == 0:
        return "socket file"
    if connection.port == 53:
        return "name server"
    if connection.host == "::1" or connection.host.startswith("127."):
        return known.get(connection.port, "loopback")
    return "internet"


def _flags(web: SimWeb, data_dir: Path) -> dict[str, Any]:
    return {
        **UNHURT,
        "data_dir": str(data_dir),
        "network.proxy": web.proxy_url,
        "network.ca_bundle": str(web.ca_path),
        "tor.mode": "auto",
        "tor.socks_address": web.socks_url.removeprefix("socks5h://"),
        "tor.control_address": "127.0.0.1:1",
    }


async def _search(settings: Settings) -> None:
    """One search of a task with a hypothesis, from the engines to the verdict."""
    truth = load_truth(_TOPIC)
    language = next(iter(truth.queries))
    hypothesis = Hypothesis(truth.claim(truth.hypotheses[0]).text[language])
    async with Lyra.open(settings, with_worker=True) as lyra:
        task, _ = await lyra.tasks.create(
            truth.question[language], TaskConfig(budget=Budget(6, 200.0), hypotheses=(hypothesis,))
        )
        search = await lyra.searches.start(task.id, truth.queries[language][0], SearchOptions())
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)


async def _registries(settings: Settings) -> None:
    """One search of registries alone: no engine, no site."""
    async with Lyra.open(settings, with_worker=True) as lyra:
        task, _ = await lyra.tasks.create("Who runs Misakino Works?", TaskConfig())
        options = SearchOptions(sources=(Source.REGISTRIES,))
        search = await lyra.searches.start(task.id, "Misakino Works", options)
        await lyra.searches.wait(search.id, _SEARCH_LIMIT_S)


async def _fetch(settings: Settings, url: str, *rungs: str) -> None:
    async with Lyra.open(settings) as lyra:
        result = await lyra.parts.getter(FetchRequest(url, rungs=rungs))
    if result.outcome is not FetchOutcome.OK:
        raise SystemExit(f"{url}: {result.outcome.value}, {result.reason}")


async def _pages(settings: Settings) -> None:
    await _fetch(settings, PAGE, "http")


async def _browser(settings: Settings) -> None:
    await _fetch(settings, PAGE, "headless")


async def _tor(settings: Settings) -> None:
    await _fetch(settings, REFUSING_PAGE, "http", "tor")


async def _models(settings: Settings) -> None:
    async with Lyra.open(settings) as lyra:
        await lyra.models.probe()


async def _dashboard(settings: Settings) -> None:
    """Serve the dashboard, and open its first page as a browser would."""
    from lyra.web.server import choose_port, new_access, serve_dashboard

    listening, stopping = choose_port(0), asyncio.Event()
    access = new_access(listening)
    async with Lyra.open(settings) as lyra, asyncio.TaskGroup() as group:
        group.create_task(serve_dashboard(lyra, listening, access, stopping))
        await asyncio.to_thread(_open_page, access.link)
        stopping.set()


def _open_page(link: str) -> None:
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(link, timeout=20) as answer:
        answer.read()


async def _doctor(settings: Settings) -> None:
    from lyra.health import check_installation

    await check_installation(settings)


async def _test(settings: Settings) -> None:
    from lyra.health import check_installation

    await check_installation(settings, asks_network=True)


PARTS: dict[str, Callable[[Settings], Awaitable[None]]] = {
    "search": _search,
    "registries": _registries,
    "pages": _pages,
    "browser": _browser,
    "tor": _tor,
    "models": _models,
    "dashboard": _dashboard,
    "doctor": _doctor,
    "doctor --network": _test,
}
# What docs/explanation/egress.md says of each part; "loopback" is another process of the same run.
STATED: dict[str, frozenset[str]] = {
    "search": frozenset({"proxy", "tor", "socket file", "loopback", "route test"}),
    "registries": frozenset({"proxy", "socket file", "loopback"}),
    "pages": frozenset({"proxy", "socket file"}),
    "browser": frozenset({"proxy", "socket file", "loopback", "route test"}),
    "tor": frozenset({"proxy", "tor", "socket file", "loopback"}),
    "models": frozenset({"socket file", "loopback"}),
    "dashboard": frozenset({"socket file", "loopback"}),
    "doctor": frozenset({"socket file", "loopback", "tor"}),
    "doctor --network": frozenset({"socket file", "loopback", "tor", "proxy"}),
}


def main(arguments: Iterable[str]) -> None:
    """Run one part, as `measure_egress` starts it."""
    part, flags = arguments
    given = json.loads(flags)
    settings = settings_module.load(given, environ={}, path=no_file(Path(given["data_dir"])))
    asyncio.run(PARTS[part](settings))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
