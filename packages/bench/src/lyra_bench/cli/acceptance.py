"""`lyra bench acceptance`: every acceptance criterion on the simulated web."""

import asyncio
import functools
from pathlib import Path
from typing import Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_table
from lyra.cli.output_files import check_file, write_text
from lyra.cli.streams import json_text

_WORDS = {True: "yes", False: "no", None: "not measured in full"}


def acceptance(
    only: Annotated[str | None, typer.Option(help="Criteria to measure, such as A3,A7.", show_default="all")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One topic and fewer samples: minutes, and figures that say less.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Draws which addresses meet which fault.")] = 1,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File for the JSON, written after each criterion: a broken run loses none."
        ),
    ] = None,
    topic_minutes: Annotated[
        float, typer.Option(min=1.0, help="Time for the research on one topic; queries that are left then are named.")
    ] = 12.0,
    kept: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for what came of each topic; a later run goes on with those in it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the acceptance criteria A1 to A21 on the simulated web: figure, bar, met or not, and how.

    All of them take at most two hours on two cores, usually one; progress goes to stderr. With --keep a run that was
    broken off goes on where it was. The exit code is 1 where one is missed.
    A4 to A8, A10 to A13, A16, A17 and A19 need the research on every topic, which takes most of the time and is done
    once for all of them.
    Example: lyra bench acceptance --keep acceptance -o acceptance.json
    """
    from lyra_bench.measure.acceptance.criteria import chosen, measure_acceptance

    tell = functools.partial(typer.echo, err=True)
    criteria = chosen(only)
    check_file(output)

    def keep(so_far: dict[str, Any]) -> None:
        if output is not None:
            write_text(output, json_text(so_far) + "\n")

    found = asyncio.run(
        measure_acceptance(
            criteria, seed=seed, is_quick=quick, topic_minutes=topic_minutes, kept=kept, tell=tell, keep=keep
        )
    )
    if as_json:
        print_json(found)
    else:
        rows = [row for name, one in found["criteria"].items() for row in _rows(name, one)]
        print_table("Acceptance", ("criterion", "figure", "value", "bar", "met"), rows)
    if found["missed"]:
        raise typer.Exit(1)


def _rows(name: str, one: dict[str, Any]) -> list[tuple[Any, ...]]:
    """A row for each figure; what was not measured says why."""
    values = one["value"] if isinstance(one["value"], dict) else {one["title"]: one["value"]}
    bars = one["bar"] if isinstance(one["bar"], dict) else {one["title"]: one["bar"]}
    missing = one.get("not_measured", {})
    return [
        (name, part, f"? {missing.get(part, '')}" if value is None else value, bars[part], _WORDS[one["met"]])
        for part, value in values.items()
    ]
