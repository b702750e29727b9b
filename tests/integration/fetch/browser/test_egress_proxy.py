"""The proxy between browser and web, asked as a browser asks its proxy."""

import asyncio
import base64
from collections.abc import AsyncIterator

import pytest

from lyra.fetch.browser.egress_proxy import EgressProxy
from lyra.settings import Network

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Peer:
    """A server, proxy or SOCKS proxy that says `script` line by line and writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.port = 0
        self.is_socks = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.is_socks:
            await self._socks(reader, writer)
        head = await reader.readuntil(b"\r\n\r\n")
        self.heard.append(head)
        if head.startswith(b"CONNECT"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            self.heard.append(await reader.readexactly(4))
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(await reader.readexactly(4))
        writer.write(b"\x05\x02")
        self.heard.append(await reader.readexactly(2 + 4 + 1 + 6))
        writer.write(b"\x01\x00")
        self.heard.append(await reader.readexactly(4 + 1 + len("news.example") + 2))
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")


@pytest.fixture
async def peer() -> AsyncIterator[Peer]:
    peer = Peer()
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    peer.port = server.sockets[0].getsockname()[1]
    yield peer
    server.close()


async def ask(proxy: EgressProxy, request: bytes) -> bytes:
    """What the proxy answers to a request, until it hangs up."""
    await proxy.open()
    try:
        port = int(proxy.url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        return answer
    finally:
        await proxy.close()


def resolving(*addresses: str) -> object:
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return addresses

    return resolve


def plain(url: str) -> bytes:
    return f"GET {url} HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n".encode()


async def test_plain_request_reaches_the_server_in_its_own_form(peer: Peer) -> None:
    """The server sees a path, not a proxy's address, and nothing that was meant for the proxy."""
    proxy = EgressProxy(Network(allow_private_addresses=True), blocks_ads=True)

    answer = await ask(proxy, plain(f"http://127.0.0.1:{peer.port}/a?b=c"))

    assert answer == ANSWER
    assert peer.heard == [b"GET /a?b=c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]


@pytest.mark.parametrize(
    ("addresses", "request_"),
    [
        pytest.param(("10.0.0.7",), plain("http://intranet.example/"), id="name of a private address"),
        pytest.param(("93.184.216.34", "127.0.0.1"), plain("http://rebind.example/"), id="one private among public"),
        pytest.param(("127.0.0.1",), plain("http://localhost:631/"), id="localhost"),
        pytest.param((), plain("http://169.254.169.254/latest/"), id="metadata"),
        pytest.param((), plain("http://doubleclick.net/x.js"), id="advertiser"),
        pytest.param((), plain("http://update.googleapis.com/service"), id="call home"),
        pytest.param((), plain("file:///etc/passwd"), id="no web address"),
        pytest.param((), b"nonsense\r\n\r\n", id="nonsense"),
    ],
)
async def test_refused_request_gets_no_answer(peer: Peer, addresses: tuple[str, ...], request_: bytes) -> None:
    """An answer of the proxy's own would be taken for the site's."""
    proxy = EgressProxy(Network(), blocks_ads=True, resolve=resolving(*addresses))  # type: ignore[arg-type]

    answer = await ask(proxy, request_)

    assert answer == b""
    assert peer.heard == []


async def test_refused_tunnel_is_told(peer: Peer) -> None:
    """A tunnel is refused before the secure connection begins."""
    proxy = EgressProxy(Network(), blocks_ads=True, resolve=resolving("127.0.0.1"))  # type: ignore[arg-type]

    answer = await ask(proxy, b"CONNECT intranet.example:443 HTTP/1.1\r\n\r\n")

    assert answer == b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


async def test_tunnel_goes_through_the_users_proxy_with_its_password(peer: Peer) -> None:
    """A browser cannot be given a proxy's password; the proxy shows it."""
    network = Network(proxy=f"http://rin:p%40ss@127.0.0.1:{peer.port}")
    shown = b"Proxy-Authorization: Basic " + base64.b64encode(b"rin:p@ss")

    answer = await ask(EgressProxy(network, blocks_ads=True), b"CONNECT news.example:443 HTTP/1.1\r\n\r\nping")

    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n" + ANSWER
    assert peer.heard == [
        b"CONNECT news.example:443 HTTP/1.1\r\nHost: news.example:443\r\n" + shown + b"\r\n\r\n",
        b"ping",
    ]


async def test_socks_proxy_resolves_the_name_itself(peer: Peer) -> None:
    """No name is looked up here when a SOCKS proxy does it."""
    peer.is_socks = True
    network = Network(proxy=f"socks5://user:secret@127.0.0.1:{peer.port}")

    answer = await ask(EgressProxy(network, blocks_ads=True), plain("http://news.example/today"))

    assert answer == ANSWER
    assert peer.heard == [
        b"\x05\x02\x00\x02",
        b"\x01\x04user\x06secret",
        b"\x05\x01\x00\x03\x0cnews.example\x00\x50",
        b"GET /today HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ]


async def test_unreachable_proxy_is_a_refused_tunnel() -> None:
    """Nobody listens: the tunnel fails, the proxy goes on."""
    proxy = EgressProxy(Network(proxy="http://127.0.0.1:9"), blocks_ads=True)

    answer = await ask(proxy, b"CONNECT news.example:443 HTTP/1.1\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
