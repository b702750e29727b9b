"""A person pauses a task: nothing of it is worked on before the same or another person lets it go on."""

from typing import Any

import pytest

from lyra.errors import InvalidParams, PipelineError
from lyra.model.job import JobState
from lyra.model.search import SearchOptions
from lyra.model.task import TaskStatus
from lyra.research.search_run import StopReason
from lyra.research.tasks import PAUSED_BY_PERSON


async def test_a_paused_task_stops_before_its_next_page(office: Any) -> None:
    """The page in hand is finished; then the search waits."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    paused = await office.tasks.pause(task.id)

    assert (paused.status, paused.reason, paused.held_at) == (TaskStatus.PAUSED, PAUSED_BY_PERSON, office.clock.now())
    assert await run.should_stop() == StopReason(PAUSED_BY_PERSON, is_pause=True)


async def test_no_call_wakes_a_task_that_a_person_paused(office: Any) -> None:
    """Neither its status nor another search: both are answered, and nothing runs."""
    task = await office.task()
    search, job = await office.begun(task)
    await office.tasks.pause(task.id)
    await (await office.run(search)).pause(PAUSED_BY_PERSON)
    await office.settle(job, JobState.PAUSED)

    report = await office.status.wait(task.id, 0)
    await office.searches.start(task.id, "DPP-4 inhibitors pancreatitis", SearchOptions())

    assert report.task.status is TaskStatus.PAUSED
    assert (await office.get(task.id)).status is TaskStatus.PAUSED
    assert sorted(await office.job_states(task)) == [JobState.PAUSED, JobState.QUEUED]


async def test_resuming_queues_what_was_paused(office: Any) -> None:
    """And the task explores again."""
    task = await office.task()
    _, job = await office.begun(task)
    await office.tasks.pause(task.id)
    await office.settle(job, JobState.PAUSED)

    resumed = await office.tasks.resume(task.id)

    assert (resumed.status, resumed.held_at) == (TaskStatus.EXPLORING, None)
    assert await office.job_states(task) == [JobState.QUEUED]


async def test_pausing_twice_keeps_the_first_moment(office: Any) -> None:
    """Since when it waits is when it was paused first; an ended task cannot be paused."""
    task = await office.task()
    first = await office.tasks.pause(task.id)
    office.clock.pass_by(60)

    again = await office.tasks.pause(task.id)
    await office.tasks.stop(task.id, "completed")
    with pytest.raises(InvalidParams, match="has ended"):
        await office.tasks.pause(task.id)

    assert again.held_at == first.held_at


async def test_more_searches_than_may_wait_are_refused(office: Any) -> None:
    """Back-pressure: the client is told when to come back, and what waits is untouched."""
    task = await office.task()
    most = office.settings.jobs.max_queued
    for number in range(most):
        await office.searches.start(task.id, f"query {number}", SearchOptions())

    with pytest.raises(PipelineError) as refused:
        await office.searches.start(task.id, "one more", SearchOptions())

    assert (refused.value.retryable, refused.value.retry_after_s) == (True, 30.0)
    assert len(await office.job_states(task)) == most


async def test_searches_of_a_paused_task_stand_in_no_other_tasks_way(office: Any) -> None:
    """They wait for a person, not for their turn; the paused task itself may have no more of them than any other."""
    paused, other = await office.task(), await office.task()
    await office.tasks.pause(paused.id)
    for number in range(office.settings.jobs.max_queued):
        await office.searches.start(paused.id, f"query {number}", SearchOptions())

    await office.searches.start(other.id, "DPP-4 inhibitors pancreatitis", SearchOptions())
    with pytest.raises(PipelineError) as refused:
        await office.searches.start(paused.id, "one more", SearchOptions())

    assert await office.job_states(other) == [JobState.QUEUED]
    assert refused.value.message == "201 searches wait already; 200 may."
