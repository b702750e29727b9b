"""The durable queue at work: leases, take-over, cancelling, pausing, failing, giving up and stopping."""

import asyncio
from typing import Any

import pytest

from lyra.errors import AllEnginesBlocked, DiskFull
from lyra.model.job import Job, JobState
from lyra.storage import jobs

TASK, OTHER, THIRD = "task_000000000001", "task_000000000002", "task_000000000003"


async def done(_: Job) -> JobState:
    return JobState.DONE


async def forever(_: Job) -> JobState:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets it")


async def test_a_queued_job_is_done(desk: Any) -> None:
    """Claimed, run once, settled; nobody owns it afterwards."""
    await desk.put("j_1")

    handler = desk.worker(done)
    await desk.until("j_1", JobState.DONE)

    settled = await desk.job("j_1")
    assert handler.begun == [("j_1", 1)]
    assert (settled.lease_owner, settled.lease_until, settled.error) == (None, None, None)


async def test_a_worker_without_work_opens_no_write_transaction(desk: Any) -> None:
    """It looks at the time of the last write, and finds what another process puts in."""
    handler = desk.worker(done)
    before = desk.db.writes
    await desk.db.until_looked_at(20)
    idle = desk.db.writes - before
    await desk.put("j_1")
    await desk.until("j_1", JobState.DONE)

    assert idle == 0
    assert handler.ended == ["j_1"]


async def test_the_urgent_goes_first_then_the_older(desk: Any) -> None:
    """By priority, then by age."""
    await desk.put("j_old", priority=50)
    desk.clock.pass_by(1)
    await desk.put("j_new", priority=50)
    await desk.put("j_urgent", priority=100)

    handler = desk.worker(done, concurrency=1)
    await desk.until("j_new", JobState.DONE)

    assert handler.ended == ["j_urgent", "j_old", "j_new"]


async def test_no_more_jobs_run_at_once_than_allowed(desk: Any) -> None:
    """Two slots, three jobs: the third waits in the queue for any process."""
    await desk.put("j_1", task_id=TASK)
    await desk.put("j_2", task_id=OTHER)
    await desk.put("j_3", task_id=THIRD)

    handler = desk.worker(forever, concurrency=2)
    await handler.until(lambda: len(handler.begun) == 2)

    assert await desk.state("j_3") is JobState.QUEUED


async def test_the_jobs_of_one_task_run_one_after_another(desk: Any) -> None:
    """Two searches of a task build on the same graph; those of another task do not wait for them."""
    await desk.put("j_1")
    await desk.put("j_2")
    await desk.put("j_3", task_id=OTHER)

    handler = desk.worker(forever, concurrency=3)
    await handler.until(lambda: len(handler.begun) == 2)

    assert handler.begun == [("j_1", 1), ("j_3", 1)]
    assert await desk.state("j_2") is JobState.QUEUED


async def test_a_lapsed_lease_is_taken_over(desk: Any) -> None:
    """The owner was killed: after its lease another process goes on, and the start is counted."""
    await desk.put("j_1")
    await desk.db.write(jobs.claim_next, "w_dead", desk.clock.now(), desk.clock.now().replace(second=15), ("search",))

    handler = desk.worker(done, owner="w_2")
    desk.clock.pass_by(14)
    await desk.put("j_2", task_id=OTHER)
    await desk.until("j_2", JobState.DONE)
    before = await desk.state("j_1")
    desk.clock.pass_by(1)
    await desk.until("j_1", JobState.DONE)

    assert before is JobState.RUNNING
    assert handler.begun == [("j_2", 1), ("j_1", 2)]


async def test_a_living_owner_keeps_its_lease(desk: Any) -> None:
    """The heartbeat moves the lease on; a second worker finds nothing to take."""
    await desk.put("j_1")
    first = desk.worker(forever, owner="w_1")
    await desk.until("j_1", JobState.RUNNING)

    second = desk.worker(done, owner="w_2")
    for _ in range(5):
        desk.clock.pass_by(14)
        await _lease_moved(desk)

    assert (first.begun, second.begun) == ([("j_1", 1)], [])
    assert (await desk.job("j_1")).lease_owner == "w_1"


async def _lease_moved(desk: Any) -> None:
    async with asyncio.timeout(30):
        while ((await desk.job("j_1")).lease_until - desk.clock.now()).total_seconds() < 15:
            pass


async def test_after_a_long_sleep_a_worker_does_not_take_its_own_job_for_abandoned(desk: Any) -> None:
    """A suspended machine wakes with lapsed leases: the job that still runs here must not be started twice."""
    await desk.put("j_1")
    handler = desk.worker(forever)
    await desk.until("j_1", JobState.RUNNING)

    desk.clock.pass_by(3600)
    await _lease_moved(desk)

    assert handler.begun == [("j_1", 1)]


async def test_whoever_lost_its_job_stops_and_settles_nothing(desk: Any) -> None:
    """Another process took the job over: the first is stopped at its next heartbeat and leaves the job alone."""
    await desk.put("j_1")
    slow = desk.worker(forever, owner="w_1")
    await desk.until("j_1", JobState.RUNNING)

    await desk.db.write(_steal, "w_2")
    await slow.until(lambda: slow.cancelled == ["j_1"])

    taken = await desk.job("j_1")
    assert (taken.state, taken.lease_owner) == (JobState.RUNNING, "w_2")


def _steal(connection: Any, owner: str) -> None:
    connection.execute("update leases set owner = ?", (owner,))


async def test_a_cancelled_job_stops(desk: Any) -> None:
    """stop_task in any process reaches the one that runs the job."""
    await desk.put("j_1")
    handler = desk.worker(forever)
    await desk.until("j_1", JobState.RUNNING)

    await desk.db.write(jobs.cancel, "task_000000000001", desk.clock.now())
    await handler.until(lambda: handler.cancelled == ["j_1"])

    assert await desk.state("j_1") is JobState.CANCELLED
    assert handler.failures == []


async def test_a_paused_job_waits_until_it_is_resumed(desk: Any) -> None:
    """Paused is neither done nor queued; resumed, it runs again with a fresh count of starts."""
    states = iter((JobState.PAUSED, JobState.DONE))

    async def play(_: Job) -> JobState:
        return next(states)

    await desk.put("j_1")
    handler = desk.worker(play)
    await desk.until("j_1", JobState.PAUSED)

    resumed = await desk.db.write(jobs.resume, "task_000000000001", desk.clock.now())
    await desk.until("j_1", JobState.DONE)

    assert resumed == 1
    assert [begun for begun in handler.begun if begun[0] == "j_1"] == [("j_1", 1), ("j_1", 1)]


async def test_a_typed_failure_is_recorded_in_its_own_words(desk: Any) -> None:
    """The handler is told, and the job keeps code and sentence."""

    async def play(_: Job) -> JobState:
        raise AllEnginesBlocked("Both rest.", retry_after_s=1800)

    await desk.put("j_1")
    handler = desk.worker(play)
    await desk.until("j_1", JobState.FAILED)

    assert handler.failures == [("j_1", "ALL_ENGINES_BLOCKED", "Both rest.")]
    assert (await desk.job("j_1")).error == "ALL_ENGINES_BLOCKED: Both rest."


async def test_a_defect_fails_its_job_and_no_other(desk: Any) -> None:
    """One broken job must not end the worker; its innards stay in the log."""

    async def play(job: Job) -> JobState:
        return {}["secret"] if job.id == "j_bad" else JobState.DONE

    await desk.put("j_bad", priority=9)
    await desk.put("j_good", task_id=OTHER)
    handler = desk.worker(play, concurrency=1)
    await desk.until("j_good", JobState.DONE)

    error = (await desk.job("j_bad")).error
    assert await desk.state("j_bad") is JobState.FAILED
    assert error.startswith("PIPELINE_ERROR: Something unexpected went wrong (err_")
    assert "secret" not in error
    assert [failure[:2] for failure in handler.failures] == [("j_bad", "PIPELINE_ERROR")]


@pytest.mark.parametrize(("attempts", "state"), [(4, JobState.DONE), (5, JobState.FAILED)])
async def test_a_job_that_kills_its_process_is_given_up(desk: Any, attempts: int, state: JobState) -> None:
    """Five starts are allowed; the sixth is refused with its reason."""
    await desk.put("j_1", attempts=attempts)

    handler = desk.worker(done, max_attempts=5)
    await desk.until("j_1", state)

    assert handler.failures == [("j_1", "PIPELINE_ERROR", "Given up after 5 starts.")][: attempts - 4]


async def test_stopping_gives_unfinished_jobs_back(desk: Any) -> None:
    """In good order: queued again at once, the start uncounted."""
    await desk.put("j_1")
    handler = desk.worker(forever)
    await handler.until(lambda: handler.begun == [("j_1", 1)])

    await desk.workers[0].stop()

    left = await desk.job("j_1")
    assert handler.cancelled == ["j_1"]
    assert (left.state, left.attempts, left.lease_owner) == (JobState.QUEUED, 0, None)


async def test_a_database_out_of_reach_does_not_end_the_worker(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk passes: the queue is looked at again, and the job is done."""
    write = desk.db.write
    refused: list[str] = []

    async def full(fn: Any, *args: Any) -> Any:
        if fn is jobs.claim_next and len(refused) < 3:
            refused.append("full")
            raise DiskFull("The disk is full.")
        return await write(fn, *args)

    monkeypatch.setattr(desk.db, "write", full)
    await desk.put("j_1")

    handler = desk.worker(done)
    await desk.until("j_1", JobState.DONE)

    assert (len(refused), handler.ended) == (3, ["j_1"])


async def test_a_job_that_could_not_be_settled_is_taken_up_again(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end could not be written: after the lease it is run again rather than lost."""
    write = desk.db.write
    refused: list[str] = []

    async def full(fn: Any, *args: Any) -> Any:
        if fn is jobs.finish and not refused:
            refused.append("full")
            raise DiskFull("The disk is full.")
        return await write(fn, *args)

    monkeypatch.setattr(desk.db, "write", full)
    await desk.put("j_1")

    handler = desk.worker(done)
    await handler.until(lambda: handler.ended == ["j_1"])
    desk.clock.pass_by(16)
    await desk.until("j_1", JobState.DONE)

    assert handler.begun == [("j_1", 1), ("j_1", 2)]


async def test_unknown_kinds_are_left_for_others(desk: Any) -> None:
    """A newer process may queue what this one does not know."""
    await desk.db.write(jobs.enqueue, Job("j_new", "export", JobState.QUEUED, desk.clock.now()))
    await desk.put("j_1")

    desk.worker(done)
    await desk.until("j_1", JobState.DONE)

    assert await desk.state("j_new") is JobState.QUEUED
