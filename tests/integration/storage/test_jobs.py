"""The durable queue and leases, as several processes use them."""

from datetime import timedelta

import pytest

from lyra.model.job import Job, JobState
from lyra.storage import jobs, leases, tasks

MINUTE = timedelta(minutes=1)


@pytest.fixture
async def queue(db, make):
    """Two searches of different tasks, and a job of a kind that the worker does not know."""
    await db.write(tasks.insert, make.task())
    await db.write(tasks.insert, make.task(make.other_task_id))
    for name, kind, priority, task_id in (
        ("j_low", "search", 10, make.other_task_id),
        ("j_high", "search", 100, make.task_id),
        ("j_other", "report", 200, make.task_id),
    ):
        job = Job(name, kind, JobState.QUEUED, make.now, {"query": "心不全"}, priority, task_id=task_id)
        await db.write(jobs.enqueue, job)
    return db


async def claim(db, make, owner="one", after=timedelta(0)):
    now = make.now + after
    return await db.write(jobs.claim_next, owner, now, now + MINUTE, ("search",))


async def test_the_most_urgent_known_kind_is_taken_first(queue, make):
    """Only kinds the worker can do; each taken once, with its start counted and its payload whole."""
    taken = [await claim(queue, make), await claim(queue, make, "two"), await claim(queue, make)]

    assert taken[0] == Job(
        "j_high", "search", JobState.RUNNING, make.now, {"query": "心不全"}, 100, task_id=make.task_id, attempts=1,
        lease_owner="one", lease_until=make.now + MINUTE,
    )  # fmt: skip
    assert (taken[1].id, taken[1].lease_owner, taken[2]) == ("j_low", "two", None)


async def test_jobs_of_one_task_run_one_after_another(queue, make):
    """They build on the same graph: the second waits until the first has ended, or its owner is silent."""
    second = Job("j_second", "search", JobState.QUEUED, make.now, priority=50, task_id=make.task_id)
    await queue.write(jobs.enqueue, second)
    taken = [await claim(queue, make), await claim(queue, make, "two"), await claim(queue, make, "two")]
    await queue.write(jobs.finish, "j_high", "one", JobState.DONE, None, make.now)

    after = await claim(queue, make, "two")

    assert [taken[0].id, taken[1].id, taken[2]] == ["j_high", "j_low", None]
    assert after.id == "j_second"


async def test_a_lapsed_lease_gives_the_job_to_another(queue, make):
    """A process that died is silent: after its lease the job is taken up again, and that start counts too."""
    await claim(queue, make)
    before = await claim(queue, make, "two", timedelta(seconds=59))

    after = await claim(queue, make, "two", MINUTE)

    assert before.id == "j_low"
    assert (after.id, after.lease_owner, after.attempts) == ("j_high", "two", 2)


async def test_a_heartbeat_keeps_what_is_still_ones_own(queue, make):
    """A job taken over or cancelled is not kept: its first owner learns to stop."""
    await claim(queue, make)
    await claim(queue, make)
    await claim(queue, make, "two", MINUTE)

    kept = await queue.write(jobs.heartbeat, "one", ("j_high", "j_low"), make.now + 3 * MINUTE)

    low = await queue.read(jobs.get, "j_low")
    assert kept == {"j_low"}
    assert low.lease_until == make.now + 3 * MINUTE


async def test_only_the_owner_ends_a_job(queue, make):
    """Whoever lost the lease must not overwrite what the new owner does."""
    await claim(queue, make)
    await claim(queue, make, "two", MINUTE)

    ended = [
        await queue.write(jobs.finish, "j_high", "one", JobState.FAILED, "late", make.now),
        await queue.write(jobs.finish, "j_high", "two", JobState.DONE, None, make.now),
    ]

    job = await queue.read(jobs.get, "j_high")
    assert ended == [False, True]
    assert (job.state, job.error, job.lease_owner) == (JobState.DONE, None, None)


async def test_a_process_that_stops_in_good_order_gives_its_jobs_back(queue, make):
    """They wait for the next process, and the start is not held against them."""
    await claim(queue, make)

    released = await queue.write(jobs.release, "one", make.now)

    job = await queue.read(jobs.get, "j_high")
    assert (released, job.state, job.attempts, job.lease_owner) == (1, JobState.QUEUED, 0, None)


async def test_cancelling_a_task_reaches_waiting_and_running_jobs(queue, make):
    """What has ended stays as it ended."""
    await claim(queue, make)
    await queue.write(jobs.finish, "j_high", "one", JobState.DONE, None, make.now)
    third = Job("j_third", "search", JobState.QUEUED, make.now, task_id=make.task_id)
    await queue.write(jobs.enqueue, third)
    await claim(queue, make)
    await claim(queue, make)

    cancelled = await queue.write(jobs.cancel, make.task_id, make.now)

    states = {job.id: job.state for job in await queue.read(jobs.of_task, make.task_id)}
    assert cancelled == 2
    assert states == {
        "j_high": JobState.DONE,
        "j_other": JobState.CANCELLED,
        "j_third": JobState.CANCELLED,
    }


async def test_a_paused_job_waits_until_its_task_is_resumed(queue, make):
    """An idle client pauses the search; its next call goes on with it."""
    await claim(queue, make)
    await queue.write(jobs.finish, "j_high", "one", JobState.PAUSED, None, make.now)
    while_paused = await claim(queue, make)
    resumed = await queue.write(jobs.resume, make.task_id, make.now)

    again = await claim(queue, make)

    assert while_paused.id == "j_low"
    assert (resumed, again.id) == (1, "j_high")


async def test_the_same_job_is_queued_once(queue, make):
    """Putting it in again after a crash changes nothing."""
    again = Job("j_high", "search", JobState.QUEUED, make.now, {"query": "other"})

    is_new = await queue.write(jobs.enqueue, again)

    assert is_new is False
    assert (await queue.read(jobs.get, "j_high")).payload == {"query": "心不全"}


async def test_a_name_belongs_to_one_use_at_a_time(db, make):
    """One request a domain, across processes: the second is told until when the first may take."""
    until = make.now + MINUTE

    granted = [
        await db.write(leases.acquire, "domain:nejm.org", "a", make.now, until),
        await db.write(leases.acquire, "domain:nejm.org", "b", make.now, until),
        await db.write(leases.acquire, "domain:nejm.org", "a", make.now, until),
        await db.write(leases.acquire, "domain:pmda.go.jp", "b", make.now, until),
    ]

    assert granted == [(True, None), (False, until), (False, until), (True, None)]


async def test_a_released_name_rests_before_its_next_use(db, make):
    """Politeness holds across processes: the pause lies in the database."""
    await db.write(leases.acquire, "domain:nejm.org", "a", make.now, make.now + MINUTE)
    rest_until = make.now + timedelta(seconds=5)
    await db.write(leases.release, "domain:nejm.org", "a", rest_until)

    early = await db.write(leases.acquire, "domain:nejm.org", "b", make.now, make.now + MINUTE)
    due = await db.write(leases.acquire, "domain:nejm.org", "b", rest_until, rest_until + MINUTE)

    assert early == (False, rest_until)
    assert due == (True, None)


async def test_a_lapsed_lease_is_free_and_its_owner_cannot_release_anothers(db, make):
    """A dead process blocks a domain only for the length of its lease."""
    end = make.now + MINUTE
    await db.write(leases.acquire, "engine:mojeek", "a", make.now, end)
    taken = await db.write(leases.acquire, "engine:mojeek", "b", end, end + MINUTE)
    await db.write(leases.release, "engine:mojeek", "a", make.now)

    held = await db.write(leases.acquire, "engine:mojeek", "c", end, end + MINUTE)

    assert taken == (True, None)
    assert held == (False, end + MINUTE)
