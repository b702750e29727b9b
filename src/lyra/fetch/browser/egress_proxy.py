"""The egress proxy: a proxy on loopback through which the browser reaches the web, and nothing but the web.

Pages, frames, workers, redirects and sockets all pass here. A name is resolved and checked once, and the connection
goes to the address that was checked, so that neither a page nor its name server can point it at this network.
"""

import asyncio
import base64
import contextlib
import os
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from urllib.parse import unquote, urlsplit

from lyra.fetch.addresses import CheckedAddress, RefusedAddress, Resolver, check_address, system_resolver
from lyra.fetch.http import proxy_for_curl
from lyra.settings import Network
from lyra.urls import registrable_domain

_HEAD_BYTES = 65_536
_CHUNK_BYTES = 65_536
_CONNECT_LIMIT_S = 20.0
_CONNECTING_AT_ONCE = 32
_GONE = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ssl.SSLError)

# Registrable domains; a person who reads an article wants none of them.
AD_DOMAINS = frozenset(
    """
    2mdn.net 33across.com adcolony.com addthis.com adform.net adjust.com adnxs.com adroll.com adsafeprotected.com
    adsrvr.org adtdp.com amazon-adsystem.com amplitude.com appsflyer.com appnexus.com bidswitch.net bluekai.com
    branch.io braze.com casalemedia.com chartbeat.com chartbeat.net clarity.ms contextweb.com crazyegg.com criteo.com
    criteo.net demdex.net doubleclick.net doubleverify.com everesttech.net exelator.com fout.jp freewheel.tv
    fullstory.com googleadservices.com google-analytics.com googlesyndication.com googletagmanager.com
    googletagservices.com hotjar.com i-mobile.co.jp im-apps.net imrworldwide.com indexww.com inmobi.com
    krxd.net ladsp.com lijit.com logly.co.jp mathtag.com media.net microad.jp mixpanel.com moatads.com
    mookie1.com newrelic.com nr-data.net onetag-sys.com openx.net optimizely.com outbrain.com outbrainimg.com
    permutive.com popin.cc pubmatic.com quantcast.com quantserve.com quora-ads.com rlcdn.com rubiconproject.com
    scorecardresearch.com segment.com segment.io sharethis.com sharethrough.com smartadserver.com socdm.com
    sentry-cdn.com spotxchange.com taboola.com tapad.com teads.tv tremorhub.com turn.com uncn.jp yieldmo.com
    zedo.com zemanta.com
    """.split()
)
# What Chrome asks by itself, whatever its flags say; no page needs these hosts.
BROWSER_OWN_HOSTS = frozenset(
    """
    clients1.google.com clients2.google.com clients4.google.com update.googleapis.com safebrowsing.googleapis.com
    optimizationguide-pa.googleapis.com content-autofill.googleapis.com redirector.gvt1.com edgedl.me.gvt1.com
    accounts.invalid apis.invalid android.clients.google.com mhandling.google.com
    chromesyncpasswords-pa.googleapis.com clientservices.googleapis.com
    """.split()
)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def is_blocked_host(host: str, domain: str, *, blocks_ads: bool) -> bool:
    """Whether a connection to the host is refused."""
    return host in BROWSER_OWN_HOSTS or (blocks_ads and domain in AD_DOMAINS)


class EgressProxy:
    """Serves one browser; `url` is its proxy setting."""

    def __init__(self, network: Network, *, blocks_ads: bool, resolve: Resolver = system_resolver) -> None:
        self._network = network
        self._blocks_ads = blocks_ads
        self._resolve = None if network.proxy else resolve
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        # A page opens many connections at once, and curl waits for each in a thread.
        self._connecting = ThreadPoolExecutor(_CONNECTING_AT_ONCE, thread_name_prefix="lyra-socks")
        self.url = ""

    async def open(self) -> None:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_BYTES)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        connections = tuple(self._connections)
        for handling in connections:
            handling.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        self._connecting.shutdown(wait=False)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handling = asyncio.get_running_loop().create_task(self._handle(reader, writer))
        self._connections.add(handling)
        handling.add_done_callback(self._connections.discard)

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(*_GONE):
                await self._serve(reader, writer)
        finally:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = head.partition(b" ")
        target = rest.partition(b" ")[0].decode("latin-1")
        is_tunnel = method == b"CONNECT"
        checked = await self._check(f"https://{target}/" if is_tunnel else target)
        upstream: Streams | None = None
        if isinstance(checked, CheckedAddress):
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_CONNECT_LIMIT_S):
                    upstream = await self._connect(checked, is_tunnel=is_tunnel)
        if upstream is None:
            await self._refuse(writer, checked, is_tunnel=is_tunnel)
            return
        if is_tunnel:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            upstream[1].write(self._plain_head(head))
        await _relay((reader, writer), upstream)

    async def _refuse(
        self, writer: asyncio.StreamWriter, checked: CheckedAddress | RefusedAddress, *, is_tunnel: bool
    ) -> None:
        """Say no to a tunnel; a plain request gets no answer at all, for it would pass for the site's own."""
        if is_tunnel:
            status = "403 Forbidden" if isinstance(checked, RefusedAddress) else "502 Bad Gateway"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()

    async def _check(self, url: str) -> CheckedAddress | RefusedAddress:
        checked = await check_address(url, resolve=self._resolve, allow_private=self._network.allow_private_addresses)
        if isinstance(checked, RefusedAddress):
            return checked
        if is_blocked_host(checked.host, registrable_domain(checked.host), blocks_ads=self._blocks_ads):
            return RefusedAddress(f"{checked.host} is not asked.")
        return checked

    async def _connect(self, checked: CheckedAddress, *, is_tunnel: bool) -> Streams:
        """A connection that ends at the checked address, or at the user's proxy, which resolves names itself."""
        if not self._network.proxy:
            return await _connect_any(checked.pinned or (checked.host.strip("[]"),), checked.port)
        proxy = urlsplit(self._network.proxy)
        if proxy.scheme.startswith("socks"):
            connect = partial(_connect_by_curl, self._network.proxy, checked.host, checked.port)
            connected = await asyncio.get_running_loop().run_in_executor(self._connecting, connect)
            return await asyncio.open_connection(sock=connected, limit=_HEAD_BYTES)
        streams = await asyncio.open_connection(
            proxy.hostname, proxy.port or 8080, ssl=proxy.scheme == "https" or None, limit=_HEAD_BYTES
        )
        if is_tunnel:
            await _open_tunnel(streams, f"{checked.host}:{checked.port}", _credentials(self._network.proxy))
        return streams

    def _plain_head(self, head: bytes) -> bytes:
        """A request for plain http: whole for another proxy, else as the server expects it; one a connection."""
        lines = [line for line in head.split(b"\r\n")[:-2] if not line.lower().startswith(b"proxy-")]
        kept = [line for line in lines if not line.lower().startswith(b"connection:")]
        is_http_proxy = (self._network.proxy or "").startswith("http")
        if not is_http_proxy:
            method, target, version = kept[0].split(b" ", 2)
            parts = urlsplit(target.decode("latin-1"))
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            kept[0] = b" ".join((method, path.encode("latin-1"), version))
        credentials = _credentials(self._network.proxy) if is_http_proxy else None
        if credentials:
            kept.append(f"Proxy-Authorization: {credentials}".encode())
        return b"\r\n".join([*kept, b"Connection: close", b"", b""])


async def _connect_any(addresses: tuple[str, ...], port: int) -> Streams:
    """The first address that answers, in the order of the resolver (IPv6 first where the system prefers it)."""
    failure: OSError = OSError("no address")
    for address in addresses:
        try:
            async with asyncio.timeout(_CONNECT_LIMIT_S / max(2, len(addresses))):
                return await asyncio.open_connection(address, port, limit=_HEAD_BYTES)
        except OSError as exc:  # TimeoutError is one
            failure = exc
    raise failure


async def _open_tunnel(streams: Streams, target: str, credentials: str | None) -> None:
    reader, writer = streams
    permission = f"Proxy-Authorization: {credentials}\r\n" if credentials else ""
    writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{permission}\r\n".encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    status = answer.split(b" ", 2)[1:2]
    if status != [b"200"]:
        writer.close()
        raise ConnectionError(f"the proxy answers {answer[:40]!r}")


def _connect_by_curl(proxy: str, host: str, port: int) -> socket.socket:
    """A connection through a SOCKS proxy of any kind, which resolves the name. Raises ConnectionError."""
    from curl_cffi import Curl, CurlError, CurlInfo, CurlOpt

    curl = Curl()
    try:
        curl.setopt(CurlOpt.URL, f"http://{host}:{port}/".encode())
        curl.setopt(CurlOpt.PROXY, proxy_for_curl(proxy).encode())
        curl.setopt(CurlOpt.NOPROXY, b"")
        curl.setopt(CurlOpt.CONNECT_ONLY, 1)
        curl.setopt(CurlOpt.CONNECTTIMEOUT_MS, int(_CONNECT_LIMIT_S * 1000))
        curl.perform()
        # curl closes its own descriptor when it is closed; ours stays.
        return socket.socket(fileno=os.dup(int(str(curl.getinfo(CurlInfo.ACTIVESOCKET)))))
    except CurlError as exc:
        raise ConnectionError(str(exc)) from exc
    finally:
        curl.close()


def _credentials(proxy: str | None) -> str | None:
    parts = urlsplit(proxy or "")
    if not parts.username:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


async def _relay(browser: Streams, upstream: Streams) -> None:
    """Carry bytes both ways until one side has said everything."""
    pipes = [asyncio.create_task(_pipe(browser[0], upstream[1])), asyncio.create_task(_pipe(upstream[0], browser[1]))]
    try:
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pipe in pipes:
            pipe.cancel()
        await asyncio.gather(*pipes, return_exceptions=True)
        upstream[1].close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(*_GONE):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
