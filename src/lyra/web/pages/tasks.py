"""The list of tasks, and one task at a glance: its hypotheses, its searches, and what came in last."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lyra.app import Lyra
from lyra.model.search import Search, SearchStatus
from lyra.model.task import Task, TaskStatus
from lyra.report.rechecks import pages_by_kind, summary
from lyra.storage import claims, dashboard, rechecks
from lyra.translate import say, translate
from lyra.web import figures
from lyra.web.guard import form_fields
from lyra.web.pages import exports
from lyra.web.pages.parts import lyra_of, part_of, see
from lyra.web.render import page

_TASKS = 20
_NEWEST = 8
_NEWS = 20
_RUNS_LOOKED_AT = 10
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Activity:
    """Whether somebody works on a task: how many of its searches have not ended, and those that a process works on."""

    task: Task
    running: int
    worked_on: frozenset[str]

    @property
    def state(self) -> str:
        """The task's own state; one that explores is told apart by whether a search runs, waits, or has yet to come."""
        if self.task.status is not TaskStatus.EXPLORING:
            return self.task.status.value
        return "exploring" if self.worked_on else "waiting" if self.running else "ready"

    @property
    def is_left_alone(self) -> bool:
        """Whether searches have yet to end, nobody works on any, and no person has paused them."""
        return self.state == "waiting" and self.task.held_at is None

    def search_state(self, search: Search) -> str:
        is_waiting = search.status is SearchStatus.RUNNING and search.id not in self.worked_on
        return "waiting" if is_waiting else search.status.value


async def task_list(request: Request) -> Response:
    """Every task, the newest first."""
    part = part_of(request, _TASKS)
    lyra = lyra_of(request)
    cards, total = await lyra.db.read(dashboard.task_cards, part.size, part.offset, lyra.person)
    worked_on = await lyra.db.read(dashboard.searches_worked_on, lyra.clock.now())
    activities = [Activity(card.task, card.running_searches, worked_on.get(card.task.id, _NONE)) for card in cards]
    listed = list(zip(cards, activities, strict=True))
    return page(request, "tasks.html", cards=listed, part=part.of(total))


async def overview(request: Request) -> Response:
    """One task."""
    lyra = lyra_of(request)
    task_id = request.path_params["task_id"]
    report = await lyra.status.report(task_id)
    hypotheses = await lyra.db.read(claims.hypotheses, task_id)
    new_claims = await lyra.db.read(dashboard.newest_claims, task_id, _NEWEST)
    worked_on = await lyra.db.read(dashboard.searches_worked_on, lyra.clock.now())
    running = sum(one.status is SearchStatus.RUNNING for one in report.searches)
    return page(
        request,
        "task.html",
        task=report.task,
        report=report,
        activity=Activity(report.task, running, worked_on.get(task_id, _NONE)),
        hypotheses=hypotheses,
        figure=figures.stances(hypotheses),
        new_claims=new_claims,
        retracted=await lyra.db.read(dashboard.retracted_sources, [one.claim.id for one in (*hypotheses, *new_claims)]),
        new_pages=await lyra.db.read(dashboard.newest_pages, task_id, _NEWEST),
        recheck=await _last_recheck(lyra, task_id),
        exports=exports.LINKS,
    )


async def _last_recheck(lyra: Lyra, task_id: str) -> dict[str, Any] | None:
    """What the last recheck that ended found, in the language of now."""
    runs = await lyra.db.read(rechecks.runs, task_id, _RUNS_LOOKED_AT)
    run = next((one for one in runs if one.state.is_ended), None)
    if run is None:
        return None
    report = run.report
    return {
        "run": run,
        "told": summary(report) if report else say("The check failed: {reason}", reason=translate(run.reason or "")),
        "verdicts": report.verdicts[:_NEWS] if report else (),
        "pages": tuple((heading, found[:_NEWS]) for heading, found in pages_by_kind(report)) if report else (),
    }


async def share(request: Request) -> Response:
    """Let everyone who has a token of this server read the task, or no longer."""
    fields = await form_fields(request)
    task = await lyra_of(request).tasks.share(request.path_params["task_id"], is_shared=fields.get("shared") == "yes")
    return see(f"/tasks/{task.id}")
