"""Commands that explore the Evidence Graph: `query`, `similar`, `what-if`, `timeline`, `log`."""

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, TaskId, label, print_json, print_table, run, show_answer
from lyra.cli.page_warnings import with_warnings
from lyra.errors import InvalidParams
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.research import QueryAnswer, SimilarTextsAnswer
    from lyra.app import Lyra

# What a task's journal tells of; an entry of another kind is shown under its own name.
_KINDS = (
    "search",
    "query",
    "engines",
    "answer",
    "fetch",
    "fetch_robots",
    "site_pages",
    "needs_scripts",
    "partly_read",
    "partly_judged",
    "past",
    "retraction",
    "novelty",
    "verdicts",
    "verdict_changed",
    "review",
    "review_undone",
    "handoff",
    "job",
)


def query(
    ctx: typer.Context,
    sql: Annotated[str, typer.Argument(help="One SELECT or WITH … SELECT.")] = "",
    limit: Annotated[int, typer.Option(help="Rows at most.", min=1, max=200)] = 50,
    timeout_ms: Annotated[int, typer.Option(help="Time limit in milliseconds.", min=1, max=2000)] = 300,
    max_vm_steps: Annotated[int, typer.Option(help="Work limit.", min=1000, max=5_000_000)] = 500_000,
    schema: Annotated[bool, typer.Option("--schema", help="List tables, views and what they are for.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the graph in read-only SQL.

    Example: lyra query "select claim_text, controversy_score from v_contradictions"
    """
    from lyra.answers.research import QueryAnswer

    statement = sql or ("select 1" if schema else "")

    async def work(lyra: "Lyra") -> "QueryAnswer":
        found = await lyra.graph.query(
            statement, limit=limit, timeout_ms=timeout_ms, max_vm_steps=max_vm_steps, include_schema=schema
        )
        return await with_warnings(lyra, QueryAnswer.from_result(found))

    show_answer(run(ctx, work), as_json=as_json)


def similar(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="What to look for, by meaning.")],
    target: Annotated[str, typer.Option(help="claims or fragments.")] = "claims",
    task: Annotated[str | None, typer.Option(help="Only within this task.")] = None,
    top_k: Annotated[int, typer.Option(help="Results at most.", min=1, max=50)] = 10,
    min_similarity: Annotated[float, typer.Option(help="Least similarity.", min=0, max=1)] = 0.5,
    as_json: AsJson = False,
) -> None:
    """Find claims or fragments by meaning.

    Example: lyra similar "risk of heart failure" --target fragments
    """
    from lyra.answers.research import SimilarTextsAnswer

    async def work(lyra: "Lyra") -> "SimilarTextsAnswer":
        found = await lyra.graph.similar(text, target=target, task_id=task, top_k=top_k, min_similarity=min_similarity)
        return await with_warnings(lyra, SimilarTextsAnswer.from_hits(found))

    show_answer(run(ctx, work), as_json=as_json)


def what_if(
    ctx: typer.Context,
    task_id: TaskId,
    without: Annotated[
        list[str], typer.Option(help="A domain, a work (DOI, PMID, arXiv id) or a page's address; may be repeated.")
    ],
    as_json: AsJson = False,
) -> None:
    """Show which verdicts would change if sources were withdrawn. Nothing is changed.

    Example: lyra what-if task_1a2b3c4d5e6f --without 10.5555/jmetd.2014.0666 --without example.com
    """
    from lyra.research.whatif import what_if_fields

    async def work(lyra: "Lyra") -> dict[str, Any]:
        task = await lyra.tasks.get(task_id)
        return what_if_fields(task.id, await lyra.what_if.assess_without(task.id, without))

    fields = run(ctx, work)
    if as_json:
        print_json({"ok": True, **fields})
        return
    fields_shown = ("verdict", "verification_status", "adoption_status", "confidence")
    rows = [(*(_arrow(row, name) for name in fields_shown), row["text"]) for row in fields["claims"]]
    typer.echo(strip_control_chars(say("Without {sources}:", sources=", ".join(without))))
    columns = ("verdict", "verification", "adoption", "confidence", "claim")
    print_table("Claims that the withdrawn sources are about", columns, rows)
    counts = {name: fields[f"claims_{name}"] for name in ("changed", "touched", "total")}
    changed = "{changed} of {touched} claims touched would change; {total} claims in the task."
    typer.echo(say(changed, **counts))


def _arrow(row: dict[str, Any], name: str) -> str:
    before, after = row["before"][name], row["after"][name]
    words = [translate(str(one)) for one in (before, after)]
    return words[0] if before == after else " → ".join(words)


def timeline(
    ctx: typer.Context,
    task_id: TaskId,
    claim_id: Annotated[str | None, typer.Argument(help="Only this claim.", show_default="all")] = None,
    as_json: AsJson = False,
) -> None:
    """Show when evidence was published, updated, corrected or retracted, and when it was first seen.

    Example: lyra timeline task_1a2b3c4d5e6f --json
    """
    from lyra.answers.addresses import redactor_for, without_secrets
    from lyra.research.history import timeline_fields

    async def work(lyra: "Lyra") -> list[dict[str, Any]]:
        task = await lyra.tasks.get(task_id)
        texts = {claim.id: claim.claim_text for claim in await lyra.tasks.claims(task.id)}
        if claim_id is not None and claim_id not in texts:
            raise InvalidParams(
                f"The task has no claim {claim_id[:60]!r}.",
                remedy='`lyra query "SELECT id, claim_text FROM claims"` lists them.',
            )
        found = await lyra.reporter.timelines(task)
        wanted = [one for one in found if claim_id in (None, one.claim_id)]
        told = [timeline_fields(one, texts[one.claim_id]) for one in wanted]
        return without_secrets(told, redactor_for(lyra.settings))

    claims = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": task_id, "claims": claims})
        return
    for number, claim in enumerate(claims):
        typer.echo(strip_control_chars("\n".join([*([""] if number else []), *_claim_lines(claim)])))
        rows = [(_event_date(event), event["kind"], event["relation"], event["url"]) for event in claim["events"]]
        print_table("", ("date", "what", "stance", "where"), rows)
    if not claims:
        typer.echo(say("No evidence yet."))


def _event_date(event: dict[str, Any]) -> str:
    return event["date"] or say("seen {day}", day=event["seen_at"][:10])


def _claim_lines(claim: dict[str, Any]) -> list[str]:
    """The lines above a claim's events: its words, and what is unusual about the dates."""
    newest = max(filter(None, (claim["newest_support"], claim["newest_refutation"])), default="")
    old = "outdated: its newest dated evidence is of {newest}, over two years before the task's newest"
    outdated = say(old, newest=newest)
    return [
        f"{claim['claim_id']}  {claim['text']}",
        *([outdated] if claim["is_outdated"] else []),
        *(say("mentions {stated_year} on a page of {page_date}: {url}", **one) for one in claim["mismatches"]),
    ]


def log(
    ctx: typer.Context,
    task_id: TaskId,
    claim_id: Annotated[str | None, typer.Argument(help="A claim, to see how it came about.")] = None,
    neutral: Annotated[bool, typer.Option("--neutral", help="Also judgements that found no stance.")] = False,
    after: Annotated[int, typer.Option(help="Journal: only entries after this one.", min=0)] = 0,
    limit: Annotated[int, typer.Option(help="Journal: entries at most.", min=1, max=10_000)] = 500,
    as_json: AsJson = False,
) -> None:
    """Show a task's journal; with a claim, its causal chain from query to edge.

    Example: lyra log task_1a2b3c4d5e6f c_1a2b3c4d5e6f7a8b --json
    """
    from lyra.answers.addresses import redactor_for, without_secrets
    from lyra.research.history import event_fields, history_fields

    if claim_id is None:
        events = run(ctx, lambda lyra: lyra.history.events(task_id, after=after, limit=limit))
        rows = [event_fields(event) for event in events]
        if as_json:
            print_json({"ok": True, "task_id": task_id, "events": rows})
        for row in [] if as_json else rows:
            typer.echo(strip_control_chars(event_line(row)))
        return
    chains = history_fields(run(ctx, lambda lyra: lyra.history.of_claim(task_id, claim_id, with_neutral=neutral)))
    chains = without_secrets(chains, redactor_for(ctx.obj.settings()))
    if as_json:
        print_json({"ok": True, **chains})
    else:
        typer.echo(strip_control_chars(chain_text(chains)))


def event_line(row: dict[str, Any]) -> str:
    """One entry of the journal on one line."""
    details = {key: value for key, value in row["details"].items() if value is not None}
    kind = dict(zip(_KINDS, map(say, _KINDS), strict=True)).get(row["kind"], row["kind"])
    return f"{row['id']} {row['created_at']} {kind} {row['subject']} {json.dumps(details, ensure_ascii=False)}"


def chain_text(history: dict[str, Any]) -> str:
    """The history of a claim for people: each chain from query to edge, one step a line."""
    lines = [
        f"{history['claim_text']}",
        f"{history['claim_id']}  {translate(history['verdict'])}, {say('confidence')} {history['confidence']}",
    ]
    for number, chain in enumerate(history["chains"], start=1):
        lines += ["", f"{number}. {chain['page']['title'] or chain['page']['url']}", *_chain_lines(chain)]
    if not history["chains"]:
        lines += ["", say("No page that was read is about it.")]
    return "\n".join(lines)


def _chain_lines(chain: dict[str, Any]) -> list[str]:
    page, fragment, edge = chain["page"], chain["fragment"], chain["judgement"]
    steps = [step for found in chain["discoveries"] for step in _discovery_lines(found)]
    steps.append(f"   {label('page')}{page['url']} ({say('read {time}', time=page['fetched_at'])})")
    if page["warc_path"]:
        place = {"path": page["warc_path"], "offset": page["warc_offset"], "record_id": page["warc_record_id"]}
        steps.append(f"   {label('archive')}{say('{path} at {offset}, record {record_id}', **place)}")
    heading = fragment["heading_context"]
    where = say(" under “{heading}”", heading=heading) if heading else ""
    chars = say("characters {start}-{end}", start=fragment["char_start"], end=fragment["char_end"])
    steps.append(f"   {label('fragment')}{fragment['id']}, {chars}{where}")
    steps += [f"   {label('states')}“{' '.join(quote.split())}”" for quote in chain["stated"]]
    if edge is not None:
        steps += [
            f"   {label('model')}{edge['model_id']}, {say('calibration')} {edge['calibration_version']}",
            *([f"   {label('rule')}{edge['rule']}"] if edge["rule"] else []),
            f"   {label('edge')}{edge['edge_id']} {translate(edge['relation'])} {_figure(edge['confidence'])}"
            f" ({edge['trust_level']}): “{' '.join(edge['in_context'].split())}”",
            *([f"   {label('no vote')}{translate(edge['no_vote_reason'])}"] if edge["no_vote"] else []),
        ]
    return steps


def _discovery_lines(found: dict[str, Any]) -> list[str]:
    asked = found["derived_query"] or found["query"]
    rule = say(" by {rule}", rule=found["rule"]) if found["rule"] else ""
    also = "" if asked == found["query"] else say(", asked as “{query}”", query=asked) + rule
    cited = found["cited_with"]
    through = say(", by a citation with {work}", work=cited) if cited else ""
    rank = say("{engine}, rank {rank}", engine=found["engine"], rank=found["rank"])
    steps = [
        f"   {label('query')}“{found['query']}” ({found['search_id']})",
        f"   {label('engine')}{rank}{also}{through}",
    ]
    tried = [*found["climbed"], *([found["fetch"]] if found["fetch"] is not None else [])]
    return steps + [f"   {label('fetch')}{_rung(fetch)}" for fetch in tried]


def _rung(fetch: dict[str, Any]) -> str:
    """One attempt: the rung, its outcome, and why it got no page."""
    line = f"{fetch.get('rung')}: {fetch.get('outcome')} {fetch.get('status_code') or ''}".rstrip()
    return f"{line}, {fetch['reason']}" if fetch.get("reason") else line


def _figure(value: float | None) -> str:
    return say("unmeasured") if value is None else f"{value:.3f}"
