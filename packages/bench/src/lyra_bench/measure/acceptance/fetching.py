"""A1, A2, A3, A9, part of A12, and A21: what happens between Lyra and the sites."""

import asyncio
import random
import socket
from typing import Any
from urllib.parse import urlsplit

from lyra.app import Lyra
from lyra.archive.captures import Captures
from lyra.clock import SystemClock
from lyra.fetch.addresses import CheckedAddress, ipv6_first
from lyra.fetch.headers import first_request
from lyra.fetch.http import HttpClient
from lyra.fetch.ladder import BROWSERS
from lyra.model.page import FetchOutcome, FetchRequest
from lyra.settings import Network, Settings
from lyra.storage.database import Database
from lyra_bench.measure.acceptance.bench import Bench
from lyra_bench.measure.acceptance.criterion import Figures, share
from lyra_bench.measure.fetch import addresses, measure_fetch
from simweb import SimWeb
from simweb.faults import Fault
from simweb.world import load_world

_URLS, _QUICK_URLS = 200, 60
_WALLS = (
    Fault("captcha"),
    Fault("challenge", asks="person"),
    Fault("challenge", asks="script"),
    Fault("login_wall"),
    Fault("consent"),
)
_WALLED, _QUICK_WALLED = 100, 25
_HOSTS, _QUICK_HOSTS = 40, 10
_TIMEOUT_S = 5.0


async def _fetched(bench: Bench) -> dict[str, Any]:
    urls = _QUICK_URLS if bench.is_quick else _URLS
    bench.tell(f"fetching {urls} addresses with faults, then once more")
    return await measure_fetch(urls, seed=bench.seed, keep=bench.data_dir("fetch"))


async def fetch_success(bench: Bench) -> Figures:
    found = await bench.once("fetch", _fetched)
    return Figures({"success": found["success"]}, details={"urls": found["urls"], "by_fault": found["by_fault"]})


async def recovery(bench: Bench) -> Figures:
    found = await bench.once("fetch", _fetched)
    return Figures({"recovery": found["recovery"]})


async def exposure(bench: Bench) -> Figures:
    found = await bench.once("fetch", _fetched)
    names = ("browser_share", "referer_coherent", "not_modified", "tor_share", "dns_leaks")
    return Figures({name: found[name] for name in names}, details={"by_rung": found["by_rung"]})


async def walls(bench: Bench) -> Figures:
    """Walls before pages drawn by the seed, and all other pages: which are taken for one."""
    with SimWeb(latency_s=0.0, seed=bench.seed) as web:
        web.faults.lift_all()
        asked = addresses(web, 400 if not bench.is_quick else 80)
        walled = random.Random(bench.seed).sample(asked, _QUICK_WALLED if bench.is_quick else _WALLED)
        for number, url in enumerate(walled):
            parts = urlsplit(url)
            web.faults.set(f"{parts.hostname}{parts.path}", _WALLS[number % len(_WALLS)])
        async with Lyra.open(bench.settings(web, "walls")) as lyra:
            results = {url: await lyra.parts.getter(FetchRequest(url, rungs=("http",))) for url in asked}
    # A site that rests after its refusals was not asked: that says nothing of the recogniser.
    met = [url for url in walled if results[url].was_sent and results[url].outcome is not FetchOutcome.COOLING_DOWN]
    missed = [f"{url}: {results[url].outcome.value}" for url in met if results[url].challenge is None]
    false = sorted(url for url, one in results.items() if one.challenge is not None and url not in walled)
    return Figures(
        {"detected": share(len(met) - len(missed), len(met)), "false_alarms": len(false)},
        details={
            "walls": len(met),
            "not_asked": len(walled) - len(met),
            "ordinary": len(asked) - len(walled),
            "missed": missed[:20],
            "false": false[:20],
        },
    )


async def captures(bench: Bench) -> tuple[dict[str, float | None], int]:
    """Of the HTML pages that a browser has served: the shares with a screenshot and with a list of resource digests."""
    await bench.once("fetch", _fetched)
    settings = Settings(data_dir=bench.data_dir("fetch"))
    db = await Database.open(settings.database_path)
    try:
        served = await db.read(_browser_records)
    finally:
        await db.close()
    files = {page.url for topic in load_world() for page in topic.pages if page.format in ("pdf", "scan")}
    records = [record_id for url, record_id in served if url not in files]
    store = Captures(settings.archive_dir, SystemClock())
    found = [await store.of_record(record_id) for record_id in records]
    kept = [one for one in found if one is not None]
    return {
        "screenshots": share(sum(one.screenshot is not None for one in kept), len(records)),
        "hash_lists": share(sum(bool(one.resources) for one in kept), len(records)),
    }, len(records)


def _browser_records(connection: Any) -> list[tuple[str, str]]:
    """Address and record of every page."""
    marks = ", ".join("?" for _ in BROWSERS)
    sql = f"""
        select subject, details ->> 'record_id'
        from event_log
        where kind = 'fetch' and details ->> 'outcome' = 'ok' and details ->> 'rung' in ({marks})
            and details ->> 'record_id' is not null
    """
    return [(str(url), str(record_id)) for url, record_id in connection.execute(sql, tuple(BROWSERS))]


async def ip_versions(bench: Bench) -> Figures:
    """Hosts on loopback with both addresses, and hosts whose IPv6 address nobody listens on."""
    if (why := _no_ipv6()) is not None:
        return Figures({"ipv6": None, "switched": None}, {"ipv6": why, "switched": why})
    count = _QUICK_HOSTS if bench.is_quick else _HOSTS
    both = [await _ask_host(("127.0.0.1", "::1")) for _ in range(count)]
    one = [await _ask_host(("127.0.0.1",)) for _ in range(count)]
    return Figures(
        {
            "ipv6": share(sum(status == 200 and address == "::1" for status, address, _ in both), count),
            "switched": share(sum(status == 200 and switched for status, _, switched in one), count),
        },
        details={"hosts": 2 * count},
    )


def _no_ipv6() -> str | None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError as exc:
        return f"this machine has no IPv6 ({exc.strerror})"
    return None


async def _ask_host(listening: tuple[str, ...]) -> tuple[int | None, str | None, bool]:
    """Status, the address that answered, and whether that was the second try, of a host that has both addresses."""
    first = await asyncio.start_server(_serve, listening[0], 0)
    port = first.sockets[0].getsockname()[1]
    servers = [first, *[await asyncio.start_server(_serve, one, port) for one in listening[1:]]]
    client = HttpClient(Network(), SystemClock())
    checked = CheckedAddress(f"http://dual.example:{port}/", "dual.example", port, ipv6_first(("127.0.0.1", "::1")))
    try:
        async with client.session() as session:
            got = await client.exchange(session, first_request(FetchRequest(checked.url)), checked, _TIMEOUT_S)
    finally:
        await client.close()
        for server in servers:
            server.close()
    return got.status_code, got.ip_address, got.is_switched


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    await writer.drain()
    writer.close()
