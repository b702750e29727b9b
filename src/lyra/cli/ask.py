"""`lyra ask`: from a question to an answer in one command."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from lyra.cli.context import AsJson, complete_task_id, run, show_answer
from lyra.cli.page_warnings import with_warnings
from lyra.cli.search import LineView, LiveView
from lyra.errors import InvalidParams
from lyra.model.search import SearchOptions, SearchStatus, Source
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.translate import in_language, language, say

if TYPE_CHECKING:
    from lyra.answers.ask import AskAnswer
    from lyra.app import Lyra
    from lyra.research.status import TaskReport

_POLL_S = 1.0
_INTERRUPTED = 130


def ask(
    ctx: typer.Context,
    question: Annotated[str | None, typer.Argument(help="The question, in your own words.")] = None,
    hypothesis: Annotated[
        list[str] | None,
        typer.Option("--hypothesis", "-H", help="A statement to judge, true or false; may be repeated, up to 20."),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Main language, such as en or ja: queries derived in it go first.")
    ] = None,
    engine: Annotated[list[str] | None, typer.Option(help="Engine to ask; may be repeated.")] = None,
    source: Annotated[list[Source] | None, typer.Option(help="Where to look; may be repeated.")] = None,
    priority_domain: Annotated[
        list[str] | None, typer.Option(help="A domain to read before others; may be repeated.")
    ] = None,
    max_pages: Annotated[int | None, typer.Option(help="Pages to fetch, shared out among the searches.", min=1)] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Seconds the searches may run.", min=1)] = None,
    wait: Annotated[
        float, typer.Option(help="Seconds after which the answer is shown, whether or not all is done.", min=0)
    ] = 3600,
    task: Annotated[
        str | None,
        typer.Option(
            help="Go on with a question that was asked before, and show its answer.", autocompletion=complete_task_id
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question: search, read, judge, then show the verdict on each hypothesis with the words for and against.

    The question and each hypothesis are sent as they stand, each hypothesis also with the fixed words that find what
    speaks against it. Lyra makes up no query: what you do not say is not looked for.

    Example: lyra ask "Are DPP-4 inhibitors safe?" -H "DPP-4 inhibitors cause pancreatitis."
    """
    from lyra.cli.ask_view import print_answer
    from lyra.cli.render import print_security_warnings
    from lyra.research.asking import start_asking

    _check_arguments(question, hypothesis, task)
    started: list[str] = [task] if task else []

    async def work(lyra: "Lyra") -> "AskAnswer":
        if question is not None:
            defaults = lyra.settings.research
            config = TaskConfig(
                budget=Budget(max_pages or defaults.max_pages, max_seconds or defaults.max_seconds),
                priority_domains=tuple(priority_domain or ()),
                language=language,
                hypotheses=tuple(Hypothesis(text) for text in hypothesis or ()),
            )
            options = SearchOptions(
                engines=tuple(engine) if engine else None, sources=tuple(source) if source else None
            )
            asked = await start_asking(lyra.tasks, lyra.searches, question, config, options, defaults.pages_per_search)
            started.append(asked.id)
        return await _answer(lyra, started[0], wait, as_json=as_json)

    try:
        answer = run(ctx, work, with_worker=True)
    except typer.Exit as ended:
        if ended.exit_code == _INTERRUPTED and started:
            typer.echo(say("Go on and see the answer: {command}", command=_again(ctx, started[0])), err=True)
        raise
    if as_json:
        show_answer(answer, as_json=True)
    else:
        print_answer(answer, again=_again(ctx, started[0]), report=_command(ctx, f"report {started[0]}"))
        print_security_warnings(answer)


def _check_arguments(question: str | None, hypothesis: list[str] | None, task: str | None) -> None:
    if (question is None) == (task is None):
        raise InvalidParams(
            "Give a question, or with --task one that was asked before.", remedy='For instance: lyra ask "Is it safe?"'
        )
    if task is not None and hypothesis:
        raise InvalidParams(
            "A question that was asked before has its hypotheses.", remedy="Leave out -H, or ask a new question."
        )


async def _answer(lyra: "Lyra", task_id: str, limit_s: float, *, as_json: bool) -> "AskAnswer":
    """Wait until all is done, showing how far it is; raises the error where no search could be done at all."""
    from lyra.answers.ask import AskAnswer

    report = await _watch(lyra, task_id, limit_s, as_json=as_json)
    failed = [search for search in report.searches if search.status is SearchStatus.FAILED]
    if failed and len(failed) == len(report.searches):
        error = report.errors[failed[0].id]
        error.details["task_id"] = task_id
        raise error
    findings = await lyra.status.findings(task_id)
    claims = () if findings else await lyra.status.claims_for_question(task_id)
    unanswered = await lyra.status.unasked_sources(task_id)
    with in_language("en" if as_json else language()):
        return await with_warnings(lyra, AskAnswer.from_findings(report, findings, claims, unanswered))


async def _watch(lyra: "Lyra", task_id: str, limit_s: float, *, as_json: bool) -> "TaskReport":
    from lyra.answers.research import StatusAnswer

    console = Console(stderr=True)
    deadline = lyra.clock.monotonic() + limit_s
    with LiveView(console) if console.is_terminal else LineView(is_silent=as_json, is_error=True) as view:
        while True:
            left_s = deadline - lyra.clock.monotonic()
            report = await lyra.status.wait(task_id, max(0.0, min(_POLL_S, left_s)))
            view.show(StatusAnswer.from_report(report))
            if left_s <= 0 or _has_stopped(report):
                return report


def _has_stopped(report: "TaskReport") -> bool:
    """Whether no search runs, or those that do wait for the person who has paused the task."""
    from lyra.research.searches import WAITING_PHASES

    running = [search for search in report.searches if search.status is SearchStatus.RUNNING]
    is_held = report.task.held_at is not None and all(one.phase in WAITING_PHASES for one in running)
    return is_held or not running


def _again(ctx: typer.Context, task_id: str) -> str:
    return _command(ctx, f"ask --task {task_id}")


def _command(ctx: typer.Context, words: str) -> str:
    """A command over the same data."""
    data_dir = ctx.obj.flags.get("data_dir")
    return f"lyra --data-dir {data_dir} {words}" if data_dir else f"lyra {words}"
