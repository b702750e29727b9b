"""`lyra search`: one search of a task, from query to judged claims."""

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lyra.app import Lyra
from lyra.cli.completion import TaskArgument
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.model.search import SearchOptions, Source, Vertical
from lyra.text import strip_control_chars


def search(
    ctx: typer.Context,
    task_id: TaskArgument,
    query: Annotated[str, typer.Argument(help="The query; also a URL, DOI, PMID or arXiv id.")],
    refute: Annotated[bool, typer.Option("--refute", help="Look for evidence against the task's claims.")] = False,
    claim: Annotated[list[str] | None, typer.Option(help="Claim to refute; may be repeated.")] = None,
    engine: Annotated[list[str] | None, typer.Option(help="Engine to ask; may be repeated.")] = None,
    source: Annotated[list[Source] | None, typer.Option(help="Where to look; may be repeated.")] = None,
    vertical: Annotated[
        Vertical | None, typer.Option(help="Also send the fixed queries for this kind of question.")
    ] = None,
    seek_primary: Annotated[bool, typer.Option("--seek-primary", help="Prefer primary sources.")] = False,
    max_pages: Annotated[int | None, typer.Option(help="Pages this search may fetch.", min=1)] = None,
    extend_pages: Annotated[int, typer.Option(help="Pages to add to the task's budget.", min=0)] = 0,
    extend_seconds: Annotated[float, typer.Option(help="Seconds to add to the task's budget.", min=0)] = 0,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the end.", min=0)] = 600,
    as_json: AsJson = False,
) -> None:
    """Run a search and show what it found.

    Example: lyra search task_1a2b3c4d5e6f "saxagliptin heart failure hospitalisation" --refute
    """
    from lyra.research.answers import search_fields

    options = SearchOptions(
        engines=tuple(engine) if engine else None,
        sources=tuple(source) if source else None,
        max_pages=max_pages,
        seek_primary=seek_primary,
        refute=refute,
        claim_ids=tuple(claim or ()),
        vertical=vertical,
    )

    async def work(lyra: Lyra) -> dict[str, Any]:
        started = await lyra.searches.start(
            task_id, query, options, extend_pages=extend_pages, extend_seconds=extend_seconds
        )
        with _bar() as bar:
            line = bar.add_task("queued", total=None)

            async def show(done: float, total: float | None, message: str) -> None:
                bar.update(line, completed=done, total=total, description=message)

            return search_fields(await lyra.searches.wait(started.id, wait, show))

    fields = run(ctx, work, with_worker=True)
    if as_json:
        print_json({"ok": True, **fields})
        return
    columns = ("verdict", "confidence", "independent_sources", "text", "source_url")
    print_table("Claims", columns, [tuple(row.get(c) for c in columns) for row in fields["claims_found"]])
    for refutation in fields.get("refutations") or ():
        told = f"✗ {refutation['claim_text']}\n  «{refutation['in_context']}»\n  {refutation['source_url']}"
        typer.echo(strip_control_chars(told))
    for problem in fields.get("problems") or ():
        typer.echo(strip_control_chars(f"! {problem}"))
    typer.echo(
        f"{fields['search_id']}: {fields['status']}, {fields['pages_fetched']} pages,"
        f" {fields['useful_fragments']} useful fragments. {fields.get('reason') or ''}"
    )


def _bar() -> Progress:
    """On stderr, so that stdout stays clean; silent where nobody watches."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
