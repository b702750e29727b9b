"""`lyra report` writes a task's report with its appendix; `lyra export` its evidence, sources or report."""

import errno
import json
import os
import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, TaskId, print_json, run
from lyra.cli.streams import json_text
from lyra.errors import InvalidParams
from lyra.report.document import Document
from lyra.report.formats import ReportFormat, format_of, render
from lyra.translate import in_language, preferred_language, say


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

    async def work(lyra: Lyra) -> tuple[tuple[Document, Document], Path, Path | None]:
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


def check_file(path: Path | None, option: str = "--output") -> None:
    """Raises InvalidParams where a file that the user named is a folder, or its folder is not there; none is made."""
    if path is None:
        return
    if path.is_dir():
        strerror = os.strerror(errno.EISDIR)
        raise InvalidParams(f"{path} cannot be written: {strerror}.", remedy=f"Choose another file with {option}.")
    if not path.parent.is_dir():
        raise InvalidParams(
            f"{path} cannot be written: there is no folder {path.parent}.",
            remedy=f"Make the folder first, or choose another file with {option}.",
        )


def write_text(path: Path, text: str, *, makes_folder: bool = False) -> None:
    """Write a file. Raises InvalidParams where that is not possible; only Lyra's own folders are made."""
    write_bytes(path, text.encode(), makes_folder=makes_folder)


def write_bytes(path: Path, content: bytes, *, makes_folder: bool = False) -> None:
    """Write a file. Raises InvalidParams where that is not possible; only Lyra's own folders are made."""
    try:
        if makes_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
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
    """Export a task: every claim with its quotes as JSON, the sources as BibTeX, or the report as Markdown.

    Example: lyra export task_1a2b3c4d5e6f --format bibtex -o sources.bib
    """

    check_file(output)
    is_stdout = output is None or str(output) == "-"

    async def work(lyra: Lyra) -> str:
        task = await lyra.tasks.get(task_id)
        if format_ is ExportFormat.JSON:
            evidence = await lyra.reporter.evidence(task)
            return (json_text(evidence, 2) if is_stdout else json.dumps(evidence, ensure_ascii=False, indent=2)) + "\n"
        return await (lyra.reporter.bibtex(task) if format_ is ExportFormat.BIBTEX else lyra.reporter.markdown(task))

    text = run(ctx, work)
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
