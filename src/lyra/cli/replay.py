"""`lyra replay`: run a task again from its journal and the archive, and compare the two graphs."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, TaskId, print_json, print_table, run
from lyra.errors import InvalidParams, SettingsError
from lyra.model.edge import LARGE_READER, SMALL_READER, STRONG_READER
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.replay.difference import ClaimDifference
    from lyra.replay.replay import Replay

_CLAIMS_SHOWN = 30
_STANCES_SHOWN = 40


class ReaderChoice(StrEnum):
    STRONG = "strong"
    BOTH = "both"
    SMALL = "small"


READERS = {
    ReaderChoice.STRONG: (SMALL_READER, LARGE_READER, STRONG_READER),
    ReaderChoice.BOTH: (SMALL_READER, LARGE_READER),
    ReaderChoice.SMALL: (SMALL_READER,),
}


def replay(
    ctx: typer.Context,
    task_id: TaskId,
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="Settings file whose evidence and models are tried instead of those of then."),
    ] = None,
    reader: Annotated[
        ReaderChoice | None,
        typer.Option(
            help="Readers that judge: both, the strong one too, or the small one alone.", show_default="those of then"
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(help="Directory for the replayed data; it must not exist.", show_default="a temporary one"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a task again from its journal and the archive, without network, and compare the two graphs.

    Exit code 0 means that the graph is the same, or that other settings or models were tried on purpose.

    Example: lyra replay task_1a2b3c4d5e6f --reader small --json
    """
    from lyra import settings as settings_module
    from lyra.replay.replay import replay_fields

    if settings is not None and not settings.exists():
        told = f"The settings file {settings} does not exist."
        raise SettingsError(told, remedy="Name another file with --settings.")
    others = None if settings is None else settings_module.load(ctx.obj.flags, path=settings)
    _check_directory(ctx, keep)

    async def work(lyra: "Lyra") -> "Replay":
        from lyra.app import ReplayOptions, replay_task

        options = ReplayOptions(others, None if reader is None else READERS[reader], keep)
        return await replay_task(lyra, task_id, options, _tell)

    found = run(ctx, work)
    if sys.stderr.isatty():
        typer.echo("", err=True)
    is_trial = settings is not None or reader is not None
    if as_json:
        print_json({"ok": True, "is_same": found.is_same, **replay_fields(found)})
    else:
        _show(found)
    if not found.is_same and not (is_trial and found.result.value != "incomplete"):
        raise typer.Exit(1)


def _check_directory(ctx: typer.Context, keep: Path | None) -> None:
    if keep is None:
        return
    if keep.exists():
        raise InvalidParams(f"{keep} exists already; it was left untouched.", remedy="Choose another directory.")
    if keep.resolve().is_relative_to(ctx.obj.settings().data_dir.resolve()):
        raise InvalidParams("A replay is not written into the data directory.", remedy="Choose another directory.")


def _tell(done: int, of: int) -> None:
    if sys.stderr.isatty():
        typer.echo("\r" + say("{done} of {total} pages read again", done=done, total=of), err=True, nl=False)


def _show(found: "Replay") -> None:
    typer.echo(_result(found))
    typer.echo(say("replayed {digest}", digest=found.digest))
    typer.echo(say("stored   {digest}", digest=found.digest_stored))
    for one in found.other_means:
        typer.echo(say("other than then: {what}", what=one))
    for problem in found.problems:
        told = strip_control_chars(f"! {problem.url}: {translate(problem.problem)}")
        typer.echo(told, err=True)
    _show_difference(found)


def _result(found: "Replay") -> str:
    if found.result.value == "equal":
        return say("The same graph: {pages} pages were read again from the archive.", pages=found.pages)
    if found.result.value == "nothing":
        return say("There is nothing to replay: the task has read no page.")
    if found.result.value == "since_changed":
        return say("The same graph as at the end of the last search; the stored one was changed since.")
    if found.result.value == "incomplete":
        missing = sum(one.is_missing for one in found.problems)
        told = "Incomplete: of the archive {missing} records are missing or damaged; the rest was replayed."
        return say(told, missing=missing)
    return say("Another graph.")


def _show_difference(found: "Replay") -> None:
    difference = found.difference
    if not difference.changed:
        return
    counts: dict[str, Any] = {
        "changed": len(difference.changed),
        "claims": difference.claims,
        "verdicts": difference.verdicts_changed,
        "stances": difference.stances_changed,
    }
    told = "{changed} of {claims} claims differ: {verdicts} verdicts and {stances} stances are others."
    typer.echo(say(told, **counts))
    rows = [_row(one) for one in difference.changed[:_CLAIMS_SHOWN]]
    print_table("Claims", ("verdict", "confidence", "for", "against", "claim"), rows)
    stances = [
        (_arrow(translate(one.before), translate(one.after)), one.url, one.text, claim.claim)
        for claim in difference.changed
        for one in claim.stances
    ]
    if stances:
        print_table("Stances", ("stance", "url", "text", "claim"), stances[:_STANCES_SHOWN])
    if len(difference.changed) > _CLAIMS_SHOWN or len(stances) > _STANCES_SHOWN:
        typer.echo(say("The rest is in --json."))


def _row(one: "ClaimDifference") -> tuple[str, ...]:
    before, after = one.before, one.after
    return (
        _arrow(*(translate(side.verdict) if side else say("no such claim") for side in (before, after))),
        _arrow(*(f"{side.confidence:.2f}" if side else "" for side in (before, after))),
        _arrow(*(str(side.supporting_count) if side else "" for side in (before, after))),
        _arrow(*(str(side.refuting_count) if side else "" for side in (before, after))),
        one.claim,
    )


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"
