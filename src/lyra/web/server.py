"""Running the dashboard: its port, its secrets, and the time until it is told to stop."""

import asyncio
import socket

from lyra.app import Lyra
from lyra.errors import InvalidParams
from lyra.loopback import listen, serve_until
from lyra.web.app import application
from lyra.web.guard import Access

DEFAULT_PORT = 8378


def choose_port(port: int | None) -> socket.socket:
    """The port that was asked for; where none was, the usual one, or any free one where that is taken: two dashboards
    may run at once. Raises InvalidParams where a port that was asked for is taken."""
    if port is not None:
        return listen(port)
    try:
        return listen(DEFAULT_PORT)
    except InvalidParams:
        return listen(0)


def new_access(listening: socket.socket) -> Access:
    """New secrets for the dashboard on this port."""
    return Access(listening.getsockname()[1])


async def serve_dashboard(lyra: Lyra, listening: socket.socket, access: Access, stopping: asyncio.Event) -> None:
    """Serve until `stopping` is set; a research browser that was opened for a waiting page ends with it."""
    async with lyra.unlocking:
        await serve_until(stopping, application(lyra, access, stopping), listening)
