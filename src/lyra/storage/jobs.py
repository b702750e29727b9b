"""The durable queue: a job belongs to the process whose lease on it has not lapsed. Every change is in the journal."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.event import Event
from lyra.model.job import Job, JobState
from lyra.storage import journal
from lyra.storage.columns import ids_json, moment, moment_or_none, stamp_or_none, to_json

_COLUMNS = """id, kind, state, created_at, payload, priority, slot, task_id, attempts, lease_owner, lease_until,
    error, cause_id, budget"""
_CHANGED = "returning id, task_id, cause_id, attempts"
# The most urgent job that waits or whose owner is silent. A task's jobs run one after another: they build on the same
# graph. A task that a person holds back has none to give.
_CLAIMABLE = """
    select id
    from jobs
    where (state = 'queued' or (state = 'running' and lease_until <= :now))
        and kind in (select value from json_each(:kinds))
        and not exists (
            select 1
            from jobs other
            where other.task_id = jobs.task_id and other.id <> jobs.id
                and other.state = 'running' and other.lease_until > :now
        )
        and not exists (select 1 from tasks held where held.id = jobs.task_id and held.held_at is not null)
    order by priority desc, created_at, id
    limit 1
"""


@dataclass(frozen=True, slots=True)
class QueueState:
    """What a worker needs to know: the jobs it still owns, whether there is one to claim, and when a lease lapses."""

    owned: frozenset[str]
    is_claimable: bool
    next_lapse: datetime | None


def enqueue(connection: Connection, job: Job) -> bool:
    """Put a job into the queue; one with the same id is left as it is. Returns whether it is new."""
    connection.execute(
        """
        insert into jobs (id, kind, state, created_at, payload, priority, slot, task_id, attempts, lease_owner,
            lease_until, error, cause_id, budget)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do nothing
        """,
        (
            job.id,
            job.kind,
            job.state,
            stamp(job.created_at),
            to_json(job.payload),
            job.priority,
            job.slot,
            job.task_id,
            job.attempts,
            job.lease_owner,
            stamp_or_none(job.lease_until),
            job.error,
            job.cause_id,
            to_json(job.budget),
        ),
    )
    is_new = bool(connection.changes())
    if is_new:
        _note(connection, [(job.id, job.task_id, job.cause_id, job.attempts)], job.state, job.created_at, kind=job.kind)
    return is_new


def claim_next(
    connection: Connection, owner: str, now: datetime, lease_until: datetime, kinds: Iterable[str]
) -> Job | None:
    """Take the most urgent job that waits or whose owner is silent; its start is counted."""
    row = connection.execute(
        f"""
        update jobs
        set state = 'running', lease_owner = :owner, lease_until = :until, attempts = attempts + 1,
            started_at = coalesce(started_at, :now), error = null
        where id = ({_CLAIMABLE})
        returning {_COLUMNS}
        """,
        {"owner": owner, "until": stamp(lease_until), "now": stamp(now), "kinds": ids_json(kinds)},
    ).fetchone()
    if row is None:
        return None
    job = _job(row)
    _note(connection, [(job.id, job.task_id, job.cause_id, job.attempts)], JobState.RUNNING, now, owner=owner)
    return job


def queue_state(connection: Connection, owner: str, now: datetime, kinds: Iterable[str]) -> QueueState:
    """The queue as a worker sees it, read without a write transaction."""
    owned = connection.execute("select id from jobs where state = 'running' and lease_owner = ?", (owner,))
    claimable = connection.execute(_CLAIMABLE, {"now": stamp(now), "kinds": ids_json(kinds)}).get
    lapse = connection.execute(
        "select min(lease_until) from jobs where state = 'running' and lease_until > ?", (stamp(now),)
    ).get
    return QueueState(frozenset(str(job_id) for (job_id,) in owned), claimable is not None, moment_or_none(lapse))


def heartbeat(connection: Connection, owner: str, job_ids: Iterable[str], lease_until: datetime) -> set[str]:
    """Keep the leases on these jobs; returns those that are still this owner's to run."""
    rows = connection.execute(
        """
        update jobs
        set lease_until = ?
        where id in (select value from json_each(?)) and state = 'running' and lease_owner = ?
        returning id
        """,
        (stamp(lease_until), ids_json(job_ids), owner),
    )
    return {str(job_id) for (job_id,) in rows}


def finish(connection: Connection, job_id: str, owner: str, state: JobState, error: str | None, now: datetime) -> bool:
    """Set how a job ended; one that was cancelled or taken over meanwhile is left alone. Returns whether it was set."""
    rows = connection.execute(
        f"""
        update jobs
        set state = :state, error = :error, lease_owner = null, lease_until = null,
            finished_at = iif(:state in ('done', 'failed', 'cancelled'), :now, null)
        where id = :id and lease_owner = :owner and state = 'running'
        {_CHANGED}
        """,
        {"state": state, "error": error, "now": stamp(now), "id": job_id, "owner": owner},
    ).fetchall()
    return bool(_note(connection, rows, state, now, **({"error": error} if error else {})))


def release(connection: Connection, owner: str, now: datetime) -> int:
    """Give every job of an owner that stops in good order back to the queue, its start uncounted."""
    rows = connection.execute(
        f"""
        update jobs
        set state = 'queued', lease_owner = null, lease_until = null, attempts = attempts - 1
        where lease_owner = ? and state = 'running'
        {_CHANGED}
        """,
        (owner,),
    ).fetchall()
    return _note(connection, rows, JobState.QUEUED, now, why="its process stopped")


def cancel(connection: Connection, task_id: str, now: datetime) -> int:
    """Cancel what the task still has waiting, paused or running; returns how many."""
    rows = connection.execute(
        f"""
        update jobs
        set state = 'cancelled', finished_at = ?, lease_owner = null, lease_until = null
        where task_id = ? and state in ('queued', 'running', 'paused')
        {_CHANGED}
        """,
        (stamp(now), task_id),
    ).fetchall()
    return _note(connection, rows, JobState.CANCELLED, now, why="the task was stopped")


def cancel_caused_by(connection: Connection, cause_id: str, now: datetime) -> int:
    """Cancel what is waiting, paused or running because of one decision, such as a search; returns how many."""
    rows = connection.execute(
        f"""
        update jobs
        set state = 'cancelled', finished_at = ?, lease_owner = null, lease_until = null
        where cause_id = ? and state in ('queued', 'running', 'paused')
        {_CHANGED}
        """,
        (stamp(now), cause_id),
    ).fetchall()
    return _note(connection, rows, JobState.CANCELLED, now, why="its search was cancelled")


def resume(connection: Connection, task_id: str, now: datetime) -> int:
    """Queue the task's paused jobs again; returns how many."""
    rows = connection.execute(
        f"update jobs set state = 'queued', attempts = 0 where task_id = ? and state = 'paused' {_CHANGED}", (task_id,)
    ).fetchall()
    return _note(connection, rows, JobState.QUEUED, now, why="resumed")


def waiting(connection: Connection, task_id: str) -> int:
    """Jobs that nobody has taken up yet, over all tasks; what a person holds back stands in no other task's way."""
    counted = connection.execute(
        """
        select count(*)
        from jobs
        where state = 'queued'
            and (
                task_id = :task_id
                or not exists (select 1 from tasks held where held.id = jobs.task_id and held.held_at is not null)
            )
        """,
        {"task_id": task_id},
    )
    return int(str(counted.get))


def get(connection: Connection, job_id: str) -> Job | None:
    row = connection.execute(f"select {_COLUMNS} from jobs where id = ?", (job_id,)).fetchone()
    return None if row is None else _job(row)


def of_task(connection: Connection, task_id: str) -> tuple[Job, ...]:
    """The task's jobs, oldest first."""
    rows = connection.execute(f"select {_COLUMNS} from jobs where task_id = ? order by created_at, id", (task_id,))
    return tuple(_job(row) for row in rows)


def _note(connection: Connection, rows: list[Any], became: JobState, now: datetime, **details: Any) -> int:
    """Write the change of these jobs into the journal, with its cause; returns how many they are."""
    journal.append(
        connection,
        [
            Event("job", now, job_id, {"became": became, "attempts": attempts, **details}, task_id, None, cause_id)
            for job_id, task_id, cause_id, attempts in rows
        ],
    )
    return len(rows)


def _job(row: tuple[Any, ...]) -> Job:
    return Job(
        id=row[0],
        kind=row[1],
        state=JobState(row[2]),
        created_at=moment(row[3]),
        payload=json.loads(row[4]),
        priority=row[5],
        slot=row[6],
        task_id=row[7],
        attempts=row[8],
        lease_owner=row[9],
        lease_until=moment_or_none(row[10]),
        error=row[11],
        cause_id=row[12],
        budget=json.loads(row[13]),
    )
