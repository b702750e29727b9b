"""`lyra serve`: the MCP server for AI clients, over stdio or HTTP on loopback."""

import asyncio
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.observe import log


def add_to(app: typer.Typer) -> None:
    app.command("serve")(serve)


def serve(
    ctx: typer.Context,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP on 127.0.0.1 instead of stdio.")] = False,
    port: Annotated[int, typer.Option(help="Port for --http.", min=1, max=65535)] = 8377,
) -> None:
    """Serve an MCP client over stdio until it hangs up, or many over HTTP on this machine.

    Example: claude mcp add lyra -- lyra serve
    """
    settings = ctx.obj.settings()
    log.configure(settings.log.level, settings.log_dir)

    async def serving() -> None:
        async with Lyra.open(settings, with_worker=True) as lyra:
            if http:
                await _over_http(lyra, port)
            else:
                from lyra.mcp.server import serve_stdio

                await serve_stdio(lyra)

    asyncio.run(serving())


async def _over_http(lyra: Lyra, port: int) -> None:
    from lyra.mcp.http import HOST, PATH, serve_http, token_at

    path = lyra.settings.data_dir / "http-token"
    token = token_at(path)
    typer.echo(f"Serving http://{HOST}:{port}{PATH}; the token is in {path}", err=True)
    await serve_http(lyra, port, token)
