"""What waits for a person: pages behind a puzzle or a sign-in, and questions of an AI client."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.app import Lyra
from lyra.errors import InvalidParams
from lyra.model.handoff import HandoffStatus
from lyra.model.person import Role
from lyra.web.guard import form_fields
from lyra.web.pages.parts import lyra_of, see
from lyra.web.render import page

_VIA = "dashboard"
_DECISIONS = {
    "resolved": HandoffStatus.RESOLVED,
    "skipped": HandoffStatus.SKIPPED,
    "failed": HandoffStatus.FAILED,
}


async def waiting(request: Request) -> Response:
    """The queue over all tasks, high priority first."""
    lyra = lyra_of(request)
    items = [one for one in await lyra.handoffs.queue.pending() if await lyra.tasks.is_visible(one.task_id)]
    return page(request, "waiting.html", items=items, questions=await lyra.questions.open())


async def decide(request: Request) -> Response:
    """Open a page in the research browser, or take a person's word on it; or answer a question."""
    lyra = lyra_of(request)
    fields = await form_fields(request)
    if "question" in fields:
        await lyra.questions.answer(fields["question"], fields.get("answer", ""), _VIA)
    else:
        await _decide_page(lyra, fields.get("item", ""), fields.get("action", ""))
    return see("/waiting")


async def _decide_page(lyra: Lyra, item_id: str, action: str) -> None:
    item = await lyra.handoffs.own_item(item_id, lyra.tasks)
    if action == "open":
        lyra.person.require(Role.ADMIN)  # the window opens on the machine of the server
        await lyra.unlocking.show(item)
    elif action in _DECISIONS:
        await lyra.handoffs.resolve_item(item_id, _DECISIONS[action], _VIA)
    else:
        raise InvalidParams(f"There is no action {action[:40]!r}.", remedy="Use a button of the page.")
