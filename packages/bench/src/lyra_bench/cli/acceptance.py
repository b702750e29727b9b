"""`lyra bench acceptance`: every acceptance criterion on the simulated web."""

import asyncio
import functools
from typing import Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_table

_WORDS = {True: "yes", False: "no", None: "not measured in full"}


def acceptance(
    only: Annotated[str | None, typer.Option(help="Criteria to measure, such as A3,A7.", show_default="all")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One topic and fewer samples: minutes, and figures that say less.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Draws which addresses meet which fault.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Measure the acceptance criteria A1 to A21 on the simulated web: figure, bar, met or not, and how.

    All of them take up to an hour on two cores; progress goes to stderr. The exit code is 1 where one is missed.
    Example: lyra bench acceptance --only A3,A7 --json
    """
    from lyra_bench.measure.acceptance.criteria import chosen, measure_acceptance

    tell = functools.partial(typer.echo, err=True)
    found = asyncio.run(measure_acceptance(chosen(only), seed=seed, is_quick=quick, tell=tell))
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
