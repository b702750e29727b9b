"""What every command needs: the settings, an open Lyra, and one way to run and to show."""

import asyncio
import json
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lyra import settings as settings_module
from lyra.app import Lyra
from lyra.observe import log
from lyra.settings import Settings

T = TypeVar("T")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]


@dataclass(frozen=True)
class Context:
    """The global options, from which settings are read once a command needs them."""

    flags: Mapping[str, Any]
    config: Path | None

    def settings(self) -> Settings:
        return settings_module.load(self.flags, path=self.config)


def run(ctx: typer.Context, work: Callable[[Lyra], Awaitable[T]], *, with_worker: bool = False) -> T:
    """Open Lyra, do the work, close it again; Ctrl-C leaves nothing broken."""
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


def harmless(text: str) -> str:
    """Text of pages as a terminal may show it: without the control characters by which it could be steered."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc")


def print_table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """A table for people; elsewhere than in a terminal one line a row with tabs, so that nothing is folded or cut."""
    console = Console()
    if not console.is_terminal:
        for line in (columns, *rows):
            typer.echo("\t".join("" if cell is None else " ".join(harmless(str(cell)).split()) for cell in line))
        return
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        is_id = column.split("_")[-1] == "id"  # to be copied, so never broken over lines
        table.add_column(column, overflow="fold", no_wrap=is_id)
    for row in rows:
        table.add_row(*(Text("" if cell is None else harmless(str(cell))) for cell in row))
    console.print(table)
