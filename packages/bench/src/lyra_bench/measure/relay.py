"""A loopback relay that adds the token to every HTTP request, for test clients that cannot be given one."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

_HOST = "127.0.0.1"
_HEAD_END = b"\r\n\r\n"
_BLOCK_BYTES = 65_536


@contextlib.asynccontextmanager
async def relayed(port: int, token: str) -> AsyncIterator[int]:
    """The port of a relay to `port`; each connection carries one request, so that none is missed."""
    under_way: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(_forward(reader, writer, port, token))
        under_way.add(task)
        task.add_done_callback(under_way.discard)

    server = await asyncio.start_server(accept, _HOST, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in list(under_way):
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, token: str) -> None:
    outward: asyncio.StreamWriter | None = None
    sending: asyncio.Task[None] | None = None
    try:
        head = await reader.readuntil(_HEAD_END)
        inward, outward = await asyncio.open_connection(_HOST, port)
        outward.write(with_token(head, token))
        sending = asyncio.create_task(_pump(reader, outward))
        await _pump(inward, writer)
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # either side has gone: there is nobody to tell
    finally:
        if sending is not None:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        if outward is not None:
            outward.close()
        writer.close()


def with_token(head: bytes, token: str) -> bytes:
    """The request's head with the token, asking for one answer only; Host and Origin stay as they came."""
    given = head.removesuffix(_HEAD_END).split(b"\r\n")
    lines = [line for line in given if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([*lines, b"Authorization: Bearer " + token.encode(), b"Connection: close"]) + _HEAD_END


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while block := await reader.read(_BLOCK_BYTES):
        writer.write(block)
        await writer.drain()
