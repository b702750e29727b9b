"""`lyra check`: verify every citation, quotation, figure and statement of a text against what a task has read."""

import functools
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import AsJson, complete_task_id, print_json, run
from lyra.text import preview, strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.model.check import CheckResult, Finding

_SHOWN_CHARS = 300


def check(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="Text to check: Markdown, plain text, HTML, DOCX or PDF.")],
    task: Annotated[str, typer.Option("--task", "-t", help="Id of the task.", autocompletion=complete_task_id)],
    show_all: Annotated[bool, typer.Option("--all", help="Show also what is in order.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a text against what a task has read: every citation, quotation, figure and cited statement.

    Exit code 1 where something is wrong. Example: lyra check draft.md --task task_1a2b3c4d5e6f
    """

    async def work(lyra: "Lyra") -> "CheckResult":
        known = await lyra.tasks.get(task)
        draft = await lyra.drafts.read(file)
        result = await lyra.checker.check(draft.text, known, progress_line(say("{done} of {total} sentences")))
        return replace(result, remarks=(*draft.remarks, *result.remarks))

    result = run(ctx, work)
    if as_json:
        from lyra.report.check.fields import result_fields

        print_json({**result_fields(result), "task_id": task, "file": str(file)})
    else:
        show_result(result, with_all=show_all)
    if result.failures:
        raise typer.Exit(1)


def progress_line(words: str) -> "functools.partial[None]":
    """Tells on a terminal's standard error how far the work is; elsewhere nothing."""
    return functools.partial(_tell, words, sys.stderr.isatty())


def _tell(words: str, is_shown: bool, done: int, total: int) -> None:
    if is_shown and total:
        line = words.replace("{done}", str(done)).replace("{total}", str(total))
        typer.echo("\r\x1b[K" if done >= total else f"\r\x1b[K{line}", err=True, nl=False)


def show_result(result: "CheckResult", *, with_all: bool) -> None:
    """What failed or was not understood, each with the passage that decides; then how much was checked."""
    from lyra.model.check import CheckStatus
    from lyra.report.check.fields import count_wrong

    for remark in result.remarks:
        typer.echo(f"! {strip_control_chars(translate(remark))}", err=True)
    for one in result.findings:
        if with_all or one.status is not CheckStatus.RESOLVED:
            _show(one)
    failed, checked = count_wrong(result), len(result.findings)
    rest = result.unchecked_sentences
    typer.echo(say("Checked: {checked}; wrong: {failed}.", checked=checked, failed=failed))
    if rest:
        typer.echo(say("Sentences that were compared with nothing: {rest}.", rest=rest))


def _status(one: "Finding") -> str:
    """In Japanese, what is in order is 確認済み; "resolved" alone is a solved item of the queue there."""
    from lyra.model.check import CheckStatus

    return say("confirmed") if one.status is CheckStatus.RESOLVED else say(one.status.value)


def _show(one: "Finding") -> None:
    lines = [
        f"{one.place.line}:{one.place.column}  {_status(one)}  {preview(one.text, 120)}",
        f"    {translate(one.sentence)}",
    ]
    if one.difference:
        lines.append(f"    {say('Difference')}: {preview(one.difference, _SHOWN_CHARS)}")
    if one.passage is not None and one.passage.quote:
        page = "" if one.passage.page_number is None else say(", page {number}", number=one.passage.page_number)
        lines.append(f"    {say('Source')}: “{preview(one.passage.quote, _SHOWN_CHARS)}” {one.passage.url}{page}")
    typer.echo(strip_control_chars("\n".join(lines)))
