"""The list of tasks, and one task at a glance: its hypotheses, its searches, and what came in last."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from lyra.storage import claims, dashboard
from lyra.web import figures
from lyra.web.pages.parts import lyra_of, part_of
from lyra.web.render import page

_TASKS = 20
_NEWEST = 8


async def task_list(request: Request) -> Response:
    """Every task, the newest first."""
    part = part_of(request, _TASKS)
    cards, total = await lyra_of(request).db.read(dashboard.task_cards, part.size, part.offset)
    return page(request, "tasks.html", cards=cards, part=replace(part, total=total))


async def overview(request: Request) -> Response:
    """One task."""
    lyra = lyra_of(request)
    task_id = request.path_params["task_id"]
    report = await lyra.status.report(task_id)
    hypotheses = await lyra.db.read(claims.hypotheses, task_id)
    return page(
        request,
        "task.html",
        task=report.task,
        report=report,
        hypotheses=hypotheses,
        figure=figures.stances(hypotheses),
        new_claims=await lyra.db.read(dashboard.newest_claims, task_id, _NEWEST),
        new_pages=await lyra.db.read(dashboard.newest_pages, task_id, _NEWEST),
    )
