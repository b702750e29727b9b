"""Tools that bring a person in: get_auth_queue, resolve_auth, notify_user, wait_for_user."""

from dataclasses import replace
from typing import TYPE_CHECKING

from lyra.answers.handoff import AuthQueueAnswer, NotifyAnswer, ResolveAuthAnswer, WaitAnswer
from lyra.errors import InvalidParams
from lyra.handoff.questions import readable
from lyra.mcp.inputs import (
    AuthQueueOptions,
    GetAuthQueueIn,
    NotifyUserIn,
    ResolveAuthIn,
    WaitForUserIn,
    WaitOptions,
)
from lyra.mcp.tool import CallContext, Tool
from lyra.model.handoff import HandoffDecision, HandoffStatus, Question
from lyra.model.person import Role
from lyra.research.handoffs import read_session
from lyra.research.tasks import checked_text
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from lyra.app import Lyra

# SPEC §1 decision 15: a call never waits longer unless the client asks for it.
_MAX_WAIT_S = 25.0
_VIA = "client"
# So many items with ordinary addresses keep an answer below its limit.
_MAX_ROWS = 40
_REST_OF_THE_QUEUE = (
    f"These are the {_MAX_ROWS} most urgent. Narrow by task_id or options.priority_filter, or group_by domain; what "
    "is decided makes room for the next. In a terminal: lyra auth list."
)


async def _get_auth_queue(context: CallContext, given: GetAuthQueueIn) -> AuthQueueAnswer:
    options = given.options or AuthQueueOptions.model_validate({})
    if given.task_id is not None:
        await context.lyra.tasks.record_call(given.task_id)
    priority = None if options.priority_filter == "all" else options.priority_filter
    waiting = await context.lyra.handoffs.queue.pending(given.task_id, priority)
    items = [one for one in waiting if await context.lyra.tasks.is_visible(one.task_id)]
    return _shortened(AuthQueueAnswer.from_items(items, options.group_by))


def _shortened(answer: AuthQueueAnswer) -> AuthQueueAnswer:
    """The most urgent rows and how to get the rest, which query_graph does not read."""
    if max(len(answer.queue or ()), len(answer.domains or ()), len(answer.types or ())) <= _MAX_ROWS:
        return answer
    answer.queue = answer.queue and answer.queue[:_MAX_ROWS]
    answer.domains = answer.domains and answer.domains[:_MAX_ROWS]
    answer.types = answer.types and answer.types[:_MAX_ROWS]
    answer.truncated, answer.more = True, _REST_OF_THE_QUEUE
    return answer


async def _resolve_auth(context: CallContext, given: ResolveAuthIn) -> ResolveAuthAnswer:
    data, status = given.data, HandoffStatus(given.data.status)
    handoffs = context.lyra.handoffs
    if given.target == "item":
        auth_id = _required(data.auth_id, "auth_id")
        item = await handoffs.own_item(auth_id, context.lyra.tasks)
        if data.session_data is not None:
            context.lyra.person.require(Role.ADMIN)
        session = read_session(data.session_data, item.domain, (item.url,))
        done = await handoffs.resolve_item(auth_id, status, _VIA, session)
        decision = await _seen_part(context.lyra, done.decision)
        return ResolveAuthAnswer.from_item(auth_id, decision, is_stored=done.session_stored)
    context.lyra.person.require(Role.ADMIN)
    domain = registrable_domain(_required(data.domain, "domain").lower())
    session = read_session(data.session_data, domain, await handoffs.queue.pages_of(domain))
    done = await handoffs.resolve_domain(domain, status, _VIA, session)
    return ResolveAuthAnswer.from_domain(done.decision, is_stored=done.session_stored)


async def _seen_part(lyra: "Lyra", decision: HandoffDecision) -> HandoffDecision:
    """The decision with the tasks and searches that the person sees: it may have freed those of others."""
    runs = await lyra.searches.visible(decision.unblocked_searches)
    seen = tuple([one for one in decision.affected_tasks if await lyra.tasks.is_visible(one)])
    return replace(decision, affected_tasks=seen, unblocked_searches=runs)


def _required(value: str | None, name: str) -> str:
    if not value:
        raise InvalidParams(f"data.{name} is missing.", remedy="Take it from get_auth_queue.")
    return value


async def _notify_user(context: CallContext, given: NotifyUserIn) -> NotifyAnswer:
    payload = given.payload
    report = await context.lyra.notifier.notify(given.event, payload.message, payload.details, payload.timeout_seconds)
    return NotifyAnswer.from_report(report)


async def _wait_for_user(context: CallContext, given: WaitForUserIn) -> WaitAnswer:
    options = given.options or WaitOptions.model_validate({})
    lyra = context.lyra
    limit_s = _MAX_WAIT_S if options.wait_seconds is None else options.wait_seconds
    deadline = lyra.clock.monotonic() + limit_s
    if options.wait_id is not None:
        question = await lyra.questions.get(options.wait_id)
    else:
        question = await new_question(lyra, given.prompt, options)
        reason = {"reason": f"Answer: lyra answer {question.id}"}
        await lyra.notifier.notify("decision_required", question.prompt, reason)  # a desktop may answer slowly
    question = await lyra.questions.wait(question.id, deadline - lyra.clock.monotonic())
    return WaitAnswer.from_question(question, is_open=lyra.questions.is_open(question))


async def new_question(lyra: "Lyra", prompt: str, options: WaitOptions) -> Question:
    """Ask a new question. The answer is exactly one of the client's choices. InvalidParams where it cannot be asked."""
    limit = lyra.settings.server.max_query_chars
    for name, text in (("prompt", prompt), *(("choices", one) for one in options.choices)):
        checked_text(text, name, limit)
    choices = [readable(one) for one in options.choices]
    if len(set(map(str.casefold, choices))) < len(choices):
        raise InvalidParams("Two choices are the same.", remedy="Make the choices different.")
    return await lyra.questions.ask(readable(prompt), choices, options.timeout_seconds)


TOOLS = (
    Tool(
        name="get_auth_queue",
        title="Pages that wait for a person",
        description="Pages behind a CAPTCHA or login that a person must open.",
        input_model=GetAuthQueueIn,
        answer_model=AuthQueueAnswer,
        handler=_get_auth_queue,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="resolve_auth",
        title="Report on a page",
        description=(
            "Report the user's word on an item or a domain. resolved opens the whole domain in every task and resumes "
            "its searches. Never decide for the user."
        ),
        input_model=ResolveAuthIn,
        answer_model=ResolveAuthAnswer,
        handler=_resolve_auth,
        needs=Role.RESEARCHER,
        is_idempotent=True,
    ),
    Tool(
        name="notify_user",
        title="Notify the user",
        description="Show the user a notification; the answer says where it was shown. No secrets.",
        input_model=NotifyUserIn,
        answer_model=NotifyAnswer,
        handler=_notify_user,
        needs=Role.ADMIN,
    ),
    Tool(
        name="wait_for_user",
        title="Ask the user",
        description=(
            'Ask the user a question. After 25 s without answer status is "pending": call again with options.wait_id.'
        ),
        input_model=WaitForUserIn,
        answer_model=WaitAnswer,
        handler=_wait_for_user,
        needs=Role.RESEARCHER,
    ),
)
