"""`lyra serve`: the MCP server for an AI client."""

import asyncio

import typer

from lyra.app import Lyra
from lyra.observe import log


def add_to(app: typer.Typer) -> None:
    @app.command()
    def serve(ctx: typer.Context) -> None:
        """Serve an MCP client over stdio until it hangs up.

        Example: claude mcp add lyra -- lyra serve
        """
        from lyra.mcp.server import serve_stdio

        settings = ctx.obj.settings()
        log.configure(settings.log.level, settings.log_dir)

        async def serving() -> None:
            async with Lyra.open(settings, with_worker=True) as lyra:
                await serve_stdio(lyra)

        asyncio.run(serving())
