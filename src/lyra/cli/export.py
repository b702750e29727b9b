"""`lyra report` writes a task's report skeleton; `lyra export` its evidence, sources or report."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, TaskId, print_json, run
from lyra.errors import InvalidParams
from lyra.translate import say


def report(
    ctx: typer.Context,
    task_id: TaskId,
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
        typer.echo(text if str(path) == "-" else say("Written to {path}", path=path))


def write_text(path: Path, text: str) -> None:
    """Write a file the user named. Raises InvalidParams where that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise InvalidParams(
            f"{path} cannot be written: {exc.strerror}.", remedy="Choose another file with --output."
        ) from exc


class ExportFormat(StrEnum):
    JSON = "json"
    BIBTEX = "bibtex"
    REPORT = "report"


def export(
    ctx: typer.Context,
    task_id: TaskId,
    format_: Annotated[
        ExportFormat, typer.Option("--format", "-f", help="json (claims with quotes), bibtex (sources) or report.")
    ] = ExportFormat.JSON,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default="stdout")] = None,
    as_json: AsJson = False,
) -> None:
    """Export a task: every claim with its quotes as JSON, the sources as BibTeX, or the report skeleton.

    Example: lyra export task_1a2b3c4d5e6f --format bibtex -o sources.bib
    """

    async def work(lyra: Lyra) -> str:
        task = await lyra.tasks.get(task_id)
        if format_ is ExportFormat.JSON:
            return json.dumps(await lyra.reporter.evidence(task), ensure_ascii=False, indent=2) + "\n"
        return await (lyra.reporter.bibtex(task) if format_ is ExportFormat.BIBTEX else lyra.reporter.markdown(task))

    text = run(ctx, work)
    is_stdout = output is None or str(output) == "-"
    if not is_stdout:
        assert output is not None
        write_text(output, text)
    if as_json:
        written = {"text": text} if is_stdout else {"path": str(output)}
        print_json({"ok": True, "task_id": task_id, "format": format_.value, **written})
    elif is_stdout:
        typer.echo(text, nl=False)
    else:
        typer.echo(say("Written to {path}", path=output))
