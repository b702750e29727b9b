"""HTTP/1.1 on asyncio streams: reads a request, writes a response."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus

from simweb.messages import Response

MAX_HEAD_BYTES = 65_536
MAX_BODY_BYTES = 8_000_000
# An endless body ends after all, for a client that never gives up.
ENDLESS_BYTES = 1 << 30
_BODILESS = frozenset({204, 304})
_BLOCK_BYTES = 65_536
_BLOCK_PAUSE_S = 0.001


class BadRequestError(Exception):
    """The bytes on the connection are not an HTTP request that we read."""


@dataclass(frozen=True)
class Head:
    """Request line and headers as they came."""

    method: str
    target: str
    headers: dict[str, str]

    @property
    def keeps_alive(self) -> bool:
        return self.headers.get("connection", "").lower() != "close"


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next request head, or None when the peer has closed."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as exc:
        raise BadRequestError("the request head is too long") from exc
    lines = raw.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadRequestError("the request line is malformed")
    pairs = (line.split(":", 1) for line in lines[1:] if ":" in line)
    return Head(parts[0], parts[1], {name.strip().lower(): value.strip() for name, value in pairs})


async def read_body(reader: asyncio.StreamReader, head: Head) -> bytes:
    """The request body by its content-length; chunked requests are refused."""
    if "transfer-encoding" in head.headers:
        raise BadRequestError("chunked requests are not served")
    length = head.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > MAX_BODY_BYTES:
        raise BadRequestError("the content length is not acceptable")
    try:
        return await reader.readexactly(int(length))
    except asyncio.IncompleteReadError as exc:
        raise BadRequestError("the request body ended early") from exc


def head_bytes(response: Response) -> bytes:
    """Status line and headers of a response."""
    phrase = HTTPStatus(response.status).phrase
    headers = {"date": formatdate(usegmt=True), **response.headers}
    if response.is_endless:
        headers["connection"] = "close"
    elif response.status not in _BODILESS:
        announced = len(response.body) if response.announced_bytes is None else response.announced_bytes
        headers.setdefault("content-length", str(announced))
    lines = [f"HTTP/1.1 {response.status} {phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def write_response(
    writer: asyncio.StreamWriter, response: Response, *, is_head: bool, before_last: Callable[[], None]
) -> bool:
    """Send the response; False when the connection must end.

    `before_last` is called just before the last bytes leave, so that a client that has read the whole
    answer can never be seen as still having it in flight.
    """
    if response.is_reset:
        before_last()
        _reset(writer)
        return False
    if response.is_endless and not is_head:
        await _write_without_end(writer, response)
        return False
    if response.drip_s and not is_head:
        await _drip(writer, response)
        before_last()
        return True
    body = b"" if is_head or response.status in _BODILESS else response.body
    is_whole = response.cut_after_bytes is None and response.announced_bytes is None
    sent = head_bytes(response) + body[: response.cut_after_bytes]
    writer.write(sent[:-1])
    await writer.drain()
    before_last()
    writer.write(sent[-1:])
    await writer.drain()
    return is_whole


async def _drip(writer: asyncio.StreamWriter, response: Response) -> None:
    """The whole body, a few bytes at a time."""
    writer.write(head_bytes(response))
    for start in range(0, len(response.body), response.drip_bytes):
        await writer.drain()
        await asyncio.sleep(response.drip_s)
        writer.write(response.body[start : start + response.drip_bytes])
    await writer.drain()


async def _write_without_end(writer: asyncio.StreamWriter, response: Response) -> None:
    writer.write(head_bytes(response))
    words = response.body or b"and so on "
    block = words * (_BLOCK_BYTES // len(words) + 1)
    for _ in range(ENDLESS_BYTES // len(block)):
        writer.write(block)
        await writer.drain()
        await asyncio.sleep(_BLOCK_PAUSE_S)


def _reset(writer: asyncio.StreamWriter) -> None:
    """End the connection with RST, as a broken peer or a firewall does."""
    sock = writer.get_extra_info("socket")
    if sock is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
