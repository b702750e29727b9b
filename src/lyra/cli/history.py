"""`lyra log`: what happened in a task, and how any of its claims came about."""

import json
from typing import Annotated, Any

import typer

from lyra.cli.completion import TaskArgument
from lyra.cli.context import AsJson, print_json, run
from lyra.text import strip_control_chars


def log(
    ctx: typer.Context,
    task_id: TaskArgument,
    claim_id: Annotated[str | None, typer.Argument(help="A claim, to see how it came about.")] = None,
    neutral: Annotated[bool, typer.Option("--neutral", help="Also judgements that found no stance.")] = False,
    after: Annotated[int, typer.Option(help="Journal: only entries after this one.", min=0)] = 0,
    limit: Annotated[int, typer.Option(help="Journal: entries at most.", min=1, max=10_000)] = 500,
    as_json: AsJson = False,
) -> None:
    """Show a task's journal; with a claim, its causal chain from query to edge.

    Example: lyra log task_1a2b3c4d5e6f c_1a2b3c4d5e6f7a8b --json
    """
    from lyra.research.history import event_fields, history_fields

    if claim_id is None:
        events = run(ctx, lambda lyra: lyra.history.events(task_id, after=after, limit=limit))
        rows = [event_fields(event) for event in events]
        if as_json:
            print_json({"ok": True, "task_id": task_id, "events": rows})
        for row in [] if as_json else rows:
            typer.echo(strip_control_chars(event_line(row)))
        return
    told = history_fields(run(ctx, lambda lyra: lyra.history.of_claim(task_id, claim_id, with_neutral=neutral)))
    if as_json:
        print_json({"ok": True, **told})
    else:
        typer.echo(strip_control_chars(chain_text(told)))


def event_line(row: dict[str, Any]) -> str:
    """One entry of the journal on one line."""
    details = {key: value for key, value in row["details"].items() if value is not None}
    return f"{row['id']} {row['created_at']} {row['kind']} {row['subject']} {json.dumps(details, ensure_ascii=False)}"


def chain_text(told: dict[str, Any]) -> str:
    """The chain of a claim for reading: each way from query to edge as a short ladder."""
    lines = [f"{told['claim_text']}", f"{told['claim_id']}  {told['verdict']}, confidence {told['confidence']}"]
    for number, chain in enumerate(told["chains"], start=1):
        lines += ["", f"{number}. {chain['page']['title'] or chain['page']['url']}", *_steps(chain)]
    if not told["chains"]:
        lines += ["", "Nothing that was read speaks of it."]
    return "\n".join(lines)


def _steps(chain: dict[str, Any]) -> list[str]:
    page, fragment, edge = chain["page"], chain["fragment"], chain["judgement"]
    steps = [step for found in chain["discoveries"] for step in _found(found)]
    steps.append(f"   page      {page['url']} (read {page['fetched_at']})")
    if page["warc_path"]:
        steps.append(f"   archive   {page['warc_path']} at {page['warc_offset']}, record {page['warc_record_id']}")
    where = f" under “{fragment['heading_context']}”" if fragment["heading_context"] else ""
    steps.append(f"   fragment  {fragment['id']}, characters {fragment['char_start']}–{fragment['char_end']}{where}")
    steps += [f"   states    “{' '.join(quote.split())}”" for quote in chain["stated"]]
    if edge is not None:
        steps += [
            f"   model     {edge['model_id']}, calibration {edge['calibration_version']}",
            *([f"   rule      {edge['rule']}"] if edge["rule"] else []),
            f"   edge      {edge['edge_id']} {edge['relation']} {_figure(edge['confidence'])}"
            f" ({edge['trust_level']}): “{' '.join(edge['in_context'].split())}”",
            *([f"   no vote   {edge['no_vote_reason']}"] if edge["no_vote"] else []),
        ]
    return steps


def _found(found: dict[str, Any]) -> list[str]:
    asked = found["derived_query"] or found["query"]
    also = (
        "" if asked == found["query"] else f", asked as “{asked}”" + (f" by {found['rule']}" if found["rule"] else "")
    )
    through = f", by a citation with {found['cited_with']}" if found["cited_with"] else ""
    steps = [
        f"   query     “{found['query']}” ({found['search_id']})",
        f"   engine    {found['engine']}, rank {found['rank']}{also}{through}",
    ]
    tried = [*found["climbed"], *([found["fetch"]] if found["fetch"] is not None else [])]
    return steps + [f"   fetch     {_rung(fetch)}" for fetch in tried]


def _rung(fetch: dict[str, Any]) -> str:
    """One try: the rung, what came of it, and why it was no page."""
    told = f"{fetch.get('rung')}: {fetch.get('outcome')} {fetch.get('status_code') or ''}".rstrip()
    return f"{told}, {fetch['reason']}" if fetch.get("reason") else told


def _figure(value: float | None) -> str:
    return "unmeasured" if value is None else f"{value:.3f}"
