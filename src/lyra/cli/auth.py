"""`lyra auth` walks a person through the pages that wait; `lyra answer` takes the answer to a client's question."""

from typing import Annotated, Any

import typer

from lyra.app import Lyra
from lyra.cli.asking import read_line
from lyra.cli.context import AsJson, print_json, print_table, run
from lyra.clock import stamp
from lyra.errors import InvalidParams
from lyra.handoff.answers import domain_decision_fields, item_decision_fields, item_fields, queue_fields
from lyra.model.handoff import Handoff, HandoffStatus, Question, QuestionStatus
from lyra.text import strip_control_chars

_VIA = "terminal"
_WORDS = {
    "": HandoffStatus.RESOLVED,
    "r": HandoffStatus.RESOLVED,
    "s": HandoffStatus.SKIPPED,
    "f": HandoffStatus.FAILED,
}
Target = Annotated[str, typer.Argument(help="Id of an item (auth_…), or a domain.")]


app = typer.Typer(invoke_without_command=True)


@app.callback()
def walk(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Walk through the queue: each page is opened in the research browser and waits for your word.

    Lyra opens the address and raises the window; it touches nothing on the page. Solve the puzzle or sign in, then
    come back and press Enter. One solved page opens its whole domain, in every task.

    Example: lyra auth
    """
    if ctx.invoked_subcommand is None:
        _visit(ctx, most=None, as_json=as_json)


@app.command("next")
def next_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Open the most urgent page only, and wait for your word.

    Example: lyra auth next
    """
    _visit(ctx, most=1, as_json=as_json)


@app.command("list")
def list_(
    ctx: typer.Context,
    task: Annotated[str | None, typer.Option(help="Only what this task waits for.")] = None,
    group_by: Annotated[str, typer.Option(help="none, domain or type.")] = "none",
    as_json: AsJson = False,
) -> None:
    """List what waits for a person.

    Example: lyra auth list --group-by domain
    """
    if group_by not in ("none", "domain", "type"):
        raise InvalidParams(f"There is no grouping {group_by[:60]!r}.", remedy="Use none, domain or type.")

    async def work(lyra: Lyra) -> tuple[Handoff, ...]:
        if task is not None:
            await lyra.tasks.get(task)
        return await lyra.handoffs.queue.pending(task)

    fields = queue_fields(run(ctx, work), group_by)
    if as_json:
        print_json({"ok": True, **fields})
        return
    rows: list[dict[str, Any]] = fields.get("queue") or fields.get("domains") or fields.get("types") or []
    if not rows:
        typer.echo("Nothing waits for a person.")
        return
    print_table("Waiting for a person", tuple(rows[0]), [tuple(map(_cell, row.values())) for row in rows])


@app.command("resolve")
def resolve(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Say that a page or a domain was opened; its searches go on.

    Example: lyra auth resolve journals.example.org
    """
    _decide(ctx, target, HandoffStatus.RESOLVED, as_json=as_json)


@app.command("skip")
def skip(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Do without a page, or without everything of a domain.

    Example: lyra auth skip auth_1a2b3c4d5e6f7a8b
    """
    _decide(ctx, target, HandoffStatus.SKIPPED, as_json=as_json)


@app.command("fail")
def fail(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Say that a page or a domain could not be opened.

    Example: lyra auth fail journals.example.org
    """
    _decide(ctx, target, HandoffStatus.FAILED, as_json=as_json)


def answer(
    ctx: typer.Context,
    wait_id: Annotated[str | None, typer.Argument(help="Id of the question.", show_default="the oldest")] = None,
    text: Annotated[str | None, typer.Argument(help="The answer; asked for where it is left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question that an AI client has asked you.

    Example: lyra answer wait_1a2b3c4d5e6f "Yes, go on"
    """

    async def work(lyra: Lyra) -> dict[str, Any]:
        question = await _asked(lyra, wait_id)
        if question is None:
            return {"ok": True, "open_questions": 0}
        said = text
        if said is None:
            _show(question)
            said = await read_line()
        if said is None:
            return {"ok": True, "wait_id": question.id, "status": question.status.value}
        settled = await lyra.questions.answer(question.id, said, _VIA)
        return {
            "ok": True,
            "wait_id": settled.id,
            "status": settled.status.value,
            "response": settled.response,
            "choice_index": settled.choice_index,
        }

    fields = run(ctx, work)
    if as_json:
        print_json(fields)
    elif "wait_id" not in fields:
        typer.echo("Nobody asks anything.")
    elif fields["status"] == QuestionStatus.LATE:
        typer.echo("The client waits no more. Your answer is kept, marked late, and it sees it when it asks again.")
    else:
        typer.echo("Thank you." if "response" in fields else "Left open.")


async def _asked(lyra: Lyra, wait_id: str | None) -> Question | None:
    if wait_id is not None:
        return await lyra.questions.get(wait_id)
    waiting = await lyra.questions.open()
    return waiting[0] if waiting else None


def _show(question: Question) -> None:
    typer.echo(strip_control_chars(question.prompt), err=True)
    for number, choice in enumerate(question.choices, 1):
        typer.echo(f"  {number} {strip_control_chars(choice)}", err=True)


def _decide(ctx: typer.Context, target: str, status: HandoffStatus, *, as_json: bool) -> None:
    async def work(lyra: Lyra) -> dict[str, Any]:
        if target.startswith("auth_"):
            done = await lyra.handoffs.resolve_item(target, status, _VIA)
            return item_decision_fields(target, done.decision, is_stored=done.session_stored)
        done = await lyra.handoffs.resolve_domain(target, status, _VIA)
        return domain_decision_fields(done.decision, is_stored=done.session_stored)

    fields = {name: value for name, value in run(ctx, work).items() if value is not None}
    if as_json:
        print_json({"ok": True, **fields})
        return
    freed = fields["unblocked_searches"]
    typer.echo(fields.get("note") or f"{fields['domain']} is {fields['status']}; {len(freed)} searches go on.")


def _visit(ctx: typer.Context, *, most: int | None, as_json: bool) -> None:
    """Open one page of each domain that waits, until none is left or the person leaves."""

    async def work(lyra: Lyra) -> list[dict[str, Any]]:
        done: list[dict[str, Any]] = []
        seen: set[str] = set()
        async with lyra.unlocking as unlocking:
            while most is None or len(done) < most:
                waiting = [one for one in await lyra.handoffs.queue.pending() if one.domain not in seen]
                if not waiting:
                    return done
                item = waiting[0]
                seen.add(item.domain)
                shown = await unlocking.show(item)
                _introduce(item, shown.not_raised)
                status = await _word()
                if status is None:
                    return done
                outcome = await unlocking.settle(item, status, _VIA)
                fields = domain_decision_fields(outcome.decision, is_stored=outcome.session_stored)
                window = shown.not_raised or "raised"
                done.append({"item": item_fields(item), "window": window, **fields})
                _report(fields)
        return done

    done = run(ctx, work)
    if as_json:
        print_json({"ok": True, "visited": done})
    elif not done:
        typer.echo("Nothing was decided.")


def _introduce(item: Handoff, not_raised: str | None) -> None:
    typer.echo(
        f"\n{strip_control_chars(item.url)}\n{item.auth_type} · {item.priority} · since {stamp(item.queued_at)}",
        err=True,
    )
    if not_raised:
        typer.echo(f"! Look for the browser's window yourself: {not_raised}", err=True)
    typer.echo("Open it there, then: Enter = done, s = skip, f = cannot be opened, q = leave the rest", err=True)


def _report(fields: dict[str, Any]) -> None:
    kept = "session kept" if fields["session_stored"] else "no session"
    freed = len(fields["unblocked_searches"])
    typer.echo(f"{fields['domain']}: {fields['status']}, {kept}, {freed} searches go on.", err=True)


async def _word() -> HandoffStatus | None:
    """What the person says; None for leaving."""
    while (said := await read_line()) is not None:
        word = said.strip().lower()
        if word == "q":
            return None
        if word in _WORDS:
            return _WORDS[word]
        typer.echo("Enter, s, f or q.", err=True)
    return None


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
