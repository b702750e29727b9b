"""`lyra simweb serve`: the simulated web for a person to browse."""

from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True)
    group.command("serve")(serve)
    app.add_typer(group, name="simweb", help="The simulated web of the demonstration and the tests.")


def serve(
    port: Annotated[int, typer.Option(help="Port of the proxy; 0 takes a free one.", min=0, max=65535)] = 0,
    directory: Annotated[
        Path | None, typer.Option("--dir", help="Where its certificate authority lies.", show_default="temporary")
    ] = None,
) -> None:
    """Serve the simulated web until interrupted, and say how a browser reaches it.

    Example: lyra simweb serve --port 8899
    """
    from simweb.__main__ import announce
    from simweb.__main__ import serve as serve_web

    raise typer.Exit(serve_web(announce=lambda web: announce(web, with_guide=True), port=port, directory=directory))
