"""Clients that hold a connection without asking anything are ended; others are served meanwhile."""

import asyncio
from collections.abc import AsyncIterator

import pytest
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
