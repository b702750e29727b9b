"""The guard: a proxy on loopback through which the browser reaches the web, and nothing but the web.

Pages, frames, workers, redirects and sockets all pass here. A name is resolved and judged once, and the connection
goes to the address that was judged, so that neither a page nor its name server can point it at this network.
"""

import asyncio
import base64
import contextlib
import ssl
from urllib.parse import unquote, urlsplit

from lyra.fetch.addresses import Checked, Refused, Resolver, check, system_resolver
from lyra.fetch.browser.blocking import is_unwanted
from lyra.settings import Network
from lyra.urls import registrable_domain

_HEAD_BYTES = 65_536
_CHUNK_BYTES = 65_536
_CONNECT_LIMIT_S = 20.0
_SOCKS_ADDRESS_BYTES = {1: 4, 4: 16}
_GONE = (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ssl.SSLError)

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Guard:
    """Serves one browser; `url` is what it is told as its proxy."""

    def __init__(self, network: Network, *, blocks_ads: bool, resolve: Resolver = system_resolver) -> None:
        self._network = network
        self._blocks_ads = blocks_ads
        self._resolve = None if network.proxy else resolve
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()
        self.url = ""

    async def open(self) -> None:
        """Listen on a free port of loopback."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_BYTES)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End every connection."""
        if self._server is not None:
            self._server.close()
        talks = tuple(self._talks)
        for talk in talks:
            talk.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.get_running_loop().create_task(self._talk(reader, writer))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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
        judged = await self._judge(f"https://{target}/" if is_tunnel else target)
        far: Streams | None = None
        if isinstance(judged, Checked):
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_CONNECT_LIMIT_S):
                    far = await self._reach(judged, is_tunnel=is_tunnel)
        if far is None:
            await self._turn_away(writer, judged, is_tunnel=is_tunnel)
            return
        if is_tunnel:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            far[1].write(self._plain_head(head))
        await _relay((reader, writer), far)

    async def _turn_away(self, writer: asyncio.StreamWriter, judged: Checked | Refused, *, is_tunnel: bool) -> None:
        """Say no to a tunnel; a plain request gets no answer at all, for it would pass for the site's own."""
        if is_tunnel:
            status = "403 Forbidden" if isinstance(judged, Refused) else "502 Bad Gateway"
            writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()

    async def _judge(self, url: str) -> Checked | Refused:
        judged = await check(url, resolve=self._resolve, allow_private=self._network.allow_private_addresses)
        if isinstance(judged, Refused):
            return judged
        if is_unwanted(judged.host, registrable_domain(judged.host), blocks_ads=self._blocks_ads):
            return Refused(f"{judged.host} is not asked.")
        return judged

    async def _reach(self, judged: Checked, *, is_tunnel: bool) -> Streams:
        """A connection that ends at the judged address, or at the user's proxy, which resolves names itself."""
        if not self._network.proxy:
            return await _connect_any(judged.pinned or (judged.host.strip("[]"),), judged.port)
        proxy = urlsplit(self._network.proxy)
        if proxy.scheme.startswith("socks5"):
            return await _through_socks5(self._network.proxy, judged.host, judged.port)
        streams = await asyncio.open_connection(
            proxy.hostname, proxy.port or 8080, ssl=proxy.scheme == "https" or None, limit=_HEAD_BYTES
        )
        if is_tunnel:
            await _open_tunnel(streams, f"{judged.host}:{judged.port}", _credentials(self._network.proxy))
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


async def _through_socks5(proxy: str, host: str, port: int) -> Streams:
    """SOCKS5 with the name left to the proxy (RFC 1928), and user name and password where given (RFC 1929)."""
    parts = urlsplit(proxy)
    streams = await asyncio.open_connection(parts.hostname, parts.port or 1080, limit=_HEAD_BYTES)
    try:
        await _greet_socks5(streams, unquote(parts.username or "").encode(), unquote(parts.password or "").encode())
        await _ask_socks5(streams, host.strip("[]").encode("ascii"), port)
    except _GONE:
        streams[1].close()
        raise
    return streams


async def _greet_socks5(streams: Streams, user: bytes, password: bytes) -> None:
    reader, writer = streams
    writer.write(b"\x05\x01\x02" if user else b"\x05\x01\x00")
    if (await reader.readexactly(2))[1] == 2:
        writer.write(bytes((1, len(user))) + user + bytes((len(password),)) + password)
        if (await reader.readexactly(2))[1] != 0:
            raise ConnectionError("the proxy refuses user name and password")


async def _ask_socks5(streams: Streams, name: bytes, port: int) -> None:
    reader, writer = streams
    writer.write(b"\x05\x01\x00\x03" + bytes((len(name),)) + name + port.to_bytes(2, "big"))
    _, status, _, kind = await reader.readexactly(4)
    if status != 0:
        raise ConnectionError(f"the proxy answers {status}")
    size = _SOCKS_ADDRESS_BYTES.get(kind) or (await reader.readexactly(1))[0]
    await reader.readexactly(size + 2)


def _credentials(proxy: str | None) -> str | None:
    parts = urlsplit(proxy or "")
    if not parts.username:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


async def _relay(near: Streams, far: Streams) -> None:
    """Carry bytes both ways until one side has said everything."""
    pipes = [asyncio.create_task(_pipe(near[0], far[1])), asyncio.create_task(_pipe(far[0], near[1]))]
    try:
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pipe in pipes:
            pipe.cancel()
        await asyncio.gather(*pipes, return_exceptions=True)
        far[1].close()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(*_GONE):
        while chunk := await reader.read(_CHUNK_BYTES):
            writer.write(chunk)
            await writer.drain()
