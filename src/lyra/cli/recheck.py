"""`lyra recheck`: watch tasks, repeat their searches when due, and say what has changed since."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, TaskId, complete_task_id, print_json, print_rows, run
from lyra.clock import stamp
from lyra.errors import InvalidParams
from lyra.model.recheck import Recheck, RecheckRun, RecheckState
from lyra.report import rechecks
from lyra.translate import say

if TYPE_CHECKING:
    from lyra.app import Lyra

app = typer.Typer(no_args_is_help=True, help="Watch tasks: repeat their searches when due and show what has changed.")

_IN_FEED = 100
# Never repeated so far: it waits for its time, as a run without a network waits for one.
_NOT_RUN = RecheckState.WAITING.value
_Feed = Annotated[Path | None, typer.Option("--feed", help="Also write the reports as an Atom feed to this file.")]


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    ATOM = "atom"


@app.command("add")
def add(
    ctx: typer.Context,
    task_id: TaskId,
    every: Annotated[str, typer.Option(help="How often: hours, days or weeks, such as 12h, 7d or 2w.")] = "7d",
    max_pages: Annotated[
        int | None, typer.Option(help="Pages a run may fetch.", min=1, show_default="the task's budget")
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Seconds a run may take.", min=1, show_default="the task's budget")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Watch a task: its searches are repeated at this interval, by `lyra recheck run` or an open server.

    Example: lyra recheck add task_1a2b3c4d5e6f --every 7d
    """
    recheck = run(ctx, lambda lyra: lyra.rechecks.add(task_id, every, max_pages, max_seconds))
    if as_json:
        print_json({"ok": True, **_fields(recheck)})
    else:
        due = stamp(recheck.due_at) if recheck.due_at else ""
        typer.echo(say("{task_id} is watched; it is due at {due}.", task_id=task_id, due=due))


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the watched tasks, the one that is due first first."""
    found = run(ctx, lambda lyra: lyra.rechecks.list())
    rows = [_fields(one) for one in found]
    if as_json:
        print_json(rows)
    elif rows:
        print_rows("Watched tasks", ("task_id", "every", "due_at", "state", "last_finished_at", "query"), rows)
    else:
        typer.echo(say("No task is watched. Watch one: lyra recheck add TASK --every 7d"))


@app.command("remove")
def remove(ctx: typer.Context, task_id: TaskId, as_json: AsJson = False) -> None:
    """Watch a task no longer; the reports made so far stay.

    Example: lyra recheck remove task_1a2b3c4d5e6f
    """
    run(ctx, lambda lyra: lyra.rechecks.remove(task_id))
    if as_json:
        print_json({"ok": True, "task_id": task_id})
    else:
        typer.echo(say("{task_id} is no longer watched.", task_id=task_id))


@app.command("run")
def run_(
    ctx: typer.Context,
    task_id: Annotated[
        str | None,
        typer.Argument(
            help="Only this task, due or not.", show_default="all that are due", autocompletion=complete_task_id
        ),
    ] = None,
    feed: _Feed = None,
    as_json: AsJson = False,
) -> None:
    """Repeat the searches of the tasks that are due, without result caches, and show what has changed.

    Meant for cron; a run that another process has begun is waited for. Without a network a task stays due, and the
    exit code is 1. Example: lyra recheck run --feed ~/lyra.atom
    """
    if feed is not None:
        _check_target(feed)

    async def work(lyra: "Lyra") -> list[tuple[Recheck, RecheckRun | None]]:
        wanted = [task_id] if task_id else [one.task_id for one in await lyra.rechecks.due()]
        started = [await lyra.rechecks.start(one) for one in wanted]
        done = [(one, await lyra.rechecks.wait(one.task_id)) for one in started]
        if feed is not None:
            _write(feed, await _atom(lyra, None))
        return done

    done = run(ctx, work, with_worker=True)
    if as_json:
        print_json({"ok": _is_fine(done), "runs": [_run_fields(one, found) for one, found in done]})
    else:
        _print_runs(done)
    if not _is_fine(done):
        raise typer.Exit(1)


@app.command("show")
def show(
    ctx: typer.Context,
    task_id: TaskId,
    as_format: Annotated[Format, typer.Option("--format", help="text, json, or atom for all reports.")] = Format.TEXT,
    output: Annotated[Path | None, typer.Option(help="File to write to.", show_default="standard output")] = None,
) -> None:
    """Show the last report on a watched task again.

    Example: lyra recheck show task_1a2b3c4d5e6f --format atom --output lyra.atom
    """
    if output is not None:
        _check_target(output)

    async def work(lyra: "Lyra") -> str:
        if as_format is Format.ATOM:
            return (await _atom(lyra, task_id)).decode()
        last = await lyra.rechecks.last(task_id)
        if last is None:
            raise InvalidParams(f"There is no report on {task_id} yet.", remedy="Make one: lyra recheck run TASK.")
        if as_format is Format.JSON:
            from lyra.cli.streams import json_text

            return json_text(rechecks.fields(last), indent=2)
        return "\n".join(rechecks.lines(last, (await lyra.tasks.get(task_id)).query))

    text = run(ctx, work)
    if output is None:
        typer.echo(text)
    else:
        _write(output, f"{text}\n".encode())


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all: a reader of feeds may come at any moment."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


async def _atom(lyra: "Lyra", task_id: str | None) -> bytes:
    """The feed of one task, or of all."""
    runs = await lyra.rechecks.runs(task_id, _IN_FEED)
    queries = {one: (await lyra.tasks.get(one)).query for one in {run.task_id for run in runs}}
    return rechecks.atom_feed(runs, queries, await lyra.rechecks.feed_id(), lyra.clock.now())


def _check_target(path: Path) -> None:
    """Refuse a file that cannot be written before anything is done."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidParams(f"{path} cannot be written.", remedy="Name a file in a directory that exists.")


def _is_fine(done: list[tuple[Recheck, RecheckRun | None]]) -> bool:
    return all(found is not None and found.state is RecheckState.DONE for _, found in done)


def _print_runs(done: list[tuple[Recheck, RecheckRun | None]]) -> None:
    if not done:
        typer.echo(say("No watched task is due."))
    for recheck, found in done:
        if found is None:
            typer.echo(say("{task_id} is paused by a person; it stays due.", task_id=recheck.task_id))
        else:
            typer.echo("\n".join(rechecks.lines(found, recheck.query)))


def _run_fields(recheck: Recheck, found: RecheckRun | None) -> dict[str, Any]:
    if found is None:
        return {"task_id": recheck.task_id, "state": "paused", "reason": "A person has paused the task."}
    return rechecks.fields(found)


def _fields(recheck: Recheck) -> dict[str, Any]:
    return {
        "task_id": recheck.task_id,
        "query": recheck.query,
        "every": _interval(recheck.every_s),
        "every_seconds": recheck.every_s,
        "due_at": stamp(recheck.due_at) if recheck.due_at else None,
        "state": recheck.last_state.value if recheck.last_state else _NOT_RUN,
        "last_run_id": recheck.last_run_id,
        "last_finished_at": stamp(recheck.last_finished_at) if recheck.last_finished_at else None,
        "max_pages": recheck.budget.max_pages,
        "max_seconds": recheck.budget.max_seconds,
    }


def _interval(seconds: int) -> str:
    """As it is written: in days where they are whole."""
    return f"{seconds // 86_400}d" if seconds % 86_400 == 0 else f"{seconds // 3_600}h"
