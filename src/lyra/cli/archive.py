"""`lyra archive`: from any fragment to its record, what is kept of an address, and the archive's health and size."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, label, print_fields, print_json, print_rows, run
from lyra.cli.output_files import check_file, write_text
from lyra.errors import InvalidParams
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.app import Lyra
    from lyra.archive.maintenance import PruneResult

_MB = 1_000_000


app = typer.Typer(no_args_is_help=True, help="Go from evidence to the archived bytes; check, list and shrink them.")


@app.command("show")
def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Id of a fragment or a page, or the address of a page.")],
    as_json: AsJson = False,
) -> None:
    """Find the WARC record of a fragment, read the text from the archived bytes again, and compare.

    Exit code 0 means that it is verified. Example: lyra archive show f_1a2b3c4d5e6f7a8b --json
    """
    from lyra.research.proof import ProofStatus, proof_fields

    async def work(lyra: "Lyra") -> tuple[dict[str, Any], bool]:
        proof = await lyra.proofs.of(name)
        return proof_fields(proof, lyra.settings.archive_dir), proof.status is ProofStatus.VERIFIED

    fields, is_verified = run(ctx, work)
    if as_json:
        print_json({"ok": True, **fields})
    else:
        typer.echo(strip_control_chars(proof_text(fields)))
    if not is_verified:
        raise typer.Exit(1)


@app.command("list")
def list_(
    ctx: typer.Context,
    url: Annotated[str, typer.Argument(help="The address; http or https, `www.` and parameter order do not matter.")],
    as_json: AsJson = False,
) -> None:
    """List what is kept of an address, newest first.

    Example: lyra archive list https://www.example.org/report --json
    """
    from lyra.model.library import is_library_url
    from lyra.research.proof import record_fields
    from lyra.urls import is_web_url

    if not is_web_url(url) and not is_library_url(url):
        raise InvalidParams(
            f"{url[:80]!r} is not an http or https address.", remedy=f"Try https://{url[:80].strip() or '…'}"
        )
    found = run(ctx, lambda lyra: lyra.archive.of_address(url))
    rows = [record_fields(record) for record in found]
    if as_json:
        print_json({"ok": True, "url": url, "records": rows})
        return
    columns = ("archived_at", "kind", "status_code", "media_type", "url", "warc_path", "warc_offset", "record_id")
    print_rows("Archived", columns, rows)


@app.command("check")
def check(
    ctx: typer.Context,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="First cut off incomplete records that a crash left, and complete the index."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read every record and compare its digests, as `warcio check` does; exit code 1 where anything is wrong.

    Example: lyra archive check --json
    """
    checked = run(ctx, lambda lyra: lyra.archive.check(repair=repair))
    if as_json:
        mended = [{"path": file.path, "cut_bytes": file.cut_bytes} for file in checked.mended]
        print_json({"ok": True, "is_whole": checked.is_whole, **asdict(checked), "mended": mended})
    else:
        for problem in checked.problems:
            place = "" if problem.offset is None else say(" at {offset}", offset=problem.offset)
            typer.echo(f"! {problem.path}{place}: {translate(problem.problem)}", err=True)
        for record_id in checked.missing:
            typer.echo(say("! {record_id} is indexed, but in no file", record_id=record_id), err=True)
        kinds = ", ".join(f"{count} {kind}" for kind, count in checked.records.items())
        counted = {"files": checked.files, "kinds": kinds or say("no records"), "problems": len(checked.problems)}
        typer.echo(say("{files} files: {kinds}; {problems} problems.", **counted))
        if checked.unindexed:
            unindexed = say(
                "{count} records are not in the index: lyra archive check --repair", count=checked.unindexed
            )
            typer.echo(unindexed)
    if not checked.is_whole:
        raise typer.Exit(1)


@app.command("size")
def size(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how large the archive is, and how much of it is evidence.

    Example: lyra archive size --json
    """
    settings = ctx.obj.settings().archive
    sizes = run(ctx, lambda lyra: lyra.archive.sizes())
    budget = settings.budget_mb * _MB
    fields = {
        "total_bytes": sizes.total_bytes,
        "budget_bytes": budget,
        "warc_bytes": sizes.warc_bytes,
        "warc_files": sizes.files,
        "capture_bytes": sizes.capture_bytes,
        "captures": sizes.captures,
        "records": sizes.records,
        "evidence_records": sizes.evidence_records,
        "evidence_bytes": sizes.evidence_bytes,
        "retention_days": settings.retention_days,
    }
    if as_json:
        print_json({"ok": True, **fields, "is_over_budget": sizes.total_bytes > budget})
        return
    print_fields("Archive", fields, "figure")
    if sizes.total_bytes > budget:
        typer.echo(say("The archive is larger than its budget: lyra archive prune --dry-run"), err=True)


@app.command("prune")
def prune(
    ctx: typer.Context,
    max_mb: Annotated[
        int | None, typer.Option(help="Size to come down to, in MB.", show_default="archive.budget_mb", min=0)
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(help="Age from which records go, in days.", show_default="archive.retention_days", min=0),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be removed.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Also records that claims and edges need.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove old records, oldest first, until age and size fit; records of evidence stay.

    Example: lyra archive prune --max-mb 5000 --dry-run
    """
    settings = ctx.obj.settings().archive
    days = keep_days if keep_days is not None else settings.retention_days or None
    limit = (settings.budget_mb if max_mb is None else max_mb) * _MB

    async def work(lyra: "Lyra") -> "PruneResult":
        return await lyra.archive.prune(max_bytes=limit, keep_days=days, is_forced=force, is_dry_run=dry_run)

    pruned = run(ctx, work)
    if as_json:
        left = [{"path": path, "reason": reason} for path, reason in pruned.left]
        print_json({"ok": True, "dry_run": dry_run, **asdict(pruned), "left": left})
        return
    sizes = {"freed": f"{pruned.freed_bytes / _MB:.1f}", "before": f"{pruned.bytes_before / _MB:.1f}"}
    if dry_run:
        typer.echo(say("{records} records would be removed, {freed} of {before} MB.", records=pruned.records, **sizes))
    else:
        typer.echo(say("{records} records removed, {freed} of {before} MB.", records=pruned.records, **sizes))
    for path, reason in pruned.left:
        typer.echo(say("! {path} stays: {reason}", path=path, reason=translate(reason)), err=True)


@app.command("index")
def index(
    ctx: typer.Context,
    output: Annotated[Path | None, typer.Option(help="File to write; standard output without it.")] = None,
) -> None:
    """Write the index as CDXJ, which other web archive tools read.

    Example: lyra archive index --output archive.cdxj
    """
    check_file(output)
    lines = run(ctx, lambda lyra: lyra.archive.cdxj())
    if output is None:
        typer.echo(lines, nl=False)
    else:
        write_text(output, lines)
        typer.echo(say("Written to {path}", path=output))


def proof_text(fields: dict[str, Any]) -> str:
    """The proof for people: result, page, record, fragment."""
    page, record, fragment, capture = (fields[name] for name in ("page", "record", "fragment", "capture"))
    lines = [translate(fields["standing"]).upper().replace("_", " ")]
    lines += [translate(fields["remark"])] if fields["remark"] else []
    lines += [f"  {check['name']:9} {check['difference'] or say('as stored')}" for check in fields["checks"]]
    read_at = say("read {time}", time=page["fetched_at"])
    lines += ["", f"{label('page')}{page['title'] or page['url']}", f"          {page['url']} ({read_at})"]
    lines += [f"{label('file')}{page['file']}"] if page["file"] else []
    if record:
        stamped = f"{record['kind']}, {record['archived_at']}, {record['digest']}"
        lines.append(f"{label('record')}{record['record_id']} ({stamped})")
        place = {name: record[f"warc_{name}"] for name in ("path", "offset", "length")}
        lines.append("          " + say("{path} at {offset}, {length} bytes", **place))
        refers_to = record["refers_to"]
        lines += ["          " + say("refers to {record_id}", record_id=refers_to)] if refers_to else []
    if capture:
        lines += [f"{name:10} {capture[name]}" for name in ("screenshot", "resources", "har") if capture[name]]
    if fragment:
        where = say(", page {number}", number=fragment["page_number"]) if fragment["page_number"] else ""
        chars = say("characters {start}-{end}", start=fragment["char_start"], end=fragment["char_end"])
        lines.append(f"{label('fragment')}{fragment['id']}, {chars}{where}")
        lines += ["", f"…{fragment['before']}>>>{fragment['text']}<<<{fragment['after']}…"]
    return "\n".join(lines)
