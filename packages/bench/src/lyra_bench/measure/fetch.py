"""How well fetching does: 200 addresses of the simulated web with faults on the way, then the same once more.

The pauses between requests are shortened (nobody is burdened on this machine) and Tor is the simulated web's SOCKS
door; everything else is as it ships. Walls that only a person can open are left out: they have their own measure.
"""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.archive.warc import WarcArchive
from lyra.fetch.headers import fetch_site, shown_referer
from lyra.fetch.ladder import BROWSERS
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.urls import origin_of
from lyra_bench.measure.evidence import no_file
from simweb import SimWeb
from simweb.faults import Fault
from simweb.journal import Visit

REFERER = "https://html.duckduckgo.com/html/?q=glucose"
# Short, so that 200 pages take a minute; the pause itself is kept and checked.
PAUSE_S = 0.05
_WORKERS = 4
_SERVED = (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED)
_LATENCY_S = 0.01
# Clocks of two processes and the database's milliseconds.
_TOLERANCE_S = 0.01

# Of 200 addresses: how many meet which fault. The refusals are those that recovery is counted on.
PLAN: tuple[tuple[str, Fault, int], ...] = (
    ("403 to the direct way", Fault("status", status=403, exits="direct"), 8),
    ("403 once", Fault("status", status=403, times=1), 12),
    ("429 once", Fault("status", status=429, retry_after_s=1, times=1), 10),
    ("browser check", Fault("challenge", asks="script"), 12),
    ("needs JavaScript", Fault("script_gate"), 8),
    ("503 once", Fault("status", status=503, times=1), 4),
    ("reset once", Fault("reset", times=1), 4),
    ("cut off once", Fault("truncated", times=1), 4),
    ("slow", Fault("slow", delay_s=0.5), 4),
    ("wrong charset", Fault("wrong_charset"), 4),
)
REFUSALS = frozenset({"403 to the direct way", "403 once", "429 once"})
BARS: Mapping[str, tuple[str, float]] = {
    "success": (">=", 0.97),
    "recovery": (">=", 0.90),
    "browser_share": ("<=", 0.30),
    "not_modified": (">=", 0.80),
    "referer_coherent": (">=", 0.95),
    "archived": (">=", 1.0),
    "politeness_violations": ("<=", 0),
    "tor_share": ("<=", 0.20),
    "dns_leaks": ("<=", 0),
}


@dataclass(frozen=True, slots=True)
class Fetched:
    """An address, the fault that was put in its way, and what came of it."""

    url: str
    fault: str | None
    result: FetchResult


async def measure_fetch(urls: int = 200, *, seed: int = 1, keep: Path | None = None) -> dict[str, Any]:
    """Fetch so many addresses twice over; figures with their bars, and every failure by name."""
    with tempfile.TemporaryDirectory(prefix="lyra-bench-") as scratch, SimWeb(latency_s=_LATENCY_S) as web:
        web.faults.lift_all()
        asked = addresses(web, urls)
        faults = plant(web, asked, seed)
        flags = _flags(web, keep or Path(scratch))
        settings = settings_module.load(flags, environ={}, path=no_file(Path(scratch)))
        started = time.perf_counter()
        async with Lyra.open(settings) as lyra:
            first = await _fetch_all(lyra, [FetchRequest(url, referer=REFERER) for url in asked], faults)
            visits = web.requests
            web.faults.clear()
            again = await _fetch_all(lyra, _revisits(first), {})
            archived = await _readable(lyra, [*first, *again])
        leaks = len(web.journal.dns_leaks())
        violations = [visit for visit in web.politeness_violations() if is_navigation(visit)]
        hasty = too_soon(web.requests)
    found = figures(first, again, visits) | {
        "archived": archived,
        "politeness_violations": len(violations) + len(hasty),
        "dns_leaks": leaks,
    }
    return {
        **found,
        "is_passed": all(_passes(found[name], bar) for name, bar in BARS.items()),
        "bars": {name: f"{sign} {value:g}" for name, (sign, value) in BARS.items()},
        "by_fault": _by_fault(first),
        "by_rung": dict(Counter(one.result.rung for one in first if one.result.outcome in _SERVED)),
        "failed": [f"{one.url} ({one.fault}): {one.result.reason}" for one in first if not _is_served(one)],
        "pause_s": PAUSE_S,
        "seconds": round(time.perf_counter() - started, 1),
    }


def addresses(web: SimWeb, most: int) -> list[str]:
    """Pages of the simulated web that anybody may read, filled up with the front pages of their sites."""
    pages = [page for topic in web.topics for page in topic.pages if not page.is_gone]
    open_to_all = [page for page in pages if not page.path.startswith(tuple(page.site.robots.disallow) or ("\0",))]
    fronts = dict.fromkeys(f"https://{page.site.domain}/" for page in open_to_all)
    return [*dict.fromkeys(page.url for page in open_to_all), *fronts][:most]


def plant(web: SimWeb, asked: Sequence[str], seed: int) -> dict[str, str]:
    """Put the plan's faults in the way of addresses drawn by the seed; which address met which."""
    every = [(name, fault) for name, fault, count in PLAN for _ in range(count)]
    drawn = random.Random(seed).sample(list(asked), len(every) * len(asked) // 200)
    planted = {}
    for number, url in enumerate(drawn):
        name, fault = every[number * len(every) // len(drawn)]
        parts = urlsplit(url)
        web.faults.set(f"{parts.hostname}{parts.path}", fault)
        planted[url] = name
    return planted


def is_navigation(visit: Visit) -> bool:
    """A request for a page, not for what a browser loads to show it."""
    return visit.headers.get("sec-fetch-dest", "document") == "document"


def too_soon(visits: Sequence[Visit]) -> list[Visit]:
    """Visits that came before the pause after the last answer of their domain was over; redirects are one visit."""
    found: list[Visit] = []
    last: dict[str, Visit] = {}
    for visit in (one for one in visits if is_navigation(one)):
        before = last.get(visit.domain)
        last[visit.domain] = visit
        if before is None or before.ended_s is None or before.status is None or 300 <= before.status < 400:
            continue
        least_s = 1.0 if before.status == 429 else PAUSE_S
        if visit.arrived_s - before.ended_s < least_s - _TOLERANCE_S:
            found.append(visit)
    return found


def is_coherent(visit: Visit, came_from: str | None) -> bool:
    """Whether Referer and Sec-Fetch-Site tell one story about where the visit came from, and name it where they may.

    `came_from` is the page that led to the site; none where nothing did, such as an archive's address.
    """
    referer = visit.headers.get("referer")
    told = visit.headers.get("sec-fetch-site", "none")
    if referer is None:
        return told == "none" and shown_referer(came_from, visit.url) is None
    is_whole = origin_of(referer) == origin_of(visit.url)
    return told == fetch_site(referer, visit.url) and (is_whole or referer == origin_of(referer) + "/")


async def _fetch_all(lyra: Lyra, requests: Sequence[FetchRequest], faults: Mapping[str, str]) -> list[Fetched]:
    """Several domains at once, as a search does; the order of the answers is that of the requests."""
    waiting = iter(list(enumerate(requests)))
    done: dict[int, Fetched] = {}

    async def work() -> None:
        for number, request in waiting:
            result = await lyra.parts.getter(request)
            done[number] = Fetched(request.url, faults.get(request.url), result)

    async with asyncio.TaskGroup() as group:
        for _ in range(_WORKERS):
            group.create_task(work())
    return [done[number] for number in sorted(done)]


def _revisits(first: Sequence[Fetched]) -> list[FetchRequest]:
    """The pages whose servers named a version, asked for again with it."""
    known = [(one, one.result.header("etag"), one.result.header("last-modified")) for one in first if _is_served(one)]
    return [
        FetchRequest(one.url, referer=REFERER, etag=etag, last_modified=modified)
        for one, etag, modified in known
        if etag or modified
    ]


async def _readable(lyra: Lyra, fetched: Sequence[Fetched]) -> float:
    """The share of pages whose bytes can be read back from the archive."""
    archive = WarcArchive(lyra.settings.archive_dir, lyra.clock, db=lyra.db)
    served = [one for one in fetched if one.result.outcome is FetchOutcome.OK]
    found = 0
    for one in served:
        if one.result.archive is not None:
            _, body = await archive.read(one.result.archive)
            found += body == one.result.body
    return round(found / len(served), 4) if served else 0.0


def figures(first: Sequence[Fetched], again: Sequence[Fetched], visits: Sequence[Visit]) -> dict[str, Any]:
    """The figures of both rounds; `visits` are the sites' own record of the first."""
    refused = [one for one in first if one.fault in REFUSALS]
    pages = [visit for visit in visits if is_navigation(visit) and visit.path != "/robots.txt"]
    led_to = {urlsplit(one.url).hostname for one in first}
    return {
        "urls": len(first),
        "success": _share(first, _is_served),
        "recovery": _share(refused, _is_served),
        "browser_share": _share(first, lambda one: one.result.rung in BROWSERS),
        "revisits": len(again),
        "not_modified": _share(again, lambda one: one.result.outcome is FetchOutcome.NOT_MODIFIED),
        "referer_coherent": _share(pages, lambda visit: is_coherent(visit, REFERER if visit.host in led_to else None)),
        "tor_share": _share(pages, lambda visit: visit.exit == "tor"),
        "wayback_share": _share(first, lambda one: one.result.rung == "wayback"),
    }


def _by_fault(first: Sequence[Fetched]) -> dict[str, str]:
    names = [name for name, _, _ in PLAN]
    return {
        name: f"{sum(map(_is_served, met))} of {len(met)} served"
        for name in names
        if (met := [one for one in first if one.fault == name])
    }


def _is_served(one: Fetched) -> bool:
    return one.result.outcome in _SERVED and one.result.page_state != "needs_javascript"


def _share(items: Sequence[Any], holds: Any) -> float:
    return round(sum(1 for item in items if holds(item)) / len(items), 4) if items else 0.0


def _passes(value: float, bar: tuple[str, float]) -> bool:
    return value >= bar[1] if bar[0] == ">=" else value <= bar[1]


def _flags(web: SimWeb, data_dir: Path) -> dict[str, Any]:
    return {
        "data_dir": data_dir,
        "network.proxy": web.proxy_url,
        "network.ca_bundle": web.ca_path,
        "politeness.domain_qps": 1 / PAUSE_S,
        "politeness.pause_min_s": PAUSE_S,
        "politeness.pause_max_s": PAUSE_S,
        "tor.mode": "auto",
        "tor.socks_address": web.socks_url.removeprefix("socks5h://"),
        "tor.control_address": "127.0.0.1:1",
    }
