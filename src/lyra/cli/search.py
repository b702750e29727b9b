"""`lyra search` runs one search of a task; `lyra watch` shows a task's searches while they run."""

from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lyra.cli.context import AsJson, TaskId, run, show_answer
from lyra.cli.page_warnings import with_warnings
from lyra.cli.streams import json_text
from lyra.model.search import SearchOptions, Source, Vertical
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.research import SearchRow, StatusAnswer
    from lyra.answers.search import SearchAnswer
    from lyra.app import Lyra

_POLL_S = 1.0
_COLOURS = {"running": "cyan", "satisfied": "green", "partial": "yellow", "failed": "red"}
_WATCH_COLUMNS = ("query", "status", "phase", "pages", "useful", "satisfaction")


def search(
    ctx: typer.Context,
    task_id: TaskId,
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
    from lyra.answers.search import SearchAnswer

    options = SearchOptions(
        engines=tuple(engine) if engine else None,
        sources=tuple(source) if source else None,
        max_pages=max_pages,
        seek_primary=seek_primary,
        refute=refute,
        claim_ids=tuple(claim or ()),
        vertical=vertical,
    )

    async def work(lyra: "Lyra") -> "SearchAnswer":
        started = await lyra.searches.start(
            task_id, query, options, extend_pages=extend_pages, extend_seconds=extend_seconds
        )
        with _progress_bar() as bar:
            row = bar.add_task("queued", total=None)

            async def update(done: float, total: float | None, message: str) -> None:
                bar.update(row, completed=done, total=total, description=message)

            answer = SearchAnswer.from_report(await lyra.searches.wait(started.id, wait, update))
            # The models ran in this process, which ends with the command: nobody could ask it afterwards.
            answer.problems = [*(answer.problems or ()), *lyra.status.troubles()]
            return await with_warnings(lyra, answer)

    show_answer(run(ctx, work, with_worker=True), as_json=as_json)


def _progress_bar() -> Progress:
    """On stderr, so that stdout stays clean; nothing where that is no terminal."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def watch(
    ctx: typer.Context,
    task_id: TaskId,
    as_json: AsJson = False,
) -> None:
    """Show a task's searches until none is running: a live view in a terminal, else one line for each change.

    The work goes on in the process that runs it; leaving with Ctrl-C stops nothing. With --json every change
    is one JSON object a line.

    Example: lyra watch task_1a2b3c4d5e6f
    """
    from lyra.answers.research import StatusAnswer

    console = Console()

    async def work(lyra: "Lyra") -> None:
        with LiveView(console) if console.is_terminal and not as_json else LineView(as_json=as_json) as view:
            while True:
                status = StatusAnswer.from_report(await lyra.status.wait(task_id, _POLL_S))
                view.show(status)
                if not any(row.status == "running" for row in status.searches or ()):
                    return

    run(ctx, work, with_worker=True)


class LiveView:
    """Redraws one screen."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, refresh_per_second=4)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self._live.__exit__(*failure)

    def show(self, status: "StatusAnswer") -> None:
        self._live.update(screen(status))


class LineView:
    """Prints every search that has changed on a line, on stdout or stderr; nothing where it `is_silent`."""

    def __init__(self, *, as_json: bool = False, is_silent: bool = False, is_error: bool = False) -> None:
        self._as_json = as_json
        self._is_silent = is_silent
        self._is_error = is_error
        self._printed: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        return None

    def show(self, status: "StatusAnswer") -> None:
        for row in () if self._is_silent else status.searches or ():
            fields = row.model_dump(mode="json", exclude_unset=True)
            text = json_text(fields) if self._as_json else strip_control_chars(search_line(row))
            if self._printed.get(row.id) != text:
                self._printed[row.id] = text
                typer.echo(text, err=self._is_error)


def search_line(row: "SearchRow") -> str:
    """One search on one line."""
    line = say(
        "{id} {status} {phase}: {pages} pages, {useful} useful fragments, {query}",
        id=row.id,
        status=translate(row.status),
        phase=translate(row.phase or ""),
        pages=row.pages_fetched,
        useful=row.useful_fragments,
        query=row.query,
    )
    return f"{line} ({translate(row.reason)})" if row.reason else line


def screen(status: "StatusAnswer") -> Group:
    """The whole task: its searches, and below them its totals."""
    table = Table(title=Text(strip_control_chars(status.query or "")), title_justify="left", header_style="bold")
    for column in _WATCH_COLUMNS:
        table.add_column(translate(column), overflow="fold")
    for row in status.searches or ():
        table.add_row(
            Text(strip_control_chars(row.query)),
            Text(translate(row.status), style=_COLOURS.get(row.status, "")),
            translate(row.phase or ""),
            str(row.pages_fetched),
            str(row.useful_fragments),
            str(row.satisfaction_score),
        )
    metrics, budget = status.metrics, status.budget
    assert metrics is not None
    assert budget is not None
    counts = {"pages": metrics.total_pages, "fragments": metrics.total_fragments, "claims": metrics.total_claims}
    found = "{pages} pages, {fragments} fragments, {claims} claims; budget: {left} % left"
    totals = say(found, left=budget.remaining_percent, **counts)
    warnings = (
        Text(strip_control_chars(f"! {translate(warning)}"), style="yellow") for warning in status.warnings or ()
    )
    hypotheses = (Text(strip_control_chars(f"{translate(one.verdict)}: {one.text}")) for one in status.hypotheses or ())
    return Group(table, Text(totals), *hypotheses, *warnings)
