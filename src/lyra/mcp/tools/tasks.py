"""Tools about tasks: create_task, get_status, stop_task."""

from dataclasses import replace

from lyra.mcp.contracts import (
    CreateTaskIn,
    CreateTaskOut,
    GetStatusIn,
    GetStatusOut,
    LyraMeta,
    StopTaskIn,
    StopTaskOut,
)
from lyra.mcp.tool import Call, Tool
from lyra.model.task import Budget, Granularity, Hypothesis, Polarity, TaskConfig
from lyra.research.answers import created_fields, status_fields, stopped_fields


async def _create_task(call: Call, given: CreateTaskIn) -> CreateTaskOut:
    task, claim_ids = await call.lyra.tasks.create(given.query, _config(call, given))
    return CreateTaskOut.model_validate(created_fields(task, claim_ids))


def _config(call: Call, given: CreateTaskIn) -> TaskConfig:
    defaults = call.lyra.settings.research
    usual = Budget(defaults.max_pages, defaults.max_seconds)
    if given.config is None:
        return TaskConfig(budget=usual)
    wanted = given.config
    return TaskConfig(
        # Of what the client leaves out the settings decide, not the figures that the schema shows.
        budget=replace(usual, **wanted.budget.model_dump(exclude_unset=True)) if wanted.budget else usual,
        priority_domains=tuple(wanted.priority_domains),
        language=wanted.language,
        hypotheses=tuple(
            Hypothesis(h.text, Polarity(h.expected_polarity), Granularity(h.granularity)) for h in wanted.hypotheses
        ),
    )


async def _get_status(call: Call, given: GetStatusIn) -> GetStatusOut:
    report = await call.lyra.status.wait(given.task_id, given.wait_seconds, call.progress)
    meta = LyraMeta(
        unverified_domains=list(report.unverified_domains),
        blocked_domains=[row.domain for row in report.blocked_domains],
    )
    return GetStatusOut.model_validate({**status_fields(report), "_lyra_meta": meta})


async def _stop_task(call: Call, given: StopTaskIn) -> StopTaskOut:
    stopped = await call.lyra.tasks.stop(given.task_id, given.reason)
    return StopTaskOut.model_validate(stopped_fields(given.task_id, stopped))


TOOLS = (
    Tool(
        name="create_task",
        title="Create a research task",
        description=(
            "Start a research task. Break the question into atomic hypotheses yourself; they become claims that every "
            "finding is judged against. Returns task_id and the claims' ids."
        ),
        takes=CreateTaskIn,
        gives=CreateTaskOut,
        answer=_create_task,
    ),
    Tool(
        name="get_status",
        title="Task status",
        description=(
            "All about a task: searches, metrics, budget, auth queue, blocked domains. Numbers, never advice. "
            "With wait_seconds it answers when a running search moves on or ends. A failed search tells "
            "error_code and remedy."
        ),
        takes=GetStatusIn,
        gives=GetStatusOut,
        answer=_get_status,
        is_read_only=True,
        is_idempotent=True,
    ),
    Tool(
        name="stop_task",
        title="Stop a task",
        description="End a task and sum it up. Its graph stays and grows again if you search once more.",
        takes=StopTaskIn,
        gives=StopTaskOut,
        answer=_stop_task,
        is_idempotent=True,
    ),
)
