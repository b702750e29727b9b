"""`lyra report`: write a task's report skeleton."""

from pathlib import Path
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.completion import TaskArgument
from lyra.cli.context import AsJson, print_json, run
from lyra.errors import InvalidParams


def report(
    ctx: typer.Context,
    task_id: TaskArgument,
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
    if str(path) != "-":
        write_text(path, text)
    if as_json:
        written = {"markdown": text} if str(path) == "-" else {"path": str(path)}
        print_json({"ok": True, "task_id": task_id, **written})
    else:
        typer.echo(text if str(path) == "-" else f"Written to {path}")


def write_text(path: Path, text: str) -> None:
    """Write a file the user named. Raises InvalidParams where that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise InvalidParams(
            f"{path} cannot be written: {exc.strerror}.", remedy="Choose another file with --output."
        ) from exc
