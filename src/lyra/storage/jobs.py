"""The durable queue: a job belongs to the process whose lease on it has not lapsed. Every change is in the journal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.event import Event
from lyra.model.job import Job, JobState
from lyra.storage import journal, leases
from lyra.storage.columns import ids_json, moment_or_none
from lyra.storage.rows import Table, column, read, read_one

_LEASE = "job:"
_JOBS = Table("jobs", Job, without=("lease_owner", "lease_until"))
_SELECT = f"""
select {_JOBS.columns("j")}, l.owner as lease_owner, l.until as lease_until
from jobs j
left join leases l on l.name = 'job:' || j.id
"""
_CHANGED = f"returning {_JOBS.columns()}"
_HELD_BY = "state = 'running' and id in (select substr(name, 5) from leases where owner = :owner and name glob 'job:*')"
# The most urgent job that waits or whose owner is silent. A task's jobs run one after another: they build on the same
# graph. A task that a person holds back has none to give.
_CLAIMABLE = """
    select j.id
    from jobs j
    left join leases l on l.name = 'job:' || j.id
    where (j.state = 'queued' and coalesce(j.due_at, '') <= :now
            or j.state = 'running' and (coalesce(l.until, '') <= :now or l.until > :latest))
        and j.kind in (select value from json_each(:kinds))
        and not exists (
            select 1
            from jobs other
            join leases held on held.name = 'job:' || other.id
            where other.task_id = j.task_id and other.id <> j.id and other.state = 'running'
                and held.until > :now and held.until <= :latest
        )
        and not exists (select 1 from tasks held where held.id = j.task_id and held.held_at is not null)
    order by j.priority desc, j.created_at, j.id
    limit 1
"""


@dataclass(frozen=True, slots=True)
class QueueState:
    """What a worker needs to know: the jobs it still owns, whether there is one to claim, and when next a lease lapses
    or a job is due."""

    owned: frozenset[str]
    is_claimable: bool
    next_lapse: datetime | None


def enqueue(connection: Connection, job: Job) -> bool:
    """Put a job into the queue; one with the same id is left as it is. Returns whether it is new."""
    is_new = _JOBS.insert(connection, job, "(id) do nothing")
    if is_new:
        _note(connection, (job,), job.state, job.created_at, kind=job.kind)
    return is_new


def claim_next(
    connection: Connection, owner: str, now: datetime, lease_until: datetime, kinds: Iterable[str]
) -> Job | None:
    """Take the most urgent job that waits or whose owner is silent; its start is counted."""
    job_id = connection.execute(_CLAIMABLE, _claim_values(now, kinds)).get
    if job_id is None:
        return None
    leases.acquire(connection, _lease(job_id), owner, now, lease_until)
    connection.execute(
        """
        update jobs
        set state = 'running', attempts = attempts + 1, started_at = coalesce(started_at, ?), error = null
        where id = ?
        """,
        (stamp(now), job_id),
    )
    job = get(connection, job_id)
    if job is not None:
        _note(connection, (job,), JobState.RUNNING, now, owner=owner)
    return job


def _claim_values(now: datetime, kinds: Iterable[str]) -> dict[str, str]:
    return {"now": stamp(now), "latest": stamp(now + leases.LONGEST_LEASE), "kinds": ids_json(kinds)}


def queue_state(connection: Connection, owner: str, now: datetime, kinds: Iterable[str]) -> QueueState:
    """The queue as a worker sees it, read without a write transaction."""
    owned = column(connection, f"select id from jobs where {_HELD_BY}", {"owner": owner})
    claimable = connection.execute(_CLAIMABLE, _claim_values(now, kinds)).get
    lapse = connection.execute(
        """
        select min(at)
        from (
            select min(l.until) as at
            from jobs j
            join leases l on l.name = 'job:' || j.id
            where j.state = 'running' and l.until > :now and l.until <= :latest
            union all
            select min(due_at) from jobs where state = 'queued' and due_at > :now
        )
        """,
        {"now": stamp(now), "latest": stamp(now + leases.LONGEST_LEASE)},
    ).get
    return QueueState(frozenset(owned), claimable is not None, moment_or_none(lapse))


def heartbeat(connection: Connection, owner: str, job_ids: Iterable[str], lease_until: datetime) -> set[str]:
    """Prolong the leases of an owner's running jobs; a job that is missing from the answer is no longer his."""
    kept = leases.renew(connection, owner, lease_until, map(_lease, job_ids))
    return {name.removeprefix(_LEASE) for name in kept}


def finish(connection: Connection, job_id: str, owner: str, state: JobState, error: str | None, now: datetime) -> bool:
    """Set how a job ended; one that was cancelled or taken over meanwhile is left alone. Returns whether it was set."""
    ended = _end(
        connection,
        f"""
        update jobs
        set state = :state, error = :error, finished_at = iif(:state in ('done', 'failed', 'cancelled'), :now, null)
        where id = :id and {_HELD_BY}
        """,
        {"state": state, "error": error, "now": stamp(now), "id": job_id, "owner": owner},
    )
    return bool(_note(connection, ended, state, now, **({"error": error} if error else {})))


def release(connection: Connection, owner: str, now: datetime) -> int:
    """Give every job of an owner that stops in good order back to the queue, its start uncounted."""
    sql = f"update jobs set state = 'queued', attempts = attempts - 1 where {_HELD_BY}"
    return _note(connection, _end(connection, sql, {"owner": owner}), JobState.QUEUED, now, why="its process stopped")


def cancel(connection: Connection, task_id: str, now: datetime) -> int:
    """Cancel what the task still has waiting, paused or running; returns how many. What has a due time stays: the task
    may be watched after it has ended."""
    return _cancel(connection, "task_id = :id and due_at is null", task_id, now, "the task was stopped")


def cancel_scheduled(connection: Connection, task_id: str, now: datetime) -> int:
    """Cancel what the task has with a due time, also where it runs; returns how many."""
    return _cancel(connection, "task_id = :id and due_at is not null", task_id, now, "the task is no longer watched")


def postpone(connection: Connection, job_id: str, due_at: datetime) -> None:
    """Let a job be taken up again at that time, its starts uncounted; one that runs goes on until it gives itself
    back."""
    connection.execute("update jobs set due_at = ?, attempts = 0 where id = ?", (stamp(due_at), job_id))


def scheduled(connection: Connection, task_id: str) -> Job | None:
    """The task's job with a due time that has not ended."""
    sql = "where j.task_id = ? and j.due_at is not null and j.state in ('queued', 'running', 'paused')"
    return read_one(connection, Job, f"{_SELECT} {sql} order by j.due_at limit 1", (task_id,))


def cancel_caused_by(connection: Connection, cause_id: str, now: datetime) -> int:
    """Cancel what is waiting, paused or running because of one decision, such as a search; returns how many."""
    return _cancel(connection, "cause_id = :id", cause_id, now, "its search was cancelled")


def _cancel(connection: Connection, which: str, id: str, now: datetime, why: str) -> int:
    cancelled = _end(
        connection,
        f"""
        update jobs
        set state = 'cancelled', finished_at = :now
        where {which} and state in ('queued', 'running', 'paused')
        """,
        {"now": stamp(now), "id": id},
    )
    return _note(connection, cancelled, JobState.CANCELLED, now, why=why)


def resume(connection: Connection, task_id: str, now: datetime) -> int:
    """Queue the task's paused jobs again; returns how many."""
    sql = "update jobs set state = 'queued', attempts = 0 where task_id = :task_id and state = 'paused'"
    return _note(connection, _end(connection, sql, {"task_id": task_id}), JobState.QUEUED, now, why="resumed")


def waiting(connection: Connection, task_id: str) -> int:
    """Jobs that nobody has taken up yet, over all tasks; what a person holds back stands in no other task's way."""
    counted = connection.execute(
        """
        select count(*)
        from jobs
        where state = 'queued' and due_at is null
            and (
                task_id = :task_id
                or not exists (select 1 from tasks held where held.id = jobs.task_id and held.held_at is not null)
            )
        """,
        {"task_id": task_id},
    )
    return int(str(counted.get))


def get(connection: Connection, job_id: str) -> Job | None:
    return read_one(connection, Job, _SELECT + "where j.id = ?", (job_id,))


def of_task(connection: Connection, task_id: str) -> tuple[Job, ...]:
    """The task's jobs, oldest first."""
    return read(connection, Job, _SELECT + "where j.task_id = ? order by j.created_at, j.id", (task_id,))


def _lease(job_id: str) -> str:
    return f"{_LEASE}{job_id}"


def _end(connection: Connection, sql: str, values: Mapping[str, Any]) -> tuple[Job, ...]:
    """Change jobs so that nobody runs them any more; returns them as they are then."""
    changed = read(connection, Job, f"{sql} {_CHANGED}", values)
    leases.forget(connection, [_lease(job.id) for job in changed])
    return changed


def _note(connection: Connection, changed: Iterable[Job], became: JobState, now: datetime, **details: Any) -> int:
    """Write the change of these jobs into the journal, with its cause; returns how many they are."""
    events = [
        Event(
            "job", now, job.id, {"became": became, "attempts": job.attempts, **details}, job.task_id, None, job.cause_id
        )
        for job in changed
    ]
    journal.append(connection, events)
    return len(events)
