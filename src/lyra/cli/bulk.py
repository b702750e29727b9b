"""`lyra bulk`: read a collection on many processes or machines, and take what was read into a task."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from lyra.cli.context import AsJson, complete_task_id, print_fields, print_json, print_table, run
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.bulk.importing import ImportReport
    from lyra.bulk.parts import Problem
    from lyra.bulk.run import BulkReport

_READ = "read"
_PROBLEMS_SHOWN = 20


class _ReadByDefault(TyperGroup):
    """`lyra bulk SOURCE` is `lyra bulk read SOURCE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_own = not args or args[0] in self.commands or args[0] in ("--help", "-h")
        return super().parse_args(ctx, args if is_own else [_READ, *args])


class Engine(StrEnum):
    LOCAL = "local"
    RAY = "ray"


app = typer.Typer(
    cls=_ReadByDefault,
    help="Read a collection (folders, WARC files, object stores) on many processes or machines, and import it.",
)
Task = Annotated[
    str, typer.Option("--task", help="Task whose question and hypotheses count.", autocompletion=complete_task_id)
]


@app.command(_READ)
def read(
    ctx: typer.Context,
    sources: Annotated[
        list[str], typer.Argument(help="Folders, files, WARC files, or addresses such as s3://bucket/crawl.")
    ],
    task: Task,
    engine: Annotated[Engine, typer.Option(help="local: processes here; ray: a Ray cluster.")] = Engine.LOCAL,
    workers: Annotated[
        int | None, typer.Option(help="Workers, each with models of its own.", show_default="one a core", min=1)
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="Folder or address for the Parquet files.", show_default="bulk/TASK in the data")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Ray cluster, such as auto or ray://head:10001.", show_default="a new local one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read a collection: fragments, claims, vectors and stances on the task's hypotheses, as Parquet files.

    Nothing of it is in the task before lyra bulk import. What was interrupted goes on with the same command; files that
    can never be read are listed, and exit code 1 means that some were not read this time.

    Example: lyra bulk crawl/ --task task_1a2b3c4d5e6f --engine ray --workers 4
    """
    from lyra.bulk.run import BulkJob, read_collection

    job = BulkJob(tuple(sources), task, out, engine.value, workers, address, _tell)

    async def work(lyra: "Lyra") -> "BulkReport":
        return await read_collection(lyra, job)

    report = run(ctx, work)
    _end_line()
    if as_json:
        print_json({"ok": not report.not_read, **report.fields()})
    else:
        _show_read(report)
    if report.not_read:
        raise typer.Exit(1)


@app.command("import")
def import_(
    ctx: typer.Context,
    task: Task,
    out: Annotated[
        str | None, typer.Argument(help="Folder or address of the Parquet files.", show_default="bulk/TASK in the data")
    ] = None,
    archive: Annotated[
        bool, typer.Option(help="Copy the bytes of every page into the archive, so that quotes can be proven.")
    ] = True,
    bearing: Annotated[bool, typer.Option("--bearing", help="Only pages that take a side on a hypothesis.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take what was read into the task: pairs across documents, independence and verdicts, as a search would.

    An import that was interrupted goes on with the same command; a second one changes nothing.

    Example: lyra bulk import --task task_1a2b3c4d5e6f
    """

    async def work(lyra: "Lyra") -> "ImportReport":
        from lyra.bulk.importing import ImportOptions, import_bulk
        from lyra.bulk.run import folder_of

        options = ImportOptions(is_archived=archive, only_bearing=bearing, tell=_tell)
        return await import_bulk(lyra, folder_of(lyra.settings, task, out), task, options)

    report = run(ctx, work)
    _end_line()
    if as_json:
        print_json({"ok": True, **asdict(report)})
    else:
        _show_import(report)


def _tell(done: int, of: int) -> None:
    if sys.stderr.isatty():
        typer.echo("\r" + say("{done} of {total} documents", done=done, total=of), err=True, nl=False)


def _end_line() -> None:
    if sys.stderr.isatty():
        typer.echo("", err=True)


def _show_read(report: "BulkReport") -> None:
    figures: Mapping[str, Any] = report.fields()
    names = ("documents", "read", "known", "failed_count", "not_read_count", "workers", "seconds", "out")
    print_fields("Bulk", {name: figures[name] for name in names})
    _show_problems("Can never be read", report.failed)
    _show_problems("Not read this time", report.not_read)
    for one in report.without_models:
        typer.echo(say("! {worker} was not used: {reason}", worker=one.file, reason=translate(one.reason)), err=True)
    if report.not_read:
        typer.echo(say("Run the same command again to read the rest."), err=True)


def _show_import(report: "ImportReport") -> None:
    names = ("search_id", "imported", "known", "left_out", "failed", "digest")
    found = asdict(report)
    print_fields("Import", {name: found[name] for name in names})
    typer.echo(
        say(
            "Of what the models say, {recalled} answers were recalled and {asked} asked here.",
            recalled=sum(report.recalled.values()),
            asked=sum(report.asked.values()),
        )
    )
    if report.has_other_models:
        typer.echo(say("The pages were read with other models: everything was asked again."), err=True)
    _show_problems("Not archived", report.not_archived)


def _show_problems(title: str, found: "Sequence[Problem]") -> None:
    if found:
        rows = [(one.file, translate(one.reason)) for one in found]
        print_table(title, ("file", "reason"), rows[:_PROBLEMS_SHOWN])
    if len(found) > _PROBLEMS_SHOWN:
        typer.echo(say("The rest is in --json."))
