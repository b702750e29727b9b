"""`lyra engines`: how every search engine stands, and why."""

import math
from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run

_COLUMNS = ("engine", "status", "asked_again", "weight", "sound_1h", "sound_24h", "left_today")
_SITE_COLUMNS = ("site", "successes", "failures", "skipped_on", "last_reason")


def engines(
    ctx: typer.Context,
    query: Annotated[
        str | None, typer.Option(help="A query for whose category the weights are shown.", show_default="a general one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show every engine's health, weight, quota and circuit breaker, and the sites with a search of their own.

    Example: lyra engines --query "DPP-4阻害薬 類天疱瘡" --json
    """

    async def work(lyra: Lyra) -> dict[str, Any]:
        return await lyra.parts.federation.report(query or "")

    told = run(ctx, work)
    if as_json:
        print_json({"ok": True, **told})
        return
    title = f"Engines for {told['category']} questions; a search asks {told['per_search']}"
    rows = [{**row, "asked_again": _again(row["retry_after_s"])} for row in told["engines"]]
    _print_rows(title, _COLUMNS, rows)
    _print_rows("Why", ("engine", "why"), rows)
    if told["sites"]:
        _print_rows("Sites with a search of their own", _SITE_COLUMNS, told["sites"])


def _print_rows(title: str, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    print_table(title, columns, [tuple(row[name] for name in columns) for row in rows])


def _again(wait_s: float | None) -> str | None:
    """When an engine that rests is asked again, in minutes, or in hours where these are many."""
    if wait_s is None:
        return None
    return f"in {math.ceil(wait_s / 60)} min" if wait_s <= 7200 else f"in {math.ceil(wait_s / 3600)} h"
