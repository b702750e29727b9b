"""`lyra pack`: a task's evidence as one file that others can check; `lyra pack keygen` makes a key to sign it with."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lyra.cli.context import AsJson, complete_task_id, print_json, run
from lyra.cli.output_files import check_file
from lyra.clock import SystemClock, stamp
from lyra.disk import put_whole, writing
from lyra.errors import InvalidParams
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.report.pack.make import MadePack

KEYGEN = "keygen"
_SIGNATURE = ".minisig"
_QUOTES_SHOWN = 50
_KEY_FILE = Path("lyra-pack.key")


def pack(
    ctx: typer.Context,
    task_id: Annotated[
        str,
        typer.Argument(
            help="Id of the task; or `keygen`, to make a pair of keys for signatures.",
            autocompletion=complete_task_id,
            metavar="TASK_ID",
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write.", show_default="TASK_ID.lyrapack")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option("--sign", help="Secret key of minisign, without a password, to sign the pack with.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Pack a task's evidence into one file that anybody can check: archived pages, quotes, verdicts, report.

    Cookies, keys, sessions and other tasks never get in. The SHA-256 that is printed names the pack: give it to whoever
    is to check it, by another way than the file.

    Exit code 1 means that the archive lacked records: the pack is made, and what cannot be checked in it is named.

    Example: lyra pack task_1a2b3c4d5e6f -o evidence.lyrapack --sign lyra-pack.key
    """
    check_file(output)
    if task_id == KEYGEN:
        _make_keys(output or _KEY_FILE, as_json=as_json)
        return
    from lyra.report.pack.minisign import read_secret_key, sign_file

    key = read_secret_key(sign) if sign else None
    path = output or Path(f"{Path(task_id).name}.lyrapack")
    signature = path.with_name(path.name + _SIGNATURE)
    if key is not None and signature.exists():
        raise InvalidParams(f"{signature} exists already; it was left untouched.", remedy="Choose another name.")

    async def work(lyra: "Lyra") -> "MadePack":
        return await lyra.packer.make(await lyra.tasks.get(task_id), path, _tell)

    made = run(ctx, work)
    if key is not None:
        comment = f"lyra pack of {made.manifest.task_id}, {stamp(SystemClock().now())}"
        with writing(signature.parent, InvalidParams):
            put_whole(signature, sign_file(path, key, comment))
    _show(made, signature if key else None, as_json=as_json)
    if made.manifest.missing:
        raise typer.Exit(1)


def _show(made: "MadePack", signature: Path | None, *, as_json: bool) -> None:
    manifest = made.manifest
    if as_json:
        print_json(
            {
                "ok": True,
                "path": str(made.path),
                "sha256": made.digest,
                "size_bytes": made.size_bytes,
                "task_id": manifest.task_id,
                "graph_digest": manifest.graph_digest,
                "files": _count_files(made),
                "records": len(manifest.records),
                "missing": list(manifest.missing),
                "damaged": dict(made.damaged),
                "missing_quotes": dict(made.missing_quotes),
                "signature": None if signature is None else str(signature),
            }
        )
        return
    figures = {"files": _count_files(made), "records": len(manifest.records), "size": f"{made.size_bytes / 1e6:.1f}"}
    typer.echo(say("{path}: {files} files, {records} archived records, {size} MB", path=made.path, **figures))
    typer.echo(f"sha256 {made.digest}")
    if signature is not None:
        typer.echo(say("Signature: {path}", path=signature))
    if manifest.missing:
        _show_missing(made)


def _count_files(made: "MadePack") -> int:
    """As a reader of zips counts them: the manifest names every file but itself."""
    return len(made.manifest.files) + 1


def _show_missing(made: "MadePack") -> None:
    """What nobody will be able to check, page by page with its quotes."""
    missing, lost = made.manifest.missing, sum(map(len, made.missing_quotes.values()))
    figures = {"missing": len(missing), "pages": made.pages, "lost": lost, "quotes": made.quotes}
    told = (
        "INCOMPLETE: the archive has no whole record of {missing} of {pages} pages; "
        "{lost} of {quotes} quotes cannot be checked."
    )
    typer.echo(say(told, **figures))
    left = _QUOTES_SHOWN
    for url in missing:
        typer.echo(strip_control_chars(f"! {url}: {_why_missing(made.damaged.get(url))}"), err=True)
        quotes = tuple(dict.fromkeys(made.missing_quotes.get(url, ())))
        for quote in quotes[: max(left, 0)]:
            typer.echo(strip_control_chars(f"    “{' '.join(quote.split())}”"), err=True)
        left -= len(quotes)
    if left < 0:
        typer.echo("    " + say("and {count} more (--json)", count=-left), err=True)


def _why_missing(damage: str | None) -> str:
    if damage is None:
        return say("its archived record is gone; verify will say so")
    return say("its archived record is not in the pack; verify will say so. {reason}", reason=translate(damage))


def _tell(done: int, of: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == of else ""
        typer.echo("\r" + say("{done} of {total} records packed", done=done, total=of) + end, err=True, nl=False)


def _make_keys(path: Path, *, as_json: bool) -> None:
    """A secret key that only this user may read, and its public one beside it."""
    from lyra.report.pack.minisign import new_key, public_key_text, secret_key_text

    public = path.with_name(path.name + ".pub")
    for one in (path, public):
        if one.exists():
            raise InvalidParams(f"{one} exists already; it was left untouched.", remedy="Choose another name.")
    key = new_key()
    with writing(path.parent, InvalidParams):
        put_whole(path, secret_key_text(key))
        put_whole(public, public_key_text(key.public))
        os.chmod(public, 0o644)
    if as_json:
        print_json({"ok": True, "secret_key": str(path), "public_key": str(public), "key": key.public.text})
        return
    typer.echo(say("Secret key: {path}. Keep it to yourself.", path=path))
    typer.echo(say("Public key: {path}. Give it to whoever checks your packs: {key}", path=public, key=key.public.text))
