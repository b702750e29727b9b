"""`lyra doctor`: what works here, what does not, and what to do about it."""

import asyncio
from dataclasses import asdict

import typer
from rich.console import Console
from rich.markup import escape

from lyra.cli.context import AsJson, print_json
from lyra.observe import log


def doctor(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Check this installation: Python, data directory, database, models, isolation, LLM, network settings.

    Example: lyra doctor --json
    """
    from lyra.health import examine

    settings = ctx.obj.settings()
    log.configure(settings.log.level, None)
    findings = asyncio.run(examine(settings, ctx.obj.config))
    if as_json:
        print_json({"ok": all(f.is_fine for f in findings), "checks": [asdict(f) for f in findings]})
    else:
        console = Console()
        for finding in findings:
            sign = "[green]✓[/]" if finding.is_fine else "[red]✗[/]"
            console.print(f"{sign} {finding.name:<14} {escape(finding.detail)}", highlight=False)
            if finding.remedy:
                console.print(f"  {'':<14} → {finding.remedy}", highlight=False, markup=False)
    if not all(f.is_fine for f in findings):
        raise typer.Exit(1)
