"""`lyra demo`: a whole research session, offline, on a simulated web."""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from lyra.observe import log


def add_to(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(
    keep: Annotated[
        Path | None, typer.Option(help="Directory for what the session makes.", show_default="a new temporary one")
    ] = None,
) -> None:
    """Run a whole research session offline: a real MCP client, a real server, a simulated web.

    Example: lyra demo --keep ./demo
    """
    from lyra.demo.session import demonstrate

    log.configure("warning", None)
    console = Console()
    data_dir = keep or Path(tempfile.mkdtemp(prefix="lyra-demo-"))
    outcome = asyncio.run(demonstrate(data_dir, console))
    console.print(f"\nThe report skeleton: {outcome.report}", soft_wrap=True)
    console.print(f"Done in {outcome.seconds:.0f} s. What next:")
    lyra = Path(sys.argv[0])
    console.print(f"  {lyra} --data-dir {data_dir} task show {outcome.task_id}", soft_wrap=True)
    console.print(f'  {lyra} --data-dir {data_dir} query "select * from v_contradictions"', soft_wrap=True)
    console.print(
        f"  claude mcp add lyra -- {lyra.resolve()} serve      (any MCP client: see the README)", soft_wrap=True
    )
