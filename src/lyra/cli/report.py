"""`lyra report`: write a task's report skeleton."""

from pathlib import Path
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, run


def add_to(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    ctx: typer.Context,
    task_id: Annotated[str, typer.Argument(help="Id of the task.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; - for stdout.", show_default="reports/ID.md")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report skeleton: every claim with its quotes, links and confidence.

    Example: lyra report task_1a2b3c4d5e6f -o report.md
    """

    async def work(lyra: Lyra) -> tuple[str, Path]:
        task = await lyra.tasks.get(task_id)
        return await lyra.reporter.markdown(task), output or lyra.settings.reports_dir / f"{task_id}.md"

    text, path = run(ctx, work)
    if str(path) == "-":
        typer.echo(text)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if as_json:
        print_json({"ok": True, "task_id": task_id, "path": str(path)})
    else:
        typer.echo(f"Written to {path}")
