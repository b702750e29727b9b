"""`lyra verify`: check an evidence pack on any machine, without a database or a data directory."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json
from lyra.errors import InvalidParams, LyraError
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.report.pack.verify import PackCheck

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SHOWN = 20
_SIGNATURE = ".minisig"
NOT_PROVEN, NOT_CONFIRMED, BY_DIGEST, BY_SIGNATURE = "not proven", "not confirmed", "digest", "signature"


def verify(
    pack: Annotated[Path, typer.Argument(help="A file that `lyra pack` wrote.")],
    digest: Annotated[
        str | None, typer.Option(help="SHA-256 of the whole file, as its maker names it.", metavar="SHA256")
    ] = None,
    public_key: Annotated[
        str | None, typer.Option(help="Public key of minisign, or its file: the signature must be by it.")
    ] = None,
    signature: Annotated[Path | None, typer.Option(help="File of the signature.", show_default="PACK.minisig")] = None,
    as_json: AsJson = False,
) -> None:
    """Check an evidence pack without any data of Lyra: every byte, every hash, every quote.

    The report is hashed, but not compared with the graph. Exit code 0 means that nothing fails and no record is
    missing. Without --digest or --public-key that says nothing of who made the pack.

    Example: lyra verify evidence.lyrapack --public-key lyra-pack.key.pub
    """
    from lyra.extract.reader import DocumentReader
    from lyra.report.pack.verify import check_fields, check_pack
    from lyra.settings import Models

    wanted = _wanted_digest(digest)
    reader = DocumentReader(Models())
    try:
        found = check_pack(pack, reader, _tell)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    finally:
        reader.close_blocking()
    origin, signed = _origin(pack, found, wanted, public_key, signature)
    beside = signature or pack.with_name(pack.name + _SIGNATURE)
    unchecked = beside if public_key is None and beside.is_file() else None
    if as_json:
        fields = {**check_fields(found), "origin": origin, "signed_comment": signed}
        print_json({"ok": found.is_fine, **fields, "unchecked_signature": str(unchecked) if unchecked else None})
    else:
        _show(found)
        if unchecked:
            hint = say("A signature is beside the pack and was not checked: {path}. Give --public-key.", path=unchecked)
            typer.echo(strip_control_chars(hint))
        typer.echo(_verdict(found, origin, signed))
    if not found.is_fine:
        raise typer.Exit(1)


def _wanted_digest(given: str | None) -> str | None:
    text = None if given is None else given.strip().lower().removeprefix("sha256:").removeprefix("sha256 ")
    if text is not None and not _SHA256.fullmatch(text):
        raise InvalidParams(f"{given[:80]!r} is not a SHA-256." if given else "The digest is empty.",
            remedy="It has 64 characters of 0-9 and a-f; `lyra pack` prints it.")  # fmt: skip
    return text


def _origin(
    pack: Path, found: "PackCheck", digest: str | None, public_key: str | None, signature: Path | None
) -> tuple[str, str | None]:
    """By what the origin is proven, and the signed comment; what speaks against it is noted."""
    if signature is not None and public_key is None:
        raise InvalidParams("A signature is checked with a public key.", remedy="Give it with --public-key.")
    if digest is None and public_key is None:
        return NOT_PROVEN, None
    from lyra.report.pack.minisign import check_signature, read_public_key
    from lyra.report.pack.verify import PackProblem

    key = None if public_key is None else read_public_key(public_key)
    if not found.digest:
        told = "It is not a pack: neither digest nor signature was checked."
        found.origin_problems.append(PackProblem("digest", pack.name, told))
        return NOT_CONFIRMED, None
    if digest is not None and digest != found.digest:
        told = f"Its SHA-256 is {found.digest}, not the one given."
        found.origin_problems.append(PackProblem("digest", pack.name, told))
    comment = None
    if key is not None:
        try:
            comment = check_signature(pack, signature or pack.with_name(pack.name + _SIGNATURE), key)
        except LyraError as exc:
            found.origin_problems.append(PackProblem("signature", pack.name, exc.message))
    if found.origin_problems:
        return NOT_CONFIRMED, comment
    return (BY_DIGEST if key is None else BY_SIGNATURE), comment


def _tell(done: int, of: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == of else ""
        typer.echo("\r" + say("{done} of {total} pages read again", done=done, total=of) + end, err=True, nl=False)


def _show(found: "PackCheck") -> None:
    manifest = found.manifest
    if manifest is not None:
        typer.echo(strip_control_chars(f"{manifest.task_id}: {manifest.question}"))
    problems = [*found.origin_problems, *found.problems, *found.missing]
    for one in problems[:_SHOWN]:
        words = f" “{one.quote}”" if one.quote else ""
        typer.echo(strip_control_chars(f"! {one.where}: {translate(one.problem)}{words}"), err=True)
    if len(problems) > _SHOWN:
        typer.echo(say("! and {count} more: --json", count=len(problems) - _SHOWN), err=True)
    for remark in found.remarks[:_SHOWN]:
        typer.echo(strip_control_chars(f"  {remark}"), err=True)
    if found.digest:
        typer.echo(f"sha256 {found.digest}")
    figures: dict[str, Any] = {"found": found.quotes_found, "quotes": found.quotes, "pages": found.pages}
    if found.pages:
        typer.echo(say("{found} of {quotes} quotes were found in the archived bytes of {pages} pages.", **figures))
        typer.echo(say("Of the report only the hash was checked; it was not compared with the graph."))


def _verdict(found: "PackCheck", origin: str, signed: str | None) -> str:
    told = _verdict_of_the_rest(found, origin, signed)
    if not found.missing:
        return told
    figures = {"missing": len(found.missing), "pages": found.pages}
    figures |= {"lost": found.quotes_missing, "quotes": found.quotes}
    since = (
        "INCOMPLETE since it was made: {missing} of {pages} pages had no archived record, "
        "so {lost} of {quotes} quotes cannot be checked. Otherwise: {verdict}"
    )
    return say(since, **figures, verdict=told)


def _verdict_of_the_rest(found: "PackCheck", origin: str, signed: str | None) -> str:
    if not found.is_consistent:
        count = len(found.problems)
        told = say("NOT INTACT: 1 problem.") if count == 1 else say("NOT INTACT: {count} problems.", count=count)
        return told + (" " + say("Origin NOT confirmed.") if found.origin_problems else "")
    if found.origin_problems:
        return say("Consistent; origin NOT confirmed.")
    if origin == BY_SIGNATURE:
        return say("Consistent, and signed: {comment}", comment=strip_control_chars(signed or ""))
    if origin == BY_DIGEST:
        return say("Consistent, and the file that the digest names.")
    return say("Consistent, origin not proven: give --digest or --public-key.")
