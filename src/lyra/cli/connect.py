"""`lyra connect`: tell an AI client how to start Lyra."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lyra.cli.context import AsJson, print_json
from lyra.clock import SystemClock
from lyra.connect.clients import KINDS, Client, Machine
from lyra.connect.edit import snippet
from lyra.connect.launcher import launcher
from lyra.connect.write import NAME
from lyra.connect.write import connect as write


def connect(
    ctx: typer.Context,
    client: Annotated[Client, typer.Argument(help="claude-code, claude-desktop, cursor, vscode or codex.")],
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be written, and write nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add Lyra to an AI client's configuration; a backup is kept, and doing it twice changes nothing.

    A --data-dir or --config given before `connect` becomes part of the command that the client runs.

    Example: lyra connect claude-desktop --print
    """
    kind = KINDS[client]
    path = kind.file(Machine(sys.platform, str(Path.home()), os.environ))
    entry = kind.entry(*launcher(_options(ctx)))
    told = {"ok": True, "client": client.value, "path": str(path), "entry": entry}
    if only_print:
        text = snippet(kind.form, kind.section, NAME, entry)
        if as_json:
            print_json({**told, "snippet": text})
        else:
            typer.echo(f"# {kind.title}: {path}", err=True)
            typer.echo(text, nl=False)
        return
    done = write(kind, path, entry, SystemClock().now())
    if as_json:
        backup = None if done.backup is None else str(done.backup)
        print_json({**told, "is_changed": done.is_changed, "backup": backup})
    elif done.is_changed:
        kept = f" The file as it was: {done.backup}" if done.backup else ""
        typer.echo(f"{kind.title} will start Lyra from its next start on ({path}).{kept}")
    else:
        typer.echo(f"{kind.title} knows Lyra already ({path}); nothing was changed.")


def _options(ctx: typer.Context) -> list[str]:
    """The global options that name a place, absolute, since the client runs elsewhere."""
    data_dir, config = ctx.obj.flags.get("data_dir"), ctx.obj.config
    named = (("--data-dir", data_dir), ("--config", config))
    return [word for flag, path in named if path is not None for word in (flag, str(Path(path).resolve()))]
