"""What every command needs: the settings, an open Lyra, and one way to run and to show."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lyra import settings as settings_module
from lyra.observe import log
from lyra.settings import Settings
from lyra.text import strip_control_chars

if TYPE_CHECKING:
    from lyra.app import Lyra

T = TypeVar("T")

_WORD = 8  # cells of a folded column in which most words still fit

# Who reviews where nobody is named: whoever sits at the terminal. A client's reviews say `client`.
REVIEWER = "person"

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]


@dataclass(frozen=True)
class Context:
    """The global options, from which settings are read once a command needs them."""

    flags: Mapping[str, Any]
    config: Path | None

    def settings(self) -> Settings:
        return settings_module.load(self.flags, path=self.config)


def run(ctx: typer.Context, work: "Callable[[Lyra], Awaitable[T]]", *, with_worker: bool = False) -> T:
    """Open Lyra, do the work, close it again; Ctrl-C leaves nothing broken."""
    from lyra.app import Lyra  # lazy: `lyra serve` answers before it is there

    settings = ctx.obj.settings()

    async def opened() -> T:
        async with Lyra.open(settings, with_worker=with_worker) as lyra:
            return await work(lyra)

    log.configure(settings.log.level, settings.log_dir)
    try:
        return asyncio.run(opened())
    except KeyboardInterrupt:
        typer.echo("Stopped. Nothing is lost: unfinished searches go on with the next search or server.", err=True)
        raise typer.Exit(130) from None


def print_json(value: Any) -> None:
    """One JSON value on stdout."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """A table for people; elsewhere than in a terminal one line a row with tabs, so that nothing is folded or cut.

    Where the terminal is too narrow for its columns, each row is a paragraph with a line for every column instead.
    """
    console = Console()
    told = [tuple("" if cell is None else strip_control_chars(str(cell)) for cell in row) for row in rows]
    if not console.is_terminal:
        for line in (columns, *told):
            typer.echo("\t".join(" ".join(cell.split()) for cell in line))
        return
    if _least_width(columns, told) > console.width:
        _print_paragraphs(console, title, columns, told)
        return
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=_is_id(column))
    for row in told:
        table.add_row(*map(Text, row))
    console.print(table)


def _is_id(column: str) -> bool:
    """Ids are there to be copied, so they are never broken over lines."""
    return column.split("_")[-1] == "id"


def _least_width(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> int:
    """Cells below which folding leaves a table that nobody can read: ids whole, of the rest a word, and the rules."""
    widest = [max(cell_len(line[number]) for line in (columns, *rows)) for number in range(len(columns))]
    kept = (width if _is_id(name) else min(width, _WORD) for name, width in zip(columns, widest, strict=True))
    return sum(kept) + 3 * len(columns) + 1


def _print_paragraphs(console: Console, title: str, columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    console.print(Text(title, style="italic"))
    for row in rows:
        lines = Table.grid(padding=(0, 2, 0, 0))
        lines.add_column(no_wrap=True, style="bold")
        lines.add_column(overflow="fold")
        for name, cell in zip(columns, row, strict=True):
            lines.add_row(name, Text(cell))
        console.print(lines)
        console.print()
