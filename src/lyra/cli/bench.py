"""`lyra bench`: measure what is slow to measure."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from lyra.cli.context import AsJson, print_json, print_table


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True)
    group.command("start")(start)
    app.add_typer(group, name="bench", help="Measure what is slow to measure.")


def start(
    runs: Annotated[int, typer.Option(help="Fresh processes to start.", min=1)] = 5, as_json: AsJson = False
) -> None:
    """Time from starting `lyra serve` to its first answer, and its memory before models are loaded.

    Example: lyra bench start --json
    """
    from lyra.bench.start import measure_start

    figures = asdict(asyncio.run(measure_start(runs)))
    if as_json:
        print_json(figures)
    else:
        print_table("Start", ("figure", "value"), list(figures.items()))
