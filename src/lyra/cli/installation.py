"""Commands about this installation: `doctor`, `settings`, `connect`, `backup`, `restore`."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, print_rows, show_checks
from lyra.clock import SystemClock
from lyra.connect.clients import CLIENTS, SERVER_NAME, MachineInfo, client_named
from lyra.translate import say

if TYPE_CHECKING:
    from pydantic import BaseModel

    from lyra.connect.write import ConfigChange


def doctor(
    ctx: typer.Context,
    network: Annotated[bool, typer.Option("--network", help="Also ask every search engine once.")] = False,
    privacy: Annotated[
        bool,
        typer.Option("--privacy", help="Show what can leave this machine instead."),
    ] = False,
    deep: Annotated[
        bool, typer.Option("--deep", help="Also read the whole database and every archived record; may take long.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check this installation: data, database, models, LLM, browser, Tor, OCR and network settings.

    Nothing beyond this machine is asked without --network. With --deep also: whether the database is sound, whether
    every archived record has the hash of its index, what is missing, and who may read the files. Ctrl-C ends it.

    Example: lyra doctor --network --json
    """
    from lyra.health import check_installation
    from lyra.health.deep import check_deeply
    from lyra.observe import log

    settings = ctx.obj.settings()
    log.configure(settings.log.level, None)
    if privacy:
        from lyra.cli.privacy import show_privacy

        show_privacy(settings, as_json=as_json)
        return
    findings = asyncio.run(check_installation(settings, ctx.obj.config, asks_network=network))
    if deep:
        findings += check_deeply(settings, _show_progress)
    show_checks(findings, as_json=as_json, name_width=18)


def _show_progress(part: str, done: int, total: int) -> None:
    """How far the deep check is, on a terminal only."""
    if sys.stderr.isatty():
        text = (
            say("Reading the database")
            if part == "database"
            else say("Reading archive file {done} of {total}", done=done, total=total)
        )
        typer.echo(f"\r\x1b[K{text}" if done < total else "\r\x1b[K", nl=False, err=True)


def settings(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting with its present value; set one by file, LYRA_SECTION__NAME or flag."""
    rows = described_settings(ctx.obj.settings())
    if as_json:
        print_json(rows)
    else:
        print_rows("Settings", ("setting", "value", "meaning"), rows)


def described_settings(section: "BaseModel", prefix: str = "") -> list[dict[str, Any]]:
    """Dotted name, value and description of every field, keys masked."""
    from pydantic import BaseModel

    rows: list[dict[str, Any]] = []
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            rows += described_settings(value, f"{prefix}{name}.")
        elif name == "endpoints" and value:
            for one, endpoint in value.items():
                rows += described_settings(endpoint, f"{prefix}{name}.{one}.")
        else:
            shown = "set" if name.endswith("_key") and value else value
            rows.append({"setting": prefix + name, "value": shown, "meaning": field.description})
    return rows


def connect(
    ctx: typer.Context,
    client: Annotated[str, typer.Argument(help=f"One of {', '.join(CLIENTS)}.", autocompletion=lambda: list(CLIENTS))],
    only_print: Annotated[bool, typer.Option("--print", help="Show what would be written, and write nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Add Lyra to an AI client's configuration; a backup is kept, and doing it twice changes nothing.

    A --data-dir given before `connect`, or LYRA_DATA_DIR, goes into the entry's environment, a --config into its
    command.

    Example: lyra connect claude-desktop --print
    """
    from lyra.connect.edit import snippet
    from lyra.connect.launch import kept_environment, launcher
    from lyra.connect.write import connect as write_config
    from lyra.settings import Settings

    kind = client_named(client)
    path = kind.file(MachineInfo(sys.platform, str(Path.home()), os.environ))
    config = ctx.obj.config
    options = [] if config is None else ["--config", str(Path(config).resolve())]
    entry = kind.entry(launcher(options, kept_environment(os.environ, ctx.obj.flags.get("data_dir"))))
    fields = {"ok": True, "client": kind.name, "path": str(path), "entry": {**entry, **kind.defaults}}
    if only_print:
        text = snippet(kind, SERVER_NAME, entry)
        if as_json:
            print_json({**fields, "snippet": text})
        else:
            typer.echo(f"# {kind.title}: {path}", err=True)
            typer.echo(text, nl=False)
        return
    done = write_config(kind, path, entry, SystemClock().now())
    if as_json:
        backup = None if done.backup is None else str(done.backup)
        changed = {"is_changed": done.is_changed, "is_switched_off": done.is_switched_off, "backup": backup}
        print_json({**fields, **changed})
        return
    _say_connected(kind.title, done)
    if done.data_dir not in (None, str(Settings().data_dir.resolve())):
        typer.echo(say("Lyra's data directory in it: {path}", path=done.data_dir))


def _say_connected(client: str, done: "ConfigChange") -> None:
    """What was written, and whether the client will start Lyra."""
    if not done.is_changed:
        typer.echo(say("{client} has Lyra already ({path}); nothing was changed.", client=client, path=done.path))
    elif done.is_switched_off:
        typer.echo(say("The entry of Lyra in {path} was updated.", path=done.path))
    else:
        typer.echo(say("{client} starts Lyra when you start it next ({path}).", client=client, path=done.path))
    if done.backup:
        typer.echo(say("The file as it was: {path}", path=done.backup))
    if done.is_switched_off:
        typer.echo(
            say("! Lyra is disabled there, so {client} does not start it. Enable it in that file.", client=client)
        )


def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    as_json: AsJson = False,
) -> None:
    """Back up the database, the archive and the reports as one file; servers and searches may go on.

    Example: lyra backup lyra-2026-01-31.zip
    """
    from lyra.backup import make_backup

    made = make_backup(ctx.obj.settings(), file, SystemClock().now())
    missing = list(made.manifest.missing)
    if as_json:
        counted = {"size_bytes": made.size_bytes, "files": len(made.manifest.files), "missing": missing}
        counted["left_out"] = list(made.left_out)
        print_json({"ok": True, "path": str(made.path), **counted})
        return
    figures = {"files": len(made.manifest.files), "size": f"{made.size_bytes / 1e6:.1f}"}
    typer.echo(say("{path}: {files} files, {size} MB", path=made.path, **figures))
    for path in missing:
        typer.echo(say("! archive/{path} is referred to, but not there or not whole", path=path), err=True)
    for path in made.left_out:
        typer.echo(
            say("! {path} is left out: a restore takes in only reports and lists as Lyra writes them", path=path),
            err=True,
        )


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that `lyra backup` wrote.")],
    into: Annotated[Path | None, typer.Option(help="Directory to fill.", show_default="the data directory")] = None,
    force: Annotated[bool, typer.Option("--force", help="Move aside what is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Restore a backup into an empty directory; every byte is checked before anything is put in place.

    Example: lyra restore lyra-2026-01-31.zip --into ./restored
    """
    from lyra.backup import restore_backup

    done = restore_backup(file, into or ctx.obj.settings().data_dir, SystemClock().now(), force=force)
    if as_json:
        earlier = None if done.earlier is None else str(done.earlier)
        counted = {"files": len(done.manifest.files), "created_at": done.manifest.created_at, "earlier": earlier}
        counted["overrides"] = done.overrides
        print_json({"ok": True, "path": str(done.directory), **counted})
        return
    figures = {"files": len(done.manifest.files), "time": done.manifest.created_at}
    typer.echo(say("{path}: {files} files as of {time}", path=done.directory, **figures))
    if done.earlier is not None:
        typer.echo(say("What was there before is now in {path}", path=done.earlier))
    if done.overrides:
        typer.echo(
            say(
                "! Trust levels and rates of domains come from the backup: {count} (domains.yaml)", count=done.overrides
            ),
            err=True,
        )
