"""When the evidence of a task was published, changed, retracted, and first seen."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from lyra.evidence.timeline import ClaimTimeline, TimelineEvent
from lyra.storage import claims, dashboard
from lyra.web import figures
from lyra.web.pages.parts import lyra_of, part_of
from lyra.web.render import page

_EVENTS = 100


async def timeline(request: Request) -> Response:
    """The events of the hypotheses, or of one claim; of all claims where there are no hypotheses."""
    lyra = lyra_of(request)
    task = await lyra.tasks.get(request.path_params["task_id"])
    hypotheses = await lyra.db.read(claims.hypotheses, task.id)
    wanted = request.query_params.get("claim")
    ids = {wanted} if wanted else {one.claim.id for one in hypotheses}
    histories = [one for one in await lyra.reporter.timelines(task) if not ids or one.claim_id in ids]
    events = _in_order(histories)
    part = part_of(request, _EVENTS).of(len(events))
    shown = events[part.offset : part.offset + part.size]
    texts = await lyra.db.read(dashboard.claim_texts, task.id, sorted({one.claim_id for one in shown} | ids))
    return page(
        request,
        "timeline.html",
        task=task,
        hypotheses=hypotheses,
        wanted=wanted,
        events=shown,
        figure=figures.years(events),
        outdated=sum(one.is_outdated for one in histories),
        retracted=sum(one.retracted_sources for one in histories),
        texts=texts,
        part=part,
    )


def _in_order(histories: Sequence[ClaimTimeline]) -> list[TimelineEvent]:
    """The newest first; what has no date of its own by the day it was seen."""
    events = [event for one in histories for event in one.events]
    return sorted(events, key=lambda one: (one.date or one.seen_at[:10], one.url, one.claim_id), reverse=True)
