"""`lyra serve`: the MCP server for AI clients, over stdio or HTTP on loopback."""

import asyncio
import contextlib
import signal
import socket
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.observe import log
from lyra.settings import Settings


def add_to(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    ctx: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on 127.0.0.1 instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="Port for --http; 0 for any free one.", min=0, max=65535)] = 8377,
) -> None:
    """Serve an MCP client over stdio until it hangs up, or many over HTTP on this machine.

    Example: claude mcp add lyra -- lyra serve
    """
    settings = ctx.obj.settings()
    log.configure(settings.log.level, settings.log_dir)
    if http:
        from lyra.mcp.http import listen

        asyncio.run(_over_http(settings, listen(port)))
    else:
        asyncio.run(_over_stdio(settings))


async def _over_stdio(settings: Settings) -> None:
    from lyra.mcp.server import serve_stdio

    stopping = _stopping()
    async with Lyra.open(settings, with_worker=True) as lyra:
        serving = asyncio.create_task(serve_stdio(lyra))
        told = asyncio.create_task(stopping.wait())
        await asyncio.wait({serving, told}, return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        if not serving.done():
            serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving


async def _over_http(settings: Settings, listening: socket.socket) -> None:
    from lyra.mcp.http import HOST, PATH, serve_http, token_at

    stopping = _stopping()
    async with Lyra.open(settings, with_worker=True) as lyra:
        path = settings.data_dir / "http-token"
        token = token_at(path)
        port = listening.getsockname()[1]
        typer.echo(f"Serving http://{HOST}:{port}{PATH}; the token is in {path}", err=True)
        await serve_http(lyra, listening, token, stopping)


def _stopping() -> asyncio.Event:
    """Set by the first SIGINT or SIGTERM: everything is closed in order, and unfinished searches are given back."""
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends the process at once
            asyncio.get_running_loop().add_signal_handler(number, told.set)
    return told
