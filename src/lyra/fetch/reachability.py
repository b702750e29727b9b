"""Whether hosts can be reached with the network settings: one small request each, as a person would try."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from lyra.clock import Clock
from lyra.fetch.addresses import RefusedAddress
from lyra.fetch.headers import OutgoingRequest
from lyra.fetch.http import HttpClient
from lyra.settings import Network

_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class HostAnswer:
    """What became of a request to a host: a status in `elapsed_s`, or why there is none."""

    host: str
    status_code: int | None = None
    elapsed_s: float = 0.0
    reason: str | None = None
    is_unreachable: bool = False


async def reach(urls: Iterable[str], network: Network, clock: Clock) -> list[HostAnswer]:
    """Ask the front page of each address's host, all at once; any answer, also a refusal, says that it is there."""
    http = HttpClient(network, clock)
    try:
        return list(await asyncio.gather(*(_reach(http, url) for url in urls)))
    finally:
        await http.close()


async def _reach(http: HttpClient, url: str) -> HostAnswer:
    parts = urlsplit(url)
    front = f"{parts.scheme}://{parts.netloc}/"
    host = parts.hostname or ""
    checked = await http.check(front)
    if isinstance(checked, RefusedAddress):
        return HostAnswer(host, reason=checked.reason, is_unreachable=checked.is_unresolved)
    async with http.session() as session:
        exchange = await http.exchange(session, OutgoingRequest("HEAD", front, ()), checked, _TIMEOUT_S)
    return HostAnswer(host, exchange.status_code, exchange.elapsed_s, exchange.reason, exchange.is_unreachable)
