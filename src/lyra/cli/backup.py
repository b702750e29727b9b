"""`lyra backup` and `lyra restore`: everything gathered as one file, and back."""

from pathlib import Path
from typing import Annotated

import typer

from lyra.cli.context import AsJson, print_json
from lyra.clock import SystemClock


def backup(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    as_json: AsJson = False,
) -> None:
    """Back up the database, the archive and the reports as one file; servers and searches may go on.

    Example: lyra backup lyra-2026-01-31.zip
    """
    from lyra.backup.pack import pack

    made = pack(ctx.obj.settings(), file, SystemClock().now())
    missing = list(made.manifest.missing)
    if as_json:
        counted = {"size_bytes": made.size_bytes, "files": len(made.manifest.files), "missing": missing}
        print_json({"ok": True, "path": str(made.path), **counted})
        return
    typer.echo(f"{made.path}: {len(made.manifest.files)} files, {made.size_bytes / 1e6:.1f} MB")
    for path in missing:
        typer.echo(f"! archive/{path} is referred to, but not there or not whole", err=True)


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
    from lyra.backup.restore import restore as put_back

    done = put_back(file, into or ctx.obj.settings().data_dir, SystemClock().now(), force=force)
    if as_json:
        earlier = None if done.earlier is None else str(done.earlier)
        counted = {"files": len(done.manifest.files), "created_at": done.manifest.created_at, "earlier": earlier}
        print_json({"ok": True, "path": str(done.directory), **counted})
        return
    typer.echo(f"{done.directory}: {len(done.manifest.files)} files as of {done.manifest.created_at}")
    if done.earlier is not None:
        typer.echo(f"What was there before lies in {done.earlier}")
