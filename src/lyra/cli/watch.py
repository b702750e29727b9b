"""`lyra watch`: a task's searches while they run."""

import json
from typing import Any

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from lyra.app import Lyra
from lyra.cli.completion import TaskArgument
from lyra.cli.context import AsJson, run
from lyra.text import strip_control_chars

_POLL_S = 1.0
_COLOURS = {"running": "cyan", "satisfied": "green", "partial": "yellow", "failed": "red"}
_COLUMNS = ("query", "status", "phase", "pages", "useful", "satisfaction")


def watch(
    ctx: typer.Context,
    task_id: TaskArgument,
    as_json: AsJson = False,
) -> None:
    """Watch a task's searches until none runs: a live view in a terminal, one line a change elsewhere.

    The work itself goes on in whatever process took it up; leaving with Ctrl-C stops nothing. With --json every change
    is one JSON object a line.

    Example: lyra watch task_1a2b3c4d5e6f
    """
    from lyra.research.answers import status_fields

    console = Console()

    async def work(lyra: Lyra) -> None:
        view = _Live(console) if console.is_terminal and not as_json else _Lines(as_json=as_json)
        with view:
            while True:
                fields = status_fields(await lyra.status.wait(task_id, _POLL_S))
                view.show(fields)
                if not any(row["status"] == "running" for row in fields["searches"]):
                    return

    run(ctx, work, with_worker=True)


class _Live:
    """Redraws one screen."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, refresh_per_second=4)

    def __enter__(self) -> None:
        self._live.__enter__()

    def __exit__(self, *failure: Any) -> None:
        self._live.__exit__(*failure)

    def show(self, fields: dict[str, Any]) -> None:
        self._live.update(screen(fields))


class _Lines:
    """Says what is new, line by line."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._said: dict[str, str] = {}

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None

    def show(self, fields: dict[str, Any]) -> None:
        for row in fields["searches"]:
            text = json.dumps(row, ensure_ascii=False) if self._as_json else strip_control_chars(line(row))
            if self._said.get(row["id"]) != text:
                self._said[row["id"]] = text
                typer.echo(text)


def line(row: dict[str, Any]) -> str:
    """One search on one line."""
    why = f" ({row['reason']})" if row.get("reason") else ""
    return (
        f"{row['id']} {row['status']} {row.get('phase') or ''}: {row['pages_fetched']} pages,"
        f" {row['useful_fragments']} useful fragments, {row['query']}{why}"
    )


def screen(fields: dict[str, Any]) -> Group:
    """The whole task: its searches, and below them its totals."""
    table = Table(title=Text(strip_control_chars(fields["query"])), title_justify="left", header_style="bold")
    for column in _COLUMNS:
        table.add_column(column, overflow="fold")
    for row in fields["searches"]:
        table.add_row(
            Text(strip_control_chars(row["query"])),
            Text(row["status"], style=_COLOURS.get(row["status"], "")),
            row.get("phase") or "",
            str(row["pages_fetched"]),
            str(row["useful_fragments"]),
            str(row["satisfaction_score"]),
        )
    metrics, budget = fields["metrics"], fields["budget"]
    totals = (
        f"{metrics['total_pages']} pages, {metrics['total_fragments']} fragments, {metrics['total_claims']} claims;"
        f" budget: {budget['remaining_percent']} % left"
    )
    return Group(
        table,
        Text(totals),
        *(Text(strip_control_chars(f"! {warning}"), style="yellow") for warning in fields["warnings"]),
    )
