"""`lyra simweb serve`: the simulated web for a person to browse."""

import os
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from lyra.errors import InvalidParams
from lyra.translate import say

app = typer.Typer(no_args_is_help=True, help="The simulated web of the demonstration and the tests.")


@app.command("serve")
def serve(
    port: Annotated[int, typer.Option(help="Port of the proxy; 0 takes a free one.", min=0, max=65535)] = 0,
    socks_port: Annotated[int, typer.Option(help="Port of the SOCKS5 stand-in for Tor.", min=0, max=65535)] = 0,
    directory: Annotated[
        Path | None, typer.Option("--dir", help="Where its certificate authority lies.", show_default="temporary")
    ] = None,
    fault: Annotated[
        list[str] | None,
        typer.Option(help="HOST=KIND or HOST/PATH=KIND, a fault in force from the start; may be repeated."),
    ] = None,
    trouble: Annotated[float, typer.Option(help="Share of requests that fail in passing.", min=0, max=1)] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the faults that strike by chance.")] = 0,
    now: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The day on which the world stands.")
    ] = None,
) -> None:
    """Serve the simulated web until interrupted, and say how a browser reaches it.

    Example: lyra simweb serve --port 8899 --fault 'www.fdso.gov/*=captcha' --trouble 0.1 --seed 7
    """
    from simweb.__main__ import announce, parse_fault
    from simweb.__main__ import serve as serve_web

    try:
        faults = [parse_fault(text) for text in fault or ()]
    except ValueError as exc:
        raise typer.BadParameter(str(exc), param_hint="--fault") from exc
    try:
        serve_web(
            announce=lambda web: announce(web, with_guide=True, say=say),
            port=port,
            socks_port=socks_port,
            directory=directory,
            faults=faults,
            trouble=trouble,
            seed=seed,
            now=now.date() if now else None,
        )
    except OSError as exc:
        reason = os.strerror(exc.errno) if exc.errno else str(exc)
        raise InvalidParams(
            f"The simulated web cannot be served (port {port}): {reason}.",
            remedy="Choose another --port and --dir; without --port a free one is taken.",
        ) from exc
