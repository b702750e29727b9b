"""`lyra serve`: the MCP server for AI clients, over stdio or HTTP on loopback."""

import asyncio
import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import Context
from lyra.errors import InvalidParams, LyraError
from lyra.remedies import for_terminal
from lyra.translate import say, translate

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from lyra.app import Lyra
    from lyra.loopback import TlsFiles
    from lyra.request_limits import RequestLimits
    from lyra.settings import Settings


# How long a thread may run Python before another's turn: threads that read for people need theirs often, and briefly.
_SWITCH_S = 0.001


def serve(
    ctx: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on 127.0.0.1 instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="Port for --http; 0 for any free one.", min=0, max=65535)] = 8377,
    host: Annotated[
        str, typer.Option(help="Address for --http, such as 0.0.0.0 for a team; beyond this machine with TLS only.")
    ] = "127.0.0.1",
    tls_cert: Annotated[
        Path | None, typer.Option(help="Certificate with its chain in PEM, for --http.", dir_okay=False)
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Key of the certificate in PEM.", dir_okay=False)] = None,
    ui: Annotated[
        bool, typer.Option("--ui", help="Also serve the dashboard; its link is printed on standard error.")
    ] = False,
) -> None:
    """Serve an MCP client over stdio until it hangs up, or many over HTTP: on this machine, or with TLS for a team.

    Example: claude mcp add lyra -- lyra serve
    """
    from lyra.observe import log

    if not http:
        _check_streams()
        asyncio.run(_over_stdio(ctx.obj, with_ui=ui))
        return
    from lyra.loopback import listen

    tls = _checked_tls(host, tls_cert, tls_key)
    settings = ctx.obj.settings()
    log.configure(settings.log.level, settings.log_dir)
    asyncio.run(_over_http(settings, listen(port, host), tls, with_ui=ui))


def _checked_tls(host: str, certificate: Path | None, key: Path | None) -> "TlsFiles | None":
    """The files for TLS; InvalidParams where they cannot serve, or are missing though others than this machine could
    listen to what passes."""
    from lyra.loopback import TlsFiles, listens_on_loopback

    if certificate is None and key is None:
        if not listens_on_loopback(host):
            raise InvalidParams(
                f"Tokens and questions would be sent unencrypted to {host}.",
                remedy="Give --tls-cert and --tls-key, or serve on 127.0.0.1 behind a proxy that has TLS.",
            )
        return None
    if certificate is None or key is None:
        raise InvalidParams("TLS needs a certificate and its key.", remedy="Give both --tls-cert and --tls-key.")
    files = TlsFiles(certificate, key)
    files.check()
    return files


def _check_streams() -> None:
    """Before anything is opened: the next file would take the place of the closed one."""
    if sys.stdin is None or sys.stdout is None:
        raise InvalidParams(
            "The MCP client is served over standard input and output, and one of them is closed.",
            remedy="Let the client start it (see `lyra connect`), or use `lyra serve --http`.",
        )


async def _over_stdio(context: Context, *, with_ui: bool) -> None:
    """A client is answered before Lyra is open, and where it cannot be opened: with what is wrong and what to do."""
    from lyra.mcp.opening import LazyLyra, NotStarted
    from lyra.mcp.server import build_lazy, serve_stdio

    stopping = stop_on_signals()
    async with LazyLyra(lambda: _open(context)) as lazy:
        if sys.stdin.isatty():  # a person sees here what is wrong
            with contextlib.suppress(NotStarted):
                await lazy.get()
        if lazy.failure is None:
            async with _dashboard(lazy.get, with_ui=with_ui):
                await _until(stopping, serve_stdio(build_lazy(lazy.get, lazy.start_opening)))
    if lazy.failure is not None:
        raise typer.Exit(lazy.failure.exit_code)


@contextlib.asynccontextmanager
async def _open(context: Context) -> AsyncIterator["Lyra"]:
    """An open Lyra; errors are printed on stderr at once. Its modules are imported in a thread."""
    from lyra.observe import log

    try:
        settings = context.settings()
        log.configure(settings.log.level, settings.log_dir)
        app = await asyncio.to_thread(importlib.import_module, "lyra.app")
        tracing = await asyncio.to_thread(importlib.import_module, "lyra.observe.tracing")
        async with tracing.sending(settings.log.traces_endpoint), app.Lyra.open(settings, with_worker=True) as lyra:
            yield lyra
    except LyraError as exc:
        remedy = for_terminal(translate(exc.remedy or ""))
        typer.echo(f"lyra: {translate(exc.message)}\n      {remedy}", err=True)
        raise


async def _until(stopping: asyncio.Event, work: Coroutine[None, None, None]) -> None:
    """Serve until the client hangs up, or a signal comes."""
    serving = asyncio.create_task(work)
    waiting = asyncio.create_task(stopping.wait())
    await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not serving.done():
        serving.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def _over_http(settings: "Settings", listening: socket.socket, tls: "TlsFiles | None", *, with_ui: bool) -> None:
    from lyra.app import Lyra
    from lyra.loopback import listens_on_loopback, serve_until
    from lyra.mcp.http import PATH, application, token_at
    from lyra.observe import tracing
    from lyra.request_limits import RequestLimits

    sys.setswitchinterval(_SWITCH_S)
    # Before numpy is loaded: people are served side by side, and threads of one product would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    stopping = stop_on_signals()
    host, port = listening.getsockname()[:2]
    is_public = not listens_on_loopback(host)
    async with tracing.sending(settings.log.traces_endpoint), Lyra.open(settings, is_apart=True) as lyra:
        path = settings.data_dir / "http-token"
        token = token_at(path)
        shown = f"[{host}]" if ":" in host else host
        root = f"{'https' if tls else 'http'}://{shown}:{port}"
        limits = RequestLimits(lyra.clock, settings.server.max_requests_per_second)
        app = application(lyra, token, limits, is_public=is_public, address=shown)
        if with_ui and tls:
            app = _with_dashboard(app, lyra, token, limits, stopping)
        typer.echo(say("Serving {address}; the token is in {path}", address=root + PATH, path=path), err=True)
        if with_ui and tls:
            typer.echo(say("The dashboard is at {address}; people sign in with their tokens.", address=root), err=True)
        async with _dashboard(lambda: _ready(lyra), with_ui=with_ui and not tls), asyncio.TaskGroup() as group:
            warming = group.create_task(_warm_up(lyra))
            per_address = settings.server.max_connections_per_address
            await serve_until(stopping, app, listening, tls, max_per_address=per_address)
            warming.cancel()


async def _warm_up(lyra: "Lyra") -> None:
    """Load what the first calls need, and keep the garbage collector from looking through it again and again: a look
    through it all takes 90 ms, in which nobody is answered."""
    await lyra.warm_up()
    gc.collect()
    gc.freeze()


def _with_dashboard(
    mcp: "ASGIApp", lyra: "Lyra", token: str, limits: "RequestLimits", stopping: asyncio.Event
) -> "ASGIApp":
    """The MCP server under its paths, and the dashboard of a team under all others."""
    from lyra.mcp.http import PATHS
    from lyra.web.app import team_application

    dashboard = team_application(lyra, token, limits, stopping)

    async def dispatch(scope: "Scope", receive: "Receive", send: "Send") -> None:
        is_mcp = scope["type"] != "http" or scope["path"] in PATHS
        await (mcp if is_mcp else dashboard)(scope, receive, send)

    return dispatch


async def _ready(lyra: "Lyra") -> "Lyra":
    return lyra


@contextlib.asynccontextmanager
async def _dashboard(get_lyra: "Callable[[], Awaitable[Lyra]]", *, with_ui: bool) -> AsyncIterator[None]:
    """The dashboard beside the server, where it was asked for."""
    if not with_ui:
        yield
        return
    from lyra.cli.ui import dashboard_beside

    async with dashboard_beside(get_lyra):
        yield


def stop_on_signals() -> asyncio.Event:
    """Set by the first SIGINT or SIGTERM: everything is closed in order, and unfinished searches are given back."""
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends the process at once
            asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    return stopping
