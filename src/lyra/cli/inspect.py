"""`lyra inspect`: look at what single parts make of a file."""

import contextlib
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_fields, run
from lyra.cli.streams import json_text
from lyra.errors import InvalidParams, LyraError
from lyra.text import strip_control_chars, visible_fields
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.extract.reader import DocumentReader

Files = Annotated[list[Path], typer.Argument(help="Files to read.")]


app = typer.Typer(no_args_is_help=True, help="Show how one step reads a file.")


@app.command("extract")
def extract(ctx: typer.Context, files: Files, as_json: AsJson = False) -> None:
    """Read pages or PDFs as Lyra does, scanned sheets too; one JSON object a line with --json.

    Example: lyra inspect extract page.html --json
    """
    from lyra.extract.reader import inspect_file

    with _reader(ctx) as reader:
        rows = _each(files, lambda path: inspect_file(path, reader))
        _show(rows, as_json=as_json, text=lambda row: "\n".join([*row["remarks"], row["text"]]))


@app.command("claims")
def claims(ctx: typer.Context, files: Files, as_json: AsJson = False) -> None:
    """Show the checkable statements of pages or PDFs, with their exact place in the text.

    Example: lyra inspect claims page.html --json
    """
    from lyra.research.inspect import claims_of_file

    with _reader(ctx) as reader:
        _show(
            _each(files, lambda path: claims_of_file(path, reader)),
            as_json=as_json,
            text=lambda row: "\n".join(f"- {claim['text']}" for claim in row["claims"]),
        )


@app.command("injection")
def injection(ctx: typer.Context, files: Files, as_json: AsJson = False) -> None:
    """Find text that gives orders to an AI in pages or PDFs, hidden text too; one JSON object a line with --json.

    Example: lyra inspect injection page.html --json
    """
    from lyra.research.inspect import injections_of_file

    with _reader(ctx) as reader:
        _show(
            _each(files, lambda path: injections_of_file(path, reader)),
            as_json=as_json,
            text=lambda row: "\n".join(map(_finding_text, row["findings"])) or say("nothing found"),
        )


def _finding_text(found: dict[str, Any]) -> str:
    place = say("hidden") if found["is_hidden"] else f"{found['start']}–{found['end']}"
    return f"- {found['severity']} {found['kind']} ({place}, {found['score']})"


@app.command("serp")
def serp(
    ctx: typer.Context,
    engine: Annotated[str, typer.Argument(help="Engine whose result pages these are.")],
    files: Annotated[list[Path], typer.Argument(help="Files to read, or records of the archive (urn:uuid:…).")],
    read_on: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Day on which the pages were saved; “3 days ago” counts from it."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Parse saved result pages, and those that searches have archived: `lyra log TASK` names their records.

    Example: lyra inspect serp mojeek results.html --json
    """
    from lyra.research.inspect import serp_of_file, serp_of_record

    day = read_on.date() if read_on else None

    def read(path: Path) -> dict[str, Any]:
        if not path.name.lstrip("<").startswith("urn:uuid:"):
            return serp_of_file(engine, path, day)
        try:
            return serp_of_record(engine, run(ctx, lambda lyra: lyra.proofs.record(path.name)), day)
        except LyraError as exc:
            return {"file": path.name, **exc.fields()}

    _show(_each(files, read), as_json=as_json, text=_serp_text)


@app.command("challenge")
def challenge(files: Files, as_json: AsJson = False) -> None:
    """Say whether saved pages are challenges, log-ins or refusals instead of the page, or what else they are.

    Example: lyra inspect challenge page.html --json
    """
    from lyra.fetch.classify import inspect_challenge

    _show(
        _each(files, inspect_challenge),
        as_json=as_json,
        text=lambda row: f"{row['challenge'] or 'no challenge'}, {row['page_state']}: {row['evidence'] or '-'}",
    )


def _serp_text(row: dict[str, Any]) -> str:
    """Outcome, its reason, and the results."""
    head = f"{row['outcome']}: {row['reason']}" if row["reason"] else row["outcome"]
    return "\n".join([head, *(f"- {hit['date'] or '':10} {hit['title']} {hit['url']}" for hit in row["results"])])


@app.command("stance")
def stance(
    ctx: typer.Context,
    premise: Annotated[str | None, typer.Option(help="What a text says.")] = None,
    hypothesis: Annotated[str | None, typer.Option(help="The claim it is judged against.")] = None,
    file: Annotated[Path | None, typer.Option(help="JSONL with premise and hypothesis instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge pairs as Lyra does and show how the stance came about; one JSON object a line with --json.

    Example: lyra inspect stance --premise "It fell by 12 %." --hypothesis "It rose." --json
    """
    from lyra.claims.inspect_stance import inspect_stance, read_texts

    is_pair = bool(premise and premise.strip() and hypothesis and hypothesis.strip()) and file is None
    if is_pair == (file is not None and premise is None and hypothesis is None):
        raise InvalidParams(
            "Either --premise and --hypothesis, neither empty, or --file alone must be given.",
            remedy="See `lyra inspect stance --help`.",
        )
    pairs = read_texts(file) if file else [(premise or "", hypothesis or "")]

    async def judge(lyra: "Lyra") -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        return await inspect_stance(lyra.judge, pairs), lyra.status.troubles()

    rows, troubles = run(ctx, judge)
    for trouble in troubles:
        typer.echo(f"! {translate(trouble)}", err=True)
    for row in rows:
        if as_json:
            _print_line(row)
        else:
            print_fields("Stance", row)


@contextlib.contextmanager
def _reader(ctx: typer.Context) -> "Iterator[DocumentReader]":
    """Reads every file of one command; PDFs share one process."""
    from lyra.extract.reader import DocumentReader

    reader = DocumentReader(ctx.obj.settings().models)
    try:
        yield reader
    finally:
        reader.close_blocking()


def _each(files: list[Path], read: Callable[[Path], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (read(path) for path in files)


def _show(rows: Iterator[dict[str, Any]], *, as_json: bool, text: Callable[[dict[str, Any]], str]) -> None:
    """One line or one block a file; the exit code is 2 where a file could not be read."""
    has_failed = False
    for row in rows:
        failed = "error_code" in row
        has_failed = has_failed or failed
        if as_json:
            _print_line(row)
        elif failed:
            typer.echo(f"{row['file']}: {row['error']}", err=True)
        else:
            typer.echo(strip_control_chars(f"{row['file']}: {row.get('title', '')}\n{text(row)}\n"))
    if has_failed:
        raise typer.Exit(2)


def _print_line(row: dict[str, Any]) -> None:
    """One JSON object a line; an error has `ok` false. Places count unseen characters too."""
    typer.echo(json_text(visible_fields({"ok": True} | row)))
