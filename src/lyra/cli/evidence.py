"""`lyra what-if` and `lyra timeline`: what evidence rests on, and its history."""

from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.cli.task import TaskId
from lyra.errors import InvalidParams
from lyra.text import strip_control_chars


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
    from lyra.research.accounts import what_if_fields

    async def work(lyra: Lyra) -> dict[str, Any]:
        task = await lyra.tasks.get(task_id)
        return what_if_fields(task.id, await lyra.what_if.without(task.id, without))

    fields = run(ctx, work)
    if as_json:
        print_json({"ok": True, **fields})
        return
    told = ("verdict", "verification_status", "adoption_status", "confidence")
    rows = [(*(_arrow(row, name) for name in told), row["text"]) for row in fields["claims"]]
    typer.echo(strip_control_chars(f"Without {', '.join(without)}:"))
    columns = ("verdict", "verification", "adoption", "confidence", "claim")
    print_table("Claims that the withdrawn sources speak of", columns, rows)
    typer.echo(
        f"{fields['claims_changed']} of {fields['claims_touched']} claims touched would change;"
        f" {fields['claims_total']} claims in the task."
    )


def _arrow(row: dict[str, Any], name: str) -> str:
    before, after = row["before"][name], row["after"][name]
    return str(before) if before == after else f"{before} → {after}"


def timeline(
    ctx: typer.Context,
    task_id: TaskId,
    claim_id: Annotated[str | None, typer.Argument(help="Only this claim.", show_default="all")] = None,
    as_json: AsJson = False,
) -> None:
    """Show when evidence was published, updated, corrected or retracted, and when it was first seen.

    Example: lyra timeline task_1a2b3c4d5e6f --json
    """
    from lyra.research.accounts import timeline_fields

    async def work(lyra: Lyra) -> list[dict[str, Any]]:
        task = await lyra.tasks.get(task_id)
        texts = {claim.id: claim.claim_text for claim in await lyra.tasks.claims(task.id)}
        if claim_id is not None and claim_id not in texts:
            raise InvalidParams(
                f"The task has no claim {claim_id[:60]!r}.", remedy='lyra query "select id, claim_text from claims".'
            )
        found = await lyra.reporter.timelines(task)
        wanted = [one for one in found if claim_id in (None, one.claim_id)]
        return [timeline_fields(one, texts[one.claim_id]) for one in wanted]

    claims = run(ctx, work)
    if as_json:
        print_json({"ok": True, "task_id": task_id, "claims": claims})
        return
    for number, claim in enumerate(claims):
        typer.echo(strip_control_chars("\n".join([*([""] if number else []), *_of_claim(claim)])))
        rows = [
            (event["date"] or f"seen {event['seen_at'][:10]}", event["kind"], event["relation"], event["url"])
            for event in claim["events"]
        ]
        print_table("", ("date", "what", "stance", "where"), rows)
    if not claims:
        typer.echo("No evidence yet.")


def _of_claim(claim: dict[str, Any]) -> list[str]:
    """What stands above a claim's events, in a pipe too: its words, and what is odd about the times."""
    newest = max(filter(None, (claim["newest_support"], claim["newest_refutation"])), default="")
    outdated = f"outdated: its newest dated evidence is of {newest}, over two years before the task's newest"
    return [
        f"{claim['claim_id']}  {claim['text']}",
        *([outdated] if claim["is_outdated"] else []),
        *(
            f"speaks of {one['stated_year']} on a page of {one['page_date']}: {one['url']}"
            for one in claim["mismatches"]
        ),
    ]
