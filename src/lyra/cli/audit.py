"""`lyra audit`: which works of a bibliography or text do not exist, are retracted, or do not say what is claimed."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.check import progress_line, show_result
from lyra.cli.context import AsJson, complete_task_id, print_json, run
from lyra.text import preview, strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.model.audit import AuditedWork, AuditResult

_NOT_SHOWN = ("abstract", "files")  # of a cited work; `lyra library` has them


def audit(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(help="Bibliography (.bib, .ris, .json), or a text as Markdown, HTML, DOCX or PDF.")
    ],
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="Task whose pages count as sources too.", autocompletion=complete_task_id),
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show also what is in order.")] = False,
    as_json: AsJson = False,
) -> None:
    """Audit somebody else's text: cited works that do not exist, are retracted, or do not say what is claimed.

    Asks the academic APIs that settings allow, and no search engine; what earlier searches know counts too, offline as
    well. Exit code 1 where something is wrong, 4 where no work could be looked up.

    Example: lyra audit references.bib --json
    """
    from lyra.report.audit.auditor import is_bibliography

    async def work(lyra: "Lyra") -> "AuditResult":
        known = await lyra.tasks.get(task) if task else None
        draft = await lyra.drafts.read(file)
        tell = progress_line(say("{done} of {total} works"))
        if is_bibliography(file):
            return await lyra.auditor.bibliography(draft.text, file, known, tell)
        found = await lyra.auditor.draft(draft.text, known, tell)
        return replace(found, remarks=(*draft.remarks, *found.remarks))

    result = run(ctx, work)
    failed = bool(result.failures) or bool(result.statements and result.statements.failures)
    if as_json:
        print_json({"ok": not failed, "file": str(file), **_fields(result)})
    else:
        _show(result, with_all=show_all)
    if failed:
        raise typer.Exit(1)
    if result.is_unanswered:
        raise typer.Exit(4)


def _fields(result: "AuditResult") -> dict[str, Any]:
    from lyra.report.check.fields import result_fields

    fields: dict[str, Any] = {"works": [_work_fields(one) for one in result.works], "remarks": list(result.remarks)}
    return fields if result.statements is None else {**fields, "statements": result_fields(result.statements)}


def _work_fields(one: "AuditedWork") -> dict[str, Any]:
    found = {"title": one.found_title, "authors": list(one.found_authors), "year": one.found_year, "url": one.found_url}
    return {
        "status": one.status.value,
        "sentence": one.sentence,
        "cited": {name: value for name, value in asdict(one.cited).items() if name not in _NOT_SHOWN},
        "found": found if one.found_title else None,
    }


def _show(result: "AuditResult", *, with_all: bool) -> None:
    from lyra.model.audit import WorkStatus

    for one in result.works:
        if with_all or one.status is not WorkStatus.EXISTS:
            lines = [
                f"{one.cited.line}  {say(one.status.value)}  {preview(one.cited.title or one.cited.text, 120)}",
                f"    {translate(one.sentence)}" + (f" {one.found_url}" if one.found_url else ""),
            ]
            typer.echo(strip_control_chars("\n".join(lines)))
    works, wrong = len(result.works), len(result.failures)
    unknown = sum(1 for one in result.works if one.status is WorkStatus.NOT_CHECKED)
    typer.echo(
        say("Works: {works}; wrong: {wrong}; not checked: {unknown}.", works=works, wrong=wrong, unknown=unknown)
    )
    if result.statements is not None:
        show_result(result.statements, with_all=with_all)
