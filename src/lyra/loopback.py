"""Serving on this machine only: a loopback port, and a server that ends when it is told to."""

import asyncio
import contextlib
import errno
import os
import signal
import socket
from collections.abc import Iterator

import uvicorn
from starlette.types import ASGIApp

from lyra.errors import InvalidParams

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")  # names by which clients on this machine may call it
_GRACE_S = 3


def listen(port: int) -> socket.socket:
    """The loopback port to serve on, any free one for 0. Raises InvalidParams where it is not available."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as exc:
        listening.close()
        why = "is taken by another program" if exc.errno == errno.EADDRINUSE else f"cannot be used: {exc.strerror}"
        raise InvalidParams(f"Port {port} {why}.", remedy="Choose another with --port, or 0 for any free one.") from exc
    return listening


class _Server(uvicorn.Server):
    """A server that leaves the signals to the command that runs it: there is more to close than sockets."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_until(stopping: asyncio.Event, app: ASGIApp, listening: socket.socket) -> None:
    """Serve any number of clients until `stopping` is set; calls under way get a few seconds to end."""
    config = uvicorn.Config(app, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=_GRACE_S)
    server = _Server(config)

    async def stop() -> None:
        await stopping.wait()
        server.handle_exit(signal.SIGTERM, None)  # also ends open event streams

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(stop())
        await server.serve(sockets=[listening])
        watching.cancel()
