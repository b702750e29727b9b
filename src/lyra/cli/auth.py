"""`lyra auth`: the pages that wait for a person; `lyra answer`: the answer to a client's question."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lyra.cli.context import AsJson, print_json, read_line, run, show_answer
from lyra.clock import stamp
from lyra.errors import InvalidParams
from lyra.model.handoff import Handoff, HandoffStatus, Question, QuestionStatus
from lyra.text import strip_control_chars
from lyra.translate import say, translate

if TYPE_CHECKING:
    from lyra.answers.handoff import ResolveAuthAnswer
    from lyra.app import Lyra

_VIA = "terminal"
_KEYS = {
    "": HandoffStatus.RESOLVED,
    "r": HandoffStatus.RESOLVED,
    "s": HandoffStatus.SKIPPED,
    "f": HandoffStatus.FAILED,
}
Target = Annotated[str, typer.Argument(help="Id of an item (auth_…), or a domain.")]


app = typer.Typer(invoke_without_command=True)


@app.callback()
def go_through(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Go through the queue: each page is opened in the research browser and waits for your decision.

    Lyra opens the address and raises the window; it touches nothing on the page. Solve the puzzle or sign in, then
    come back and press Enter. One solved page opens its whole domain, in every task.

    Example: lyra auth
    """
    if ctx.invoked_subcommand is None:
        _visit(ctx, max_pages=None, as_json=as_json)


@app.command("next")
def next_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Open the most urgent page only, and wait for your decision.

    Example: lyra auth next
    """
    _visit(ctx, max_pages=1, as_json=as_json)


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
    from lyra.answers.handoff import AuthQueueAnswer

    if group_by not in ("none", "domain", "type"):
        raise InvalidParams(f"There is no grouping {group_by[:60]!r}.", remedy="Use none, domain or type.")

    async def work(lyra: "Lyra") -> tuple[Handoff, ...]:
        if task is not None:
            await lyra.tasks.get(task)
        return await lyra.handoffs.queue.pending(task)

    show_answer(AuthQueueAnswer.from_items(run(ctx, work), group_by), as_json=as_json)


@app.command("resolve")
def resolve(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Report that you have opened a page or a domain; its searches continue.

    Example: lyra auth resolve journals.example.org
    """
    _decide(ctx, target, HandoffStatus.RESOLVED, as_json=as_json)


@app.command("skip")
def skip(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Skip a page, or all pages of a domain.

    Example: lyra auth skip auth_1a2b3c4d5e6f7a8b
    """
    _decide(ctx, target, HandoffStatus.SKIPPED, as_json=as_json)


@app.command("fail")
def fail(ctx: typer.Context, target: Target, as_json: AsJson = False) -> None:
    """Report that a page or a domain could not be opened.

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

    async def work(lyra: "Lyra") -> dict[str, Any]:
        question = await _find_question(lyra, wait_id)
        if question is None:
            return {"open_questions": 0}
        answer_text = text
        if answer_text is None:
            _show_question(question)
            answer_text = await read_line()
        if answer_text is None:
            return {"wait_id": question.id, "status": question.status.value}
        answered = await lyra.questions.answer(question.id, answer_text, _VIA)
        return {
            "wait_id": answered.id,
            "status": answered.status.value,
            "response": answered.response,
            "choice_index": answered.choice_index,
        }

    fields = run(ctx, work)
    if as_json:
        print_json({"ok": True, **fields})
    elif "wait_id" not in fields:
        typer.echo(say("No open questions."))
    elif fields["status"] == QuestionStatus.LATE:
        late = "The client no longer waits. Your answer is kept, marked late, and it sees it when it asks again."
        typer.echo(say(late))
    else:
        typer.echo(say("Answered." if "response" in fields else "Not answered; the question stays open."))


async def _find_question(lyra: "Lyra", wait_id: str | None) -> Question | None:
    if wait_id is not None:
        return await lyra.questions.get(wait_id)
    waiting = await lyra.questions.open()
    return waiting[0] if waiting else None


def _show_question(question: Question) -> None:
    typer.echo(strip_control_chars(question.prompt), err=True)
    for number, choice in enumerate(question.choices, 1):
        typer.echo(f"  {number} {strip_control_chars(choice)}", err=True)


def _decide(ctx: typer.Context, target: str, status: HandoffStatus, *, as_json: bool) -> None:
    from lyra.answers.handoff import ResolveAuthAnswer

    async def work(lyra: "Lyra") -> "ResolveAuthAnswer":
        if target.startswith("auth_"):
            done = await lyra.handoffs.resolve_item(target, status, _VIA)
            return ResolveAuthAnswer.from_item(target, done.decision, is_stored=done.session_stored)
        done = await lyra.handoffs.resolve_domain(target, status, _VIA)
        return ResolveAuthAnswer.from_domain(done.decision, is_stored=done.session_stored)

    show_answer(run(ctx, work), as_json=as_json, exclude_none=True)


def _visit(ctx: typer.Context, *, max_pages: int | None, as_json: bool) -> None:
    """Open one page of each domain that waits, until none is left or the person leaves."""
    from lyra.answers.handoff import AuthItem, ResolveAuthAnswer

    is_asked = False

    async def work(lyra: "Lyra") -> list[dict[str, Any]]:
        nonlocal is_asked
        done: list[dict[str, Any]] = []
        seen: set[str] = set()
        async with lyra.unlocking as unlocking:
            while max_pages is None or len(done) < max_pages:
                waiting = [one for one in await lyra.handoffs.queue.pending() if one.domain not in seen]
                if not waiting:
                    return done
                item = waiting[0]
                seen.add(item.domain)
                shown = await unlocking.show(item)
                is_asked = True
                _introduce(item, shown.not_raised)
                status = await _read_decision()
                if status is None:
                    return done
                outcome = await unlocking.resolve(item, status, _VIA)
                answer = ResolveAuthAnswer.from_domain(outcome.decision, is_stored=outcome.session_stored)
                opened = AuthItem.model_validate(item).model_dump()
                done.append({"item": opened, "window": shown.not_raised or "raised", **answer.cli_fields()})
                _report(answer)
        return done

    done = run(ctx, work)
    if as_json:
        print_json({"ok": True, "visited": done})
    elif not done:
        typer.echo(say("Nothing was decided." if is_asked else "Nothing is waiting."))


def _introduce(item: Handoff, not_raised: str | None) -> None:
    typer.echo(
        f"\n{strip_control_chars(item.url)}\n{item.auth_type} · {item.priority} · "
        + say("since {time}", time=stamp(item.queued_at)),
        err=True,
    )
    if not_raised:
        look = say("! Look for the browser's window yourself: {reason}", reason=translate(not_raised))
        typer.echo(look, err=True)
    typer.echo(say("Open it there, then: Enter = done, s = skip, f = cannot be opened, q = leave the rest"), err=True)


def _report(answer: "ResolveAuthAnswer") -> None:
    words = {
        "domain": answer.domain,
        "status": translate(answer.status or ""),
        "session": say("session kept" if answer.session_stored else "no session"),
        "searches": len(answer.unblocked_searches or ()),
    }
    typer.echo(say("{domain}: {status}, {session}, {searches} searches go on.", **words), err=True)


async def _read_decision() -> HandoffStatus | None:
    """The person's decision; None to leave."""
    while (line := await read_line()) is not None:
        key = line.strip().lower()
        if key == "q":
            return None
        if key in _KEYS:
            return _KEYS[key]
        typer.echo(say("Enter, s, f or q."), err=True)
    return None
