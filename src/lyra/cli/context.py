"""What every command needs: the settings, an open Lyra, and one way to run, to ask and to print.

Every command's help imports this module: Lyra, its settings, its answers and its logs are imported where they are used.
"""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from lyra.cli.streams import json_text
from lyra.errors import LyraError
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.answer import Answer
    from lyra.app import Lyra
    from lyra.settings import Settings

T = TypeVar("T")

_MIN_COLUMN_CELLS = 8  # of a folded column in which most words still fit
# Not foreign text.
_COLUMNS_OF_WORDS = (
    *("status", "verdict", "relation", "stance", "state", "reason", "meaning", "what", "trust_level", "origin"),
    *("last_reason", "kind", "before", "after"),
)
_COMPLETED_TASKS = 20
_COMPLETED_QUERY_CHARS = 60

# The reviewer where no name is given: the person at the terminal. Reviews of a client have `client`.
REVIEWER = "person"


def complete_task_id(ctx: typer.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The newest tasks with their questions; nothing where there is no database, and never an error in the prompt."""
    from lyra import settings as settings_module

    try:
        data_dir = ctx.find_root().params.get("data_dir")
        path = settings_module.load({"data_dir": data_dir}).database_path
        found = asyncio.run(_recent_tasks(path)) if path.exists() else ()
    except LyraError:
        return
    yield from ((task_id, query[:_COMPLETED_QUERY_CHARS]) for task_id, query in found if task_id.startswith(incomplete))


async def _recent_tasks(path: Path) -> tuple[tuple[str, str], ...]:
    from lyra.storage import tasks
    from lyra.storage.database import Database

    db = await Database.open(path, readers=1)
    try:
        return tuple((task.id, task.query) for task in await db.read(tasks.recent, _COMPLETED_TASKS))
    finally:
        await db.close()


TaskId = Annotated[
    str,
    typer.Argument(help="Id of the task, from `lyra task new` or `lyra task list`.", autocompletion=complete_task_id),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]


@dataclass(frozen=True)
class Context:
    """The global options, from which settings are read once a command needs them."""

    flags: Mapping[str, Any]
    config: Path | None

    def settings(self) -> "Settings":
        from lyra import settings as settings_module

        return settings_module.load(self.flags, path=self.config)


def run(ctx: typer.Context, work: "Callable[[Lyra], Awaitable[T]]", *, with_worker: bool = False) -> T:
    """Open Lyra, do the work, close it again; Ctrl-C leaves nothing broken."""
    from lyra.app import Lyra
    from lyra.observe import log

    settings = ctx.obj.settings()

    async def opened() -> T:
        async with Lyra.open(settings, with_worker=with_worker) as lyra:
            return await work(lyra)

    log.configure(settings.log.level, settings.log_dir)
    try:
        return asyncio.run(opened())
    except KeyboardInterrupt:
        lasting = "Stopped. Nothing is lost: unfinished searches go on with the next search or server."
        typer.echo(say(lasting) if with_worker else say("Stopped. Nothing is lost."), err=True)
        raise typer.Exit(130) from None


def show_answer(answer: "Answer", *, as_json: bool, exclude_none: bool = False) -> None:
    """Print an answer for people, or as JSON."""
    from lyra.cli.render import show

    show(answer, as_json=as_json, exclude_none=exclude_none)


def print_json(value: Any) -> None:
    """One JSON value on stdout."""
    typer.echo(json_text(value, indent=2))


async def read_line() -> str | None:
    """A line of standard input, None at its end; a daemon thread reads it, so that ending never waits for it."""
    loop = asyncio.get_running_loop()
    read: asyncio.Future[str] = loop.create_future()

    def deliver(line: str) -> None:
        if not read.done():
            read.set_result(line)

    def listen() -> None:
        # Bytes: invalid text must become a wrong answer, not end the thread. Unbuffered: the buffer's lock, held by a
        # thread that still waits, makes Python abort at its end (Ctrl-C).
        stream = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        line = stream.readline().decode(sys.stdin.encoding, "surrogateescape")
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, line)

    threading.Thread(target=listen, name="lyra-line", daemon=True).start()
    line = await read
    return line.rstrip("\r\n") if line else None


def label(word: str, width: int = 10) -> str:
    """A word before a line, in the language of the user, padded to the cells of a terminal."""
    text = say(word)
    return text + " " * max(1, width - cell_len(text))


def print_rows(
    title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], headings: Sequence[str] = ()
) -> None:
    """The named fields of each row as a table."""
    print_table(title, tuple(headings or columns), [tuple(row.get(name) for name in columns) for row in rows])


def print_fields(title: str, fields: Mapping[str, Any], name: str = "field") -> None:
    """One row for each field."""
    print_table(title, (name, "value"), list(fields.items()))


def print_table(title: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]], *, is_raw: bool = False) -> None:
    """A table in a terminal; in a pipe one line a row with tabs, so that nothing is folded or cut.

    Where the terminal is too narrow for its columns, each row is a paragraph with a line for every column instead.
    Title, headings and states are shown in the language of the user, but headings and states of `is_raw` as they are.
    """
    console = Console()
    headings = columns if is_raw else tuple(map(translate, columns))
    cells = [tuple(_cell("" if is_raw else one, cell) for one, cell in zip(columns, row, strict=True)) for row in rows]
    if not console.is_terminal:
        for line in (headings, *cells):
            typer.echo("\t".join(" ".join(cell.split()) for cell in line))
        return
    ids = tuple(map(_is_id, columns))
    if _min_width(headings, cells, ids) > console.width:
        _print_paragraphs(console, translate(title), headings, cells)
        return
    table = Table(title=translate(title), title_justify="left", header_style="bold")
    for heading, is_id in zip(headings, ids, strict=True):
        table.add_column(heading, overflow="fold", no_wrap=is_id)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _cell(column: str, value: Any) -> str:
    if isinstance(value, bool) and column not in ("", "value"):  # the value of a setting is shown as it is written
        return say("yes" if value else "no")
    text = "" if value is None else strip_control_chars(str(value))
    return translate(text) if column in _COLUMNS_OF_WORDS else text


def _is_id(column: str) -> bool:
    """Ids are copied by people, so they are never broken over lines."""
    return column.split("_")[-1] == "id"


def _min_width(headings: tuple[str, ...], rows: list[tuple[str, ...]], ids: tuple[bool, ...]) -> int:
    """The least width of a readable table: ids whole, of other columns a word, and the rules."""
    widest = [max(cell_len(line[number]) for line in (headings, *rows)) for number in range(len(headings))]
    kept = (width if is_id else min(width, _MIN_COLUMN_CELLS) for is_id, width in zip(ids, widest, strict=True))
    return sum(kept) + 3 * len(headings) + 1


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


def show_checks(checks: Sequence[Any], *, as_json: bool, name_width: int = 18) -> None:
    """Print the checks of an installation or of a browser; exit code 1 where one failed and was not repaired."""
    is_fine = all(check.is_fine or getattr(check, "is_repaired", False) for check in checks)
    if as_json:
        print_json({"ok": is_fine, "checks": [asdict(check) for check in checks]})
    else:
        console = Console()
        for check in checks:
            is_repaired = getattr(check, "is_repaired", False)
            failed = f"[yellow]✓ {say('repaired:')}[/]" if is_repaired else "[red]✗[/]"
            sign = "[green]✓[/]" if check.is_fine else failed
            name, detail = translate(check.name), escape(translate(check.detail))
            padding = " " * (name_width - cell_len(name))
            console.print(f"{sign} {name}{padding} {detail}", highlight=False, soft_wrap=True)
            if check.remedy:
                remedy = f"  {'':<{name_width}} → {translate(check.remedy)}"
                console.print(remedy, highlight=False, markup=False, soft_wrap=True)
    if not is_fine:
        raise typer.Exit(1)
