"""`lyra report` writes a task's report with its appendix; `lyra export` its evidence, sources and graph."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import AsJson, TaskId, print_json, run
from lyra.cli.output_files import check_file, check_folder, write_bytes, write_folder
from lyra.cli.streams import json_text
from lyra.errors import InvalidParams
from lyra.report.document import Document
from lyra.report.export.names import ExportFormat, export_format_of
from lyra.report.formats import ReportFormat, format_of, render
from lyra.translate import in_language, preferred_language, say

if TYPE_CHECKING:
    from lyra.app import Lyra


def report(
    ctx: typer.Context,
    task_id: TaskId,
    format_: Annotated[
        ReportFormat | None,
        typer.Option("--format", "-f", help="md, html, docx or pdf.", show_default="by the name of the file, else md"),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; - for stdout.", show_default="reports/ID.md")
    ] = None,
    appendix: Annotated[
        Path | None,
        typer.Option(help="File for every quote, source and search.", show_default="beside the report"),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language of the report: en or ja.", show_default="that of messages")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report: the verdicts on one page, a table of evidence, figures and details; the rest as appendix.

    Example: lyra report task_1a2b3c4d5e6f -o report.pdf
    """
    check_file(output)
    check_file(appendix, "--appendix")
    wanted = format_ or format_of(output)
    if format_ is None and appendix is not None and appendix.suffix and format_of(appendix) is not wanted:
        raise InvalidParams(
            f"The report is written as {wanted.value}, and its appendix in the same format.",
            remedy="Name another file with --appendix, or say the format with --format.",
        )
    is_stdout = str(output) == "-"
    if is_stdout and not wanted.is_text and (as_json or sys.stdout.isatty()):
        raise InvalidParams(
            f"A {wanted.value} report cannot be shown as text or within JSON.", remedy="Name a file with --output."
        )

    async def work(lyra: "Lyra") -> tuple[tuple[Document, Document], Path, Path | None]:
        task = await lyra.tasks.get(task_id)
        path = output or lyra.settings.reports_dir / f"{task_id}.{wanted}"
        return await lyra.reporter.documents(task), path, lyra.settings.browser.executable

    with nullcontext() if lang is None else in_language(preferred_language(lang, {})):
        documents, path, browser = run(ctx, work)
        beside = appendix or (None if is_stdout else path.with_suffix(f".appendix.{wanted}"))
        if beside is not None and not is_stdout and beside.absolute() == path.absolute():
            raise InvalidParams(
                "The report and its appendix cannot be one file.", remedy="Name another file with --appendix."
            )
        content, rest = (render(one, wanted, browser) for one in documents)
    if not is_stdout:
        write_bytes(path, content, makes_folder=output is None)
    if beside is not None:
        write_bytes(beside, rest)
    _tell(task_id, wanted, content, None if is_stdout else path, beside, as_json=as_json)


def _tell(
    task_id: str, format_: ReportFormat, content: bytes, path: Path | None, beside: Path | None, *, as_json: bool
) -> None:
    """Say where the files are, or print the report itself."""
    if as_json:
        name = "markdown" if format_ is ReportFormat.MD else format_.value
        written = {name: content.decode()} if path is None else {"path": str(path)}
        print_json({"ok": True, "task_id": task_id, **written, "appendix": None if beside is None else str(beside)})
    elif path is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
    else:
        typer.echo(say("Written to {path}", path=path))
        typer.echo(say("Appendix: {path}", path=beside))


def export(
    ctx: typer.Context,
    task_id: TaskId,
    format_: Annotated[
        ExportFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="json, csv (claims with quotes), bibtex, ris, csl-json (sources), graphml, ro-crate or obsidian "
            "(folders), or report.",
            show_default="by the name of the file, else json",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write; of ro-crate and obsidian a new folder, or a name that ends in .zip.",
            show_default="stdout",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Export a task for other programs: claims with their quotes, sources, the graph, or a folder with all of it.

    Example: lyra export task_1a2b3c4d5e6f --format bibtex -o sources.bib
    """
    from lyra.report.export.formats import zipped

    wanted = format_ or export_format_of(output)
    is_stdout = output is None or str(output) == "-"
    target = None if is_stdout else output
    is_new_folder = wanted.is_folder and target is not None and target.suffix.lower() != ".zip"
    check_folder(target) if is_new_folder else check_file(target)
    if wanted.is_folder and target is None:
        raise InvalidParams(
            f"An export as {wanted.value} is a folder.", remedy="Name a folder or a .zip file with --output."
        )

    async def work(lyra: "Lyra") -> dict[str, bytes]:
        return await lyra.reporter.export(await lyra.tasks.get(task_id), wanted)

    files = run(ctx, work)
    if target is None:
        _print(task_id, wanted, next(iter(files.values())), as_json=as_json)
        return
    if is_new_folder:
        write_folder(target, files)
    else:
        write_bytes(target, zipped(files) if wanted.is_folder else next(iter(files.values())))
    if as_json:
        print_json({"ok": True, "task_id": task_id, "format": wanted.value, "path": str(target)})
    else:
        typer.echo(say("Written to {path}", path=target))


def _print(task_id: str, wanted: ExportFormat, content: bytes, *, as_json: bool) -> None:
    """An export of one file on standard output; JSON in the characters that a terminal has, anything else in UTF-8."""
    if as_json:
        print_json({"ok": True, "task_id": task_id, "format": wanted.value, "text": content.decode()})
    elif wanted in (ExportFormat.JSON, ExportFormat.CSL_JSON):
        typer.echo(json_text(json.loads(content), 2))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
