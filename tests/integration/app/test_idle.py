"""Idle (SPEC §13): nobody has called for 300 s, so the rest waits for the next call."""

from typing import Any

from lyra.model.job import JobState
from lyra.model.search import SearchOptions, SearchStatus
from lyra.model.task import TaskStatus
from lyra.research.search_run import StopReason

IDLE = StopReason("no client has called for a while; the next call continues it", is_pause=True)


async def test_a_search_pauses_after_300_silent_seconds(office: Any) -> None:
    """Asked before every page; until then it goes on."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    office.clock.pass_by(300)
    before = await run.should_stop()
    office.clock.pass_by(1)
    after = await run.should_stop()

    assert (before, after) == (None, IDLE)


async def test_a_pause_is_written_on_search_and_task(office: Any) -> None:
    """The client sees why nothing moves; the search still counts as running."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    await run.pause(IDLE.reason)

    paused, stored = await office.get(task.id), await office.search(search.id)
    assert (paused.status, paused.reason) == (TaskStatus.PAUSED, IDLE.reason)
    assert (stored.status, stored.phase) == (SearchStatus.RUNNING, "paused")


async def test_asking_for_the_status_resumes(office: Any) -> None:
    """get_status is the next call: the job is queued again and the task explores."""
    task = await office.task()
    search, job = await office.begun(task)
    await (await office.run(search)).pause(IDLE.reason)
    await office.settle(job, JobState.PAUSED)
    office.clock.pass_by(3600)

    report = await office.status.wait(task.id, 0)

    assert report.task.status is TaskStatus.EXPLORING
    assert await office.job_states(task) == [JobState.QUEUED]
    assert (await office.get(task.id)).last_call_at == office.clock.now()


async def test_another_search_resumes_too(office: Any) -> None:
    """Any call for the task is the next call: the paused search must not be forgotten beside the new one."""
    task = await office.task()
    search, job = await office.begun(task)
    await (await office.run(search)).pause(IDLE.reason)
    await office.settle(job, JobState.PAUSED)

    await office.searches.start(task.id, "DPP-4 inhibitors pancreatitis", SearchOptions())

    assert await office.job_states(task) == [JobState.QUEUED, JobState.QUEUED]


async def test_a_call_between_pausing_and_settling_loses_nothing(office: Any) -> None:
    """The search says paused, its job not yet: the call after the next finds it and goes on."""
    task = await office.task()
    search, job = await office.begun(task)
    await (await office.run(search)).pause(IDLE.reason)

    early = await office.status.wait(task.id, 0)
    await office.settle(job, JobState.PAUSED)
    late = await office.status.wait(task.id, 0)

    assert (early.task.status, late.task.status) == (TaskStatus.PAUSED, TaskStatus.EXPLORING)
    assert await office.job_states(task) == [JobState.QUEUED]


async def test_a_client_that_waits_is_no_silent_one(office: Any) -> None:
    """A long poll of ten minutes keeps the search awake all along."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    report = await office.status.wait(task.id, 600)

    assert office.clock.monotonic() == 600
    assert await run.should_stop() is None
    assert report.searches[0].status is SearchStatus.RUNNING


async def test_a_waiting_search_call_keeps_its_search_awake(office: Any) -> None:
    """The same holds for `search` with a long wait, even while nothing moves."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    report = await office.searches.wait(search.id, 500)

    assert office.clock.monotonic() == 500
    assert await run.should_stop() is None
    assert report.search.status is SearchStatus.RUNNING
