"""The claims of a task by verdict, and one claim with both sides side by side."""

from starlette.requests import Request
from starlette.responses import Response

from lyra.model.claim import Verdict
from lyra.model.edge import Relation
from lyra.storage import claims, dashboard, quotes
from lyra.web.pages.parts import lyra_of, not_found, part_of
from lyra.web.render import page

_CLAIMS = 50
_QUOTES = 20
_VERDICTS = tuple(verdict.value for verdict in Verdict)


async def claim_list(request: Request) -> Response:
    """All claims of a task, or those with one verdict."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    chosen = request.query_params.get("verdict")
    verdict = chosen if chosen in _VERDICTS else None
    part = part_of(request, _CLAIMS)
    found = await lyra.db.read(dashboard.claim_list, task.id, verdict, part.size, part.offset)
    return page(
        request,
        "claims.html",
        task=task,
        found=found,
        retracted=await lyra.db.read(dashboard.retracted_sources, [one.claim.id for one in found.claims]),
        verdict=verdict,
        verdicts=_VERDICTS,
        part=part.of(found.total),
    )


async def claim(request: Request) -> Response:
    """One claim: what speaks for it and what against it."""
    lyra = lyra_of(request)
    found = await lyra.db.read(claims.get, request.path_params["claim_id"])
    if found is None or not await lyra.tasks.is_visible(found.claim.task_id):
        raise not_found()
    part = part_of(request, _QUOTES)
    supports, supporting = await lyra.db.read(
        quotes.of_claim, found.claim.id, Relation.SUPPORTS, part.size, part.offset
    )
    refutes, refuting = await lyra.db.read(quotes.of_claim, found.claim.id, Relation.REFUTES, part.size, part.offset)
    return page(
        request,
        "claim.html",
        task=await lyra.tasks.get(found.claim.task_id),
        found=found,
        retracted=await lyra.db.read(dashboard.retracted_sources, [found.claim.id]),
        levels=await lyra.trust.of_pages({one.page_id for one in (*supports, *refutes)}),
        sides=(("supports", supports, supporting), ("refutes", refutes, refuting)),
        part=part.of(max(supporting, refuting)),
    )
