"""`lyra inspect`: look at what single parts make of a file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from lyra.cli.context import AsJson, print_table, run
from lyra.errors import InvalidParams

Files = Annotated[list[Path], typer.Argument(help="Files to read.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True)
    group.command("extract")(extract)
    group.command("claims")(claims)
    group.command("serp")(serp)
    group.command("stance")(stance)
    app.add_typer(group, name="inspect", help="Look at what single parts make of a file.")


def extract(files: Files, as_json: AsJson = False) -> None:
    """Read pages or PDFs as Lyra does; one JSON object a line with --json.

    Example: lyra inspect extract page.html --json
    """
    from lyra.extract.inspect import inspect_file

    _show(_each(files, inspect_file), as_json=as_json, text=lambda row: row["text"])


def claims(files: Files, as_json: AsJson = False) -> None:
    """Show the checkable statements of pages or PDFs, with their exact place in the text.

    Example: lyra inspect claims page.html --json
    """
    from lyra.research.inspect import claims_of_file

    _show(
        _each(files, claims_of_file),
        as_json=as_json,
        text=lambda row: "\n".join(f"- {claim['text']}" for claim in row["claims"]),
    )


def serp(
    engine: Annotated[str, typer.Argument(help="Engine whose result pages these are.")],
    files: Files,
    as_json: AsJson = False,
) -> None:
    """Parse saved result pages.

    Example: lyra inspect serp mojeek results.html --json
    """
    from lyra.search.inspect import inspect_serp

    _show(
        _each(files, lambda path: inspect_serp(engine, path)),
        as_json=as_json,
        text=lambda row: "\n".join([row["outcome"], *(f"- {hit['title']} {hit['url']}" for hit in row["results"])]),
    )


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
    from lyra.evaluate.inspect import inspect_stance, read_texts

    is_pair = bool(premise and premise.strip() and hypothesis and hypothesis.strip()) and file is None
    if is_pair == (file is not None and premise is None and hypothesis is None):
        raise InvalidParams(
            "Either --premise and --hypothesis, neither empty, or --file alone must be given.",
            remedy="See `lyra inspect stance --help`.",
        )
    pairs = read_texts(file) if file else [(premise or "", hypothesis or "")]
    for row in run(ctx, lambda lyra: inspect_stance(lyra.judge, pairs)):
        if as_json:
            typer.echo(json.dumps(row, ensure_ascii=False))
        else:
            print_table("Stance", ("field", "value"), list(row.items()))


def _each(files: list[Path], look: Callable[[Path], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (look(path) for path in files)


def _show(rows: Iterator[dict[str, Any]], *, as_json: bool, text: Callable[[dict[str, Any]], str]) -> None:
    """One line or one block a file; the exit code says whether every file could be read."""
    has_failed = False
    for row in rows:
        failed = "error_code" in row
        has_failed = has_failed or failed
        if as_json:
            typer.echo(json.dumps(row, ensure_ascii=False))
        elif failed:
            typer.echo(f"{row['file']}: {row['error']}", err=True)
        else:
            typer.echo(f"{row['file']}: {row.get('title', '')}\n{text(row)}\n")
    if has_failed:
        raise typer.Exit(2)
