"""Tools that bring a person in: get_auth_queue, resolve_auth, notify_user, wait_for_user."""

from typing import TYPE_CHECKING, Any

from lyra.errors import InvalidParams
from lyra.handoff.answers import (
    domain_decision_fields,
    item_decision_fields,
    question_fields,
    queue_fields,
    shown_fields,
)
from lyra.handoff.questions import readable
from lyra.mcp.handoff_contracts import (
    AuthQueueOptions,
    GetAuthQueueIn,
    GetAuthQueueOut,
    NotifyUserIn,
    NotifyUserOut,
    ResolveAuthIn,
    ResolveAuthOut,
    WaitForUserIn,
    WaitForUserOut,
    WaitOptions,
)
from lyra.mcp.tool import Call, Tool
from lyra.model.handoff import HandoffStatus, Question
from lyra.research.handoffs import read_session
from lyra.research.tasks import checked_text
from lyra.urls import registrable_domain

if TYPE_CHECKING:
    from lyra.app import Lyra

# SPEC §1 decision 15: a call is never held longer unless the client asks for it.
_HOLD_S = 25.0
_VIA = "client"
# So many items with ordinary addresses keep an answer below its limit.
_ROWS_SHOWN = 40
_REST_OF_THE_QUEUE = (
    f"These are the {_ROWS_SHOWN} most urgent. Narrow by task_id or options.priority_filter, or group_by domain; what "
    "is decided makes room for the next. In a terminal: lyra auth list."
)


async def _get_auth_queue(call: Call, given: GetAuthQueueIn) -> GetAuthQueueOut:
    options = given.options or AuthQueueOptions.model_validate({})
    if given.task_id is not None:
        await call.lyra.tasks.record_call(given.task_id)
    priority = None if options.priority_filter == "all" else options.priority_filter
    items = await call.lyra.handoffs.queue.pending(given.task_id, priority)
    return GetAuthQueueOut.model_validate(_first(queue_fields(items, options.group_by)))


def _first(fields: dict[str, Any]) -> dict[str, Any]:
    """The most urgent rows; where that is not all, how to come to the rest: query_graph does not read the queue."""
    long = {name: rows for name, rows in fields.items() if isinstance(rows, list) and len(rows) > _ROWS_SHOWN}
    if not long:
        return fields
    cut = {name: rows[:_ROWS_SHOWN] for name, rows in long.items()}
    return {**fields, **cut, "truncated": True, "more": _REST_OF_THE_QUEUE}


async def _resolve_auth(call: Call, given: ResolveAuthIn) -> ResolveAuthOut:
    data, status = given.data, HandoffStatus(given.data.status)
    handoffs = call.lyra.handoffs
    if given.target == "item":
        auth_id = _needed(data.auth_id, "auth_id")
        session = read_session(data.session_data, (await handoffs.queue.get(auth_id)).domain)
        done = await handoffs.resolve_item(auth_id, status, _VIA, session)
        return ResolveAuthOut.model_validate(
            item_decision_fields(auth_id, done.decision, is_stored=done.session_stored)
        )
    domain = registrable_domain(_needed(data.domain, "domain").lower())
    done = await handoffs.resolve_domain(domain, status, _VIA, read_session(data.session_data, domain))
    return ResolveAuthOut.model_validate(domain_decision_fields(done.decision, is_stored=done.session_stored))


def _needed(value: str | None, name: str) -> str:
    if not value:
        raise InvalidParams(f"data.{name} is missing.", remedy="Take it from get_auth_queue.")
    return value


async def _notify_user(call: Call, given: NotifyUserIn) -> NotifyUserOut:
    payload = given.payload
    shown = await call.lyra.notifier.notify(given.event, payload.message, payload.details, payload.timeout_seconds)
    return NotifyUserOut.model_validate(shown_fields(shown))


async def _wait_for_user(call: Call, given: WaitForUserIn) -> WaitForUserOut:
    options = given.options or WaitOptions.model_validate({})
    hold_s = _HOLD_S if options.wait_seconds is None else options.wait_seconds
    held_until = call.lyra.clock.monotonic() + hold_s
    question = await _question(call, given.prompt, options)  # a desktop that does not answer may take its time
    settled = await call.lyra.questions.wait(question.id, held_until - call.lyra.clock.monotonic())
    return WaitForUserOut.model_validate(question_fields(settled, is_open=call.lyra.questions.is_open(settled)))


async def _question(call: Call, prompt: str, options: WaitOptions) -> Question:
    """The question of a wait that goes on, or a new one, of which the person is told."""
    if options.wait_id is not None:
        return await call.lyra.questions.get(options.wait_id)
    question = await new_question(call.lyra, prompt, options)
    reason = {"reason": f"Answer: lyra answer {question.id}"}
    await call.lyra.notifier.notify("decision_required", question.prompt, reason)
    return question


async def new_question(lyra: "Lyra", prompt: str, options: WaitOptions) -> Question:
    """Ask something new, in the client's own words: the answer is one of its choices to the letter. InvalidParams where
    it cannot be asked."""
    limit = lyra.settings.server.max_query_chars
    for name, text in (("prompt", prompt), *(("choices", one) for one in options.choices)):
        checked_text(text, name, limit)
    choices = [readable(one) for one in options.choices]
    if len(set(map(str.casefold, choices))) < len(choices):
        raise InvalidParams("Two choices are the same.", remedy="Give each choice words of its own.")
    return await lyra.questions.ask(readable(prompt), choices, options.timeout_seconds)


TOOLS = (
    Tool(
        name="get_auth_queue",
        title="Pages that wait for a person",
        description="Pages behind a CAPTCHA or login that a person must open; other work goes on meanwhile.",
        takes=GetAuthQueueIn,
        gives=GetAuthQueueOut,
        answer=_get_auth_queue,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="resolve_auth",
        title="Report on a page that waited",
        description=(
            "Report the user's word on an item or a domain. resolved opens the whole domain in every task and resumes "
            "its searches. Never decide for the user."
        ),
        takes=ResolveAuthIn,
        gives=ResolveAuthOut,
        answer=_resolve_auth,
        is_idempotent=True,
    ),
    Tool(
        name="notify_user",
        title="Notify the user",
        description="Show the user a notification; the answer says where it was shown. No secrets.",
        takes=NotifyUserIn,
        gives=NotifyUserOut,
        answer=_notify_user,
    ),
    Tool(
        name="wait_for_user",
        title="Ask the user",
        description=(
            'Ask the user a question. After 25 s without answer status is "pending": call again with options.wait_id.'
        ),
        takes=WaitForUserIn,
        gives=WaitForUserOut,
        answer=_wait_for_user,
    ),
)
