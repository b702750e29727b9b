"""`lyra bench library`: how fast the user's own documents are indexed."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from lyra.cli.context import AsJson, print_json, print_table


def library(
    documents: Annotated[int, typer.Option(help="Documents to make and index.", min=20)] = 1000,
    as_json: AsJson = False,
) -> None:
    """Index made documents of every format: documents a second, a stopped run resumed, searching meanwhile.

    Example: lyra bench library --documents 200 --json
    """
    from lyra_bench.measure.library import measure_library

    def tell(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            typer.echo(f"{done} of {total} documents", err=True)

    figures = asdict(asyncio.run(measure_library(documents, tell)))
    if as_json:
        print_json(figures)
    else:
        print_table("Library", ("figure", "value"), list(figures.items()))
