"""What a shell offers on Tab besides commands and options: the tasks of the data directory."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from lyra import settings as settings_module
from lyra.errors import LyraError

_TASKS = 20
_QUERY_CHARS = 60


def task_ids(ctx: typer.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The newest tasks with their questions; nothing where there is no database, and never an error in the prompt."""
    try:
        data_dir = ctx.find_root().params.get("data_dir")
        path = settings_module.load({"data_dir": data_dir}).database_path
        found = asyncio.run(_recent(path)) if path.exists() else ()
    except LyraError:
        return
    yield from ((task_id, query[:_QUERY_CHARS]) for task_id, query in found if task_id.startswith(incomplete))


async def _recent(path: Path) -> tuple[tuple[str, str], ...]:
    from lyra.storage import tasks
    from lyra.storage.database import Database

    db = await Database.open(path, readers=1)
    try:
        return tuple((task.id, task.query) for task in await db.read(tasks.recent, _TASKS))
    finally:
        await db.close()


TaskArgument = Annotated[str, typer.Argument(help="Id of the task.", autocompletion=task_ids)]
