"""`lyra export`: take a task's evidence, sources or report away."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.completion import TaskArgument
from lyra.cli.context import AsJson, print_json, run
from lyra.cli.report import write_text


class Format(StrEnum):
    JSON = "json"
    BIBTEX = "bibtex"
    REPORT = "report"


def export(
    ctx: typer.Context,
    task_id: TaskArgument,
    format_: Annotated[
        Format, typer.Option("--format", "-f", help="json (claims with quotes), bibtex (sources) or report.")
    ] = Format.JSON,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default="stdout")] = None,
    as_json: AsJson = False,
) -> None:
    """Export a task: every claim with its quotes as JSON, the sources as BibTeX, or the report skeleton.

    Example: lyra export task_1a2b3c4d5e6f --format bibtex -o sources.bib
    """

    async def work(lyra: Lyra) -> str:
        task = await lyra.tasks.get(task_id)
        if format_ is Format.JSON:
            return json.dumps(await lyra.reporter.evidence(task), ensure_ascii=False, indent=2) + "\n"
        return await (lyra.reporter.bibtex(task) if format_ is Format.BIBTEX else lyra.reporter.markdown(task))

    text = run(ctx, work)
    is_stdout = output is None or str(output) == "-"
    if not is_stdout:
        assert output is not None
        write_text(output, text)
    if as_json:
        told = {"text": text} if is_stdout else {"path": str(output)}
        print_json({"ok": True, "task_id": task_id, "format": format_.value, **told})
    elif is_stdout:
        typer.echo(text, nl=False)
    else:
        typer.echo(f"Written to {output}")
