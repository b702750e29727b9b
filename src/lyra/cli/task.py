"""`lyra task`: create, list, show, stop and delete research tasks."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, TaskId, print_fields, print_json, print_rows, run, show_answer
from lyra.cli.page_warnings import with_warnings
from lyra.clock import stamp
from lyra.errors import InvalidParams
from lyra.model.task import Budget, Hypothesis, Task, TaskConfig
from lyra.model.task_evidence import TaskEvidence
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.research import CreateTaskAnswer, StatusAnswer
    from lyra.app import Lyra

app = typer.Typer(no_args_is_help=True, help="Create, list, show, stop and delete research tasks.")


@app.command("new")
def new(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(help="The research question.")],
    hypothesis: Annotated[
        list[str] | None, typer.Option("--hypothesis", "-H", help="An atomic claim to judge; may be repeated.")
    ] = None,
    priority_domain: Annotated[
        list[str] | None, typer.Option(help="A domain to read before others; may be repeated.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Main language, such as en or ja: queries derived in it go first.")
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages the task may fetch.", min=1)] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds its searches may run.", min=1)] = None,
    as_json: AsJson = False,
) -> None:
    """Create a task.

    Example: lyra task new "Are DPP-4 inhibitors safe with insulin?" -H "DPP-4 inhibitors cause pancreatitis."
    """
    from lyra.answers.research import CreateTaskAnswer

    async def work(lyra: "Lyra") -> "CreateTaskAnswer":
        defaults = lyra.settings.research
        config = TaskConfig(
            budget=Budget(max_pages or defaults.max_pages, max_seconds or defaults.max_seconds),
            priority_domains=tuple(priority_domain or ()),
            language=language,
            hypotheses=tuple(Hypothesis(text) for text in hypothesis or ()),
        )
        task, claims = await lyra.tasks.create(query, config)
        return CreateTaskAnswer.from_task(task, claims)

    show_answer(run(ctx, work), as_json=as_json)


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the tasks, newest first."""
    tasks = run(ctx, lambda lyra: lyra.tasks.recent(100))
    rows = [
        {
            "task_id": task.id,
            "status": task.status.value,
            "query": task.query,
            "created_at": stamp(task.created_at),
            "pages_used": task.pages_used,
        }
        for task in tasks
    ]
    if as_json:
        print_json(rows)
    elif rows:
        print_rows("Tasks", tuple(rows[0]), rows)
    else:
        typer.echo(say('No tasks yet. Create one: lyra task new "your question"'))


@app.command("show")
def show(
    ctx: typer.Context,
    task_id: TaskId,
    wait: Annotated[float, typer.Option(help="Seconds to wait for a change.", min=0, max=600)] = 0,
    until_done: Annotated[
        bool, typer.Option("--until-done", help="With --wait: wait until no search runs, not for the next change.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the state of a task: its hypotheses with their verdicts, searches, metrics, budget."""
    from lyra.answers.research import StatusAnswer

    async def work(lyra: "Lyra") -> "StatusAnswer":
        report = await lyra.status.wait(task_id, wait, until_done=until_done)
        return await with_warnings(lyra, StatusAnswer.from_report(report))

    show_answer(run(ctx, work), as_json=as_json)


@app.command("digest")
def digest(ctx: typer.Context, task_id: TaskId, as_json: AsJson = False) -> None:
    """Show the digest of a task's graph: the same pages, claims, stances and verdicts give the same one anywhere.

    Example: lyra task digest task_1a2b3c4d5e6f
    """
    from lyra.evidence.task_graph import evidence_of

    async def work(lyra: "Lyra") -> TaskEvidence:
        task = await lyra.tasks.get(task_id)
        return await lyra.db.read(evidence_of, task.id)

    found = run(ctx, work)
    if as_json:
        names = ("pages", "fragments", "claims", "mentions", "edges", "citations")
        counted = {name: len(getattr(found, name)) for name in names}
        print_json({"ok": True, "task_id": task_id, "graph_digest": found.digest, **counted})
    else:
        typer.echo(found.digest)


@app.command("pause")
def pause(ctx: typer.Context, task_id: TaskId, as_json: AsJson = False) -> None:
    """Pause a task: pages being fetched are finished, the rest waits until you resume it, whatever clients ask.

    Example: lyra task pause task_1a2b3c4d5e6f
    """
    _show_status(run(ctx, lambda lyra: lyra.tasks.pause(task_id)), as_json=as_json)


@app.command("resume")
def resume(ctx: typer.Context, task_id: TaskId, as_json: AsJson = False) -> None:
    """Resume a paused task; the next search or server continues it.

    Example: lyra task resume task_1a2b3c4d5e6f
    """
    _show_status(run(ctx, lambda lyra: lyra.tasks.resume(task_id)), as_json=as_json)


def _show_status(task: Task, *, as_json: bool) -> None:
    if as_json:
        print_json({"ok": True, "task_id": task.id, "status": task.status.value, "reason": task.reason})
    else:
        typer.echo(say("{task_id} is {status}.", task_id=task.id, status=translate(task.status.value)))


@app.command("stop")
def stop(
    ctx: typer.Context,
    task_id: TaskId,
    reason: Annotated[str, typer.Option(help="completed, user_cancelled, …")] = "completed",
    as_json: AsJson = False,
) -> None:
    """End a task; its graph stays."""
    from lyra.answers.research import StopTaskAnswer

    stopped = run(ctx, lambda lyra: lyra.tasks.stop(task_id, reason))
    show_answer(StopTaskAnswer.from_stopped(task_id, stopped), as_json=as_json)


@app.command("delete")
def delete(
    ctx: typer.Context,
    task_id: TaskId,
    hard: Annotated[
        bool, typer.Option("--hard", help="Also remove pages that only this task reached and nothing else needs.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a task with its searches, claims and edges; a running search is cancelled.

    With --hard also what was asked: result pages and requests in the archive, log lines, reports in the data directory,
    free pages of the database; and the names of sites that only this task had reached. Page bodies that other tasks
    need stay. Backups, packs and exports are not covered.

    Example: lyra task delete task_1a2b3c4d5e6f --hard --dry-run
    """
    from lyra.research.cleanup import deleted_fields

    if not (yes or dry_run):
        if as_json or not sys.stdin.isatty():
            raise InvalidParams(
                "Deleting cannot be undone.", remedy="Pass --yes to do it, --dry-run to see what it takes."
            )
        question = "Delete {task_id} and the pages only it reached?" if hard else "Delete {task_id} (its pages stay)?"
        typer.confirm(say(question, task_id=task_id), abort=True)
    fields = deleted_fields(run(ctx, lambda lyra: lyra.cleaner.delete(task_id, is_hard=hard, is_dry_run=dry_run)))
    if as_json:
        print_json({"ok": True, **fields})
        return
    print_fields("Would be removed" if dry_run else "Removed", fields["removed"], "table")
    files = fields["archive_files"]
    counts = {"unneeded": len(files["unneeded"]), "removed": len(files["removed"])}
    typer.echo(say("Archive files: {unneeded} no longer needed, {removed} removed.", **counts))
    if hard:
        _show_erased(fields, dry_run=dry_run)
    for left in (*files["left"], *fields["left"]):
        typer.echo(say("! {path} stays: {reason}", path=left["path"], reason=translate(left["reason"])))


@app.command("share")
def share(
    ctx: typer.Context,
    task_id: TaskId,
    off: Annotated[bool, typer.Option("--off", help="Take it back: only its owner and admins see it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let everyone with a token of a shared server read a task.

    Example: lyra task share task_0123456789ab
    """
    task = run(ctx, lambda lyra: lyra.tasks.share(task_id, is_shared=not off))
    fields = {"task_id": task.id, "is_shared": task.is_shared}
    print_json(fields) if as_json else print_fields("Task", fields)


def _show_erased(fields: dict[str, Any], *, dry_run: bool) -> None:
    """What a hard deletion took out of files, and what it cannot reach."""
    records = fields["archive_records"]
    if dry_run:
        typer.echo(say("Archive records that would be erased: {count}.", count=records["to_erase"]))
    else:
        counts = {"erased": records["erased"], "cleaned": records["cleaned"], "lines": fields["log_lines"]}
        typer.echo(
            say(
                "Archive records erased: {erased}; kept without the query: {cleaned}; log lines erased: {lines}.",
                **counts,
            )
        )
    typer.echo(
        say("Sites that only this task had reached, forgotten: {count}.", count=len(fields["sites"]["forgotten"]))
    )
    for site in fields["sites"]["kept"]:
        typer.echo(say("! {domain} is kept: {reason}.", domain=site["domain"], reason=translate(site["reason"])))
    for name in fields["reports"]:
        typer.echo(say("Report removed: {name}", name=name))
    not_covered = say(
        "Not covered: backups and what a restore moved aside; packs, exports and reports written elsewhere; "
        "cookies in the browser's profile, which are your log-ins; questions to you (wait_for_user) that neither name "
        "the task nor repeat what it asked; notes to calibration samples that belong to no judgement."
    )
    typer.echo(not_covered)
