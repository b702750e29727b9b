"""`lyra library`: the user's own documents as a source of searches."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.check import progress_line
from lyra.cli.context import AsJson, print_json, print_rows, run
from lyra.clock import stamp
from lyra.model.library import shown_path
from lyra.model.trust import TrustLevel
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.library.libraries import LibraryStatus
    from lyra.model.library import Library, ScanResult

app = typer.Typer(no_args_is_help=True, help="Search in your own documents: folders, bibliographies, Zotero.")

_COLUMNS = ("name", "path", "kind", "documents", "failed", "waiting", "scanned_at")
_UNREAD_SHOWN = 1_000
_Named = Annotated[str, typer.Argument(help="Path or name of a library, from `lyra library list`.", metavar="DIR")]


@app.command("add")
def add(
    ctx: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            help="Folder, BibTeX, RIS or CSL-JSON file, or Zotero folder.", metavar="DIR", show_default=False
        ),
    ],
    trust: Annotated[
        TrustLevel | None, typer.Option(help="How far its documents are trusted.", show_default="unverified")
    ] = None,
    only_register: Annotated[
        bool, typer.Option("--no-wait", help="Leave the indexing to the next server or search.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add a folder, a bibliography or a Zotero folder, and index it; again, to try what could not be read.

    Ctrl-C stops it; what is indexed can be searched, and the next run goes on. A server finds later changes by itself.

    Examples: lyra library add ~/papers; lyra library add refs.bib --trust academic
    """

    async def work(lyra: "Lyra") -> "tuple[LibraryStatus, ScanResult | None]":
        library = await lyra.libraries.add(path)
        if trust is not None:
            _set_trust(lyra, library, trust)
        if only_register:
            return await lyra.libraries.status(library.name, _UNREAD_SHOWN), None
        tell = progress_line(say("{done} of {total} files"))
        result = await lyra.libraries.scan(library, tell)
        return await lyra.libraries.status(library.name, _UNREAD_SHOWN), result

    status, result = run(ctx, work)
    if as_json:
        print_json({"ok": True, **_fields(status), "unread": _unread(status), "scan": result and _scan(result)})
        return
    _show(status)


def _set_trust(lyra: "Lyra", library: "Library", level: TrustLevel | None) -> None:
    from lyra.library.libraries import domain_of
    from lyra.trust.override_file import write_override

    write_override(lyra.settings.data_dir / "domains.yaml", domain_of(library), level, f"library {library.name}")


@app.command("remove")
def remove(ctx: typer.Context, named: _Named, as_json: AsJson = False) -> None:
    """Drop the index of a library. Its files are not touched, and what tasks cite of it stays.

    Example: lyra library remove ~/papers
    """

    async def work(lyra: "Lyra") -> "LibraryStatus":
        removed = await lyra.libraries.remove(named)
        _set_trust(lyra, removed.library, None)
        return removed

    status = run(ctx, work)
    if as_json:
        print_json({"ok": True, **_fields(status)})
    else:
        documents, name = status.counts.documents, status.library.name
        typer.echo(say("{name} is removed: documents no longer searched: {documents}.", name=name, documents=documents))


@app.command("list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the libraries with what they hold.

    Example: lyra library list --json
    """
    rows = [_fields(one) for one in run(ctx, lambda lyra: lyra.libraries.list())]
    if as_json:
        print_json(rows)
    elif rows:
        print_rows("Libraries", _COLUMNS, rows)
    else:
        typer.echo(say("There is no library. Add one: lyra library add DIR"))


@app.command("status")
def status(
    ctx: typer.Context,
    named: Annotated[
        str | None,
        typer.Argument(help="Path or name of a library.", metavar="[DIR]", show_default="all of them"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how far libraries are indexed, and every file that could not be read, with the reason.

    Example: lyra library status ~/papers --json
    """

    async def work(lyra: "Lyra") -> "tuple[LibraryStatus, ...]":
        if named is None:
            return await lyra.libraries.list(_UNREAD_SHOWN)
        return (await lyra.libraries.status(named, _UNREAD_SHOWN),)

    found = run(ctx, work)
    if as_json:
        print_json({"ok": True, "libraries": [{**_fields(one), "unread": _unread(one)} for one in found]})
        return
    for one in found:
        _show(one)
    if not found:
        typer.echo(say("There is no library. Add one: lyra library add DIR"))


def _show(status: "LibraryStatus") -> None:
    counts, library = status.counts, status.library
    typer.echo(strip_control_chars(f"{library.name}  {shown_path(library.path)}"))
    typer.echo(
        say(
            "Documents: {documents}; files: {files}; not readable: {failed}; tried again later: {waiting}.",
            documents=counts.documents,
            files=counts.files,
            failed=counts.failed,
            waiting=counts.waiting,
        )
    )
    if library.problem:
        typer.echo(translate(library.problem))
    for one in status.unread:
        typer.echo(strip_control_chars(f"  {shown_path(one.path)}: {translate(one.reason or one.state.value)}"))


def _fields(status: "LibraryStatus") -> dict[str, Any]:
    library, counts = status.library, status.counts
    return {
        "name": library.name,
        "path": shown_path(library.path),
        "kind": library.kind.value,
        "added_at": stamp(library.added_at),
        "scanned_at": stamp(library.scanned_at) if library.scanned_at else None,
        "problem": library.problem,
        "documents": counts.documents,
        "files": counts.files,
        "failed": counts.failed,
        "waiting": counts.waiting,
        "bytes": counts.bytes,
    }


def _unread(status: "LibraryStatus") -> list[dict[str, Any]]:
    return [{"file": shown_path(one.path), "state": one.state.value, "reason": one.reason} for one in status.unread]


def _scan(result: "ScanResult") -> dict[str, int]:
    from dataclasses import asdict

    return asdict(result)
