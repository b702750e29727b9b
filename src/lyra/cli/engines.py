"""`lyra engines`: how every search engine stands, and why."""

from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run

_COLUMNS = ("engine", "status", "weight", "breaker", "sound_1h", "sound_24h", "captcha_24h", "left_today", "why")


def add_to(app: typer.Typer) -> None:
    app.command("engines")(engines)


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
        return await lyra.kit.federation.report(query or "")

    told = run(ctx, work)
    if as_json:
        print_json({"ok": True, **told})
        return
    title = f"Engines for {told['category']} questions; a search asks {told['per_search']}"
    print_table(title, _COLUMNS, [tuple(row[name] for name in _COLUMNS) for row in told["engines"]])
    if told["sites"]:
        columns = ("site", "successes", "failures", "skipped_on", "last_reason")
        print_table(
            "Sites with a search of their own", columns, [tuple(row[c] for c in columns) for row in told["sites"]]
        )
