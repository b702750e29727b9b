"""How many connections are taken, in all and from one address; an answer before the body ends the connection."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from lyra import loopback

GET = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CHUNKED = b"POST /refused HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
_MAX_SENT = 64 * 2**20


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Refuses what asks for it without reading; says ok to others."""
    if scope["path"] == "/refused":
        await PlainTextResponse("no", 401)(scope, receive, send)
        return
    await Request(scope, receive).body()
    await PlainTextResponse("ok")(scope, receive, send)


@asynccontextmanager
async def serving(tls: loopback.TlsFiles | None = None, max_per_address: int = 500) -> AsyncIterator[int]:
    """A server on every address of this machine, and its port."""
    listening, stopping = loopback.listen(0, "0.0.0.0"), asyncio.Event()
    work = loopback.serve_until(stopping, _answer, listening, tls, max_per_address=max_per_address)
    running = asyncio.create_task(work)
    try:
        yield listening.getsockname()[1]
    finally:
        stopping.set()
        await running


@pytest.fixture
def tls(tmp_path: Path) -> tuple[loopback.TlsFiles, ssl.SSLContext]:
    authority = trustme.CA()
    leaf = authority.issue_cert("127.0.0.1", "127.0.0.2")
    leaf.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    leaf.private_key_pem.write_to_path(tmp_path / "key.pem")
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    return loopback.TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem"), trust


async def asked(port: int, local: str, trust: ssl.SSLContext | None = None) -> bytes:
    """The first line of the answer to somebody with this address; empty where the connection was closed at once."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust, local_addr=(local, 0))
        writer.write(GET)
        received = await reader.read()
    except ConnectionError:
        return b""
    writer.close()
    return received.partition(b"\r\n")[0]


async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int:
    """How many bytes of a body that never ends are taken."""
    sent = 0
    try:
        writer.write(CHUNKED)
        while sent < _MAX_SENT:
            writer.write(CHUNK)
            await writer.drain()
            sent += len(CHUNK)
    except (ConnectionError, ssl.SSLError):
        return sent
    return sent


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
async def test_body_after_an_early_answer_is_not_read(
    tls: tuple[loopback.TlsFiles, ssl.SSLContext], is_tls: bool
) -> None:
    """Whoever goes on sending meets a closed connection, within what the buffers of the machine hold."""
    files, trust = tls
    async with serving(files if is_tls else None) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trust if is_tls else None)

        sent = await flood(reader, writer)

        writer.transport.abort()

    assert sent < _MAX_SENT


async def test_early_answer_says_that_the_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal arrives whole, and nothing after it is read."""
    monkeypatch.setattr(loopback, "REST_TIMEOUT_S", 0.05)
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(CHUNKED + b"3\r\nabc\r\n")

        received = await reader.read()

        writer.close()
    head, _, body = received.partition(b"\r\n\r\n")
    assert (head.split(b"\r\n")[0], body) == (b"HTTP/1.1 401 Unauthorized", b"no")
    assert b"connection: close" in head.lower().split(b"\r\n")


async def test_connection_stays_where_the_rest_of_the_body_is_short() -> None:
    """An ordinary client with a wrong token may ask again on the same connection."""
    post = b"POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(post)
        first = await reader.readuntil(b"no")
        writer.write(GET)

        second = await reader.read()

        writer.close()
    assert b"connection: close" not in first.lower()
    assert second.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
async def test_one_address_cannot_take_all_connections(
    tls: tuple[loopback.TlsFiles, ssl.SSLContext], is_tls: bool
) -> None:
    """Connections that ask nothing, or never end their handshake, count; others are served, and so is it afterwards."""
    files, trust = tls[0] if is_tls else None, tls[1] if is_tls else None
    async with serving(files, max_per_address=3) as port:
        held = [await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.1", 0)) for _ in range(3)]
        await asked(port, "127.0.0.2", trust)  # the server has taken those before
        same, other = await asked(port, "127.0.0.1", trust), await asked(port, "127.0.0.2", trust)
        for reader, writer in held:
            writer.write_eof()
            await reader.read()
            writer.close()
        afterwards = await asked(port, "127.0.0.1", trust)

    assert (same, other, afterwards) == (b"", b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK")


async def test_unfinished_handshakes_count_among_all_connections(
    monkeypatch: pytest.MonkeyPatch, tls: tuple[loopback.TlsFiles, ssl.SSLContext]
) -> None:
    """Whatever their addresses: beyond the limit a connection is closed at once."""
    monkeypatch.setattr(loopback, "MAX_CONNECTIONS", 2)
    async with serving(tls[0]) as port:
        held = [await asyncio.open_connection("127.0.0.1", port, local_addr=(f"127.0.0.{n}", 0)) for n in (3, 4)]

        refused = await asked(port, "127.0.0.5", tls[1])

        for _, writer in held:
            writer.close()
    assert refused == b""
