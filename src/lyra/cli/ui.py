"""`lyra ui`: the dashboard in a browser on this machine, by itself or beside a server."""

import asyncio
import contextlib
import socket
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.serve import stop_on_signals
from lyra.translate import say

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.settings import Settings


def ui(
    ctx: typer.Context,
    port: Annotated[
        int | None,
        typer.Option(help="Port on 127.0.0.1; 0 for any free one.", min=0, max=65535, show_default="8378, else any"),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Also open the link in the browser.")] = False,
) -> None:
    """Show tasks, hypotheses, claims and their evidence in a browser on this machine.

    Prints a link that works until the command ends. It shows what servers and searches do, and takes your reviews and
    decisions; it runs no searches itself.

    Example: lyra ui --open
    """
    from lyra.observe import log
    from lyra.web.server import choose_port

    settings = ctx.obj.settings()
    log.configure(settings.log.level, settings.log_dir)
    asyncio.run(_serve(settings, choose_port(port), is_opened=open_))


async def _serve(settings: "Settings", listening: socket.socket, *, is_opened: bool) -> None:
    from lyra.app import Lyra
    from lyra.web.server import new_access, serve_dashboard

    stopping = stop_on_signals()
    access = new_access(listening)
    async with Lyra.open(settings) as lyra:
        typer.echo(say("The dashboard is at:"))
        typer.echo(access.link)
        typer.echo(say("Ctrl-C ends it."), err=True)
        if is_opened:
            await asyncio.to_thread(webbrowser.open, access.link)
        await serve_dashboard(lyra, listening, access, stopping)


@contextlib.asynccontextmanager
async def dashboard_beside(get_lyra: "Callable[[], Awaitable[Lyra]]") -> AsyncIterator[None]:
    """The dashboard over the same Lyra as a server, from when it is open until the block ends; the link is printed on
    stderr, since stdout may be the client's."""
    from lyra.web.server import choose_port, new_access, serve_dashboard

    listening = choose_port(None)
    access = new_access(listening)
    stopping = asyncio.Event()

    async def serve() -> None:
        lyra = await get_lyra()
        typer.echo(f"{say('The dashboard is at:')} {access.link}", err=True)
        await serve_dashboard(lyra, listening, access, stopping)

    serving = asyncio.create_task(serve())
    try:
        yield
    finally:
        stopping.set()
        await asyncio.wait({serving})
        listening.close()
        serving.exception()  # why Lyra could not be opened was printed when that was tried
