"""The review queue: one text after another, decided with the keyboard or with buttons."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.errors import InvalidParams
from lyra.research.reviewing import ReviewInput
from lyra.storage import dashboard
from lyra.web.guard import form_fields
from lyra.web.pages.parts import lyra_of, see
from lyra.web.render import page

_SHOWN = 15
_REVIEWER = "person"
_STANCES = ("supports", "refutes", "neutral")


async def queue(request: Request) -> Response:
    """What to review next: first what would turn a verdict."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    claim_id = request.query_params.get("claim")
    only_hypotheses = "hypotheses" in request.query_params
    waiting, done, last = await lyra.db.read(dashboard.review_figures, task.id)
    return page(
        request,
        "review.html",
        task=task,
        rows=await lyra.reviews.queue(task.id, _SHOWN, only_hypotheses=only_hypotheses, claim_id=claim_id),
        only_hypotheses=only_hypotheses,
        claim_id=claim_id,
        waiting=waiting,
        done=done,
        last=last,
        stances=_STANCES,
    )


async def decide(request: Request) -> Response:
    """Write one review; the verdict of its claim follows at once."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    fields = await form_fields(request)
    stance = fields.get("stance", "")
    if stance not in _STANCES:
        raise InvalidParams(f"{stance[:40]!r} is not a stance.", remedy="Use supports, refutes or neutral.")
    given = ReviewInput(fields.get("edge", ""), stance, fields.get("reason", ""), _REVIEWER)
    await lyra.reviews.add_one(given, task_id=task.id)
    return see(fields.get("back", f"/tasks/{task.id}/review"))


async def undo(request: Request) -> Response:
    """Take one review back."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    fields = await form_fields(request)
    await lyra.reviews.undo(fields.get("edge", ""), task_id=task.id)
    return see(fields.get("back", f"/tasks/{task.id}/review"))
