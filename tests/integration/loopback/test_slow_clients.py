"""Clients that hold a connection without asking anything are ended; others are served meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from lyra import loopback


async def _answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the whole body, then says ok."""
    await Request(scope, receive).body()
    await PlainTextResponse("ok")(scope, receive, send)


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    """A server whose patience is a twentieth of a second."""
    monkeypatch.setattr(loopback, "HEAD_TIMEOUT_S", 0.05)
    monkeypatch.setattr(loopback, "BODY_TIMEOUT_S", 0.05)
    listening, stopping = loopback.listen(0), asyncio.Event()
    serving = asyncio.create_task(loopback.serve_until(stopping, _answer, listening))
    yield listening.getsockname()[1]
    stopping.set()
    await serving


@pytest.fixture
async def tls_port(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[int]:
    """A server with TLS and as little patience with handshakes."""
    monkeypatch.setattr(loopback, "HANDSHAKE_TIMEOUT_S", 0.05)
    leaf = trustme.CA().issue_cert("127.0.0.1")
    leaf.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    leaf.private_key_pem.write_to_path(tmp_path / "key.pem")
    files = loopback.TlsFiles(tmp_path / "cert.pem", tmp_path / "key.pem")
    listening, stopping = loopback.listen(0), asyncio.Event()
    serving = asyncio.create_task(loopback.serve_until(stopping, _answer, listening, files))
    yield listening.getsockname()[1]
    stopping.set()
    await serving


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01"], ids=["nothing", "half a hello"])
async def test_unfinished_tls_handshake_is_ended(tls_port: int, sent: bytes) -> None:
    """Whoever connects and never ends the handshake holds no connection for a minute."""
    reader, writer = await asyncio.open_connection("127.0.0.1", tls_port)
    writer.write(sent)

    async with asyncio.timeout(20):
        received = await reader.read()

    writer.close()
    assert received == b""


HEAD = b"POST / HTTP/1.1\r\nHost: a\r\n"
UNFINISHED = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET / HTTP/1.1\r\nHost: a\r\n",
    "half a body": HEAD + b"Content-Length: 9\r\n\r\nabc",
    "half of chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
}


@pytest.mark.parametrize("sent", UNFINISHED.values(), ids=UNFINISHED)
async def test_connection_without_a_whole_request_is_ended(port: int, sent: bytes) -> None:
    """Whatever it has sent so far, it gets no answer and is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)

    received = await reader.read()

    writer.close()
    assert received == b""


async def test_whole_request_is_answered(port: int) -> None:
    """The limit is for the head of a request, not for its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

    received = await reader.read()

    writer.close()
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert received.endswith(b"\r\n\r\nok")
