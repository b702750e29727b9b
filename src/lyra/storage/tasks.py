"""Research tasks."""

from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import TaskNotFound
from lyra.model.task import Budget, Task, TaskStatus
from lyra.storage.columns import moment, moment_or_none, stamp_or_none, strings, to_json

_SELECT = """
select id, query, status, language, max_pages, max_seconds, pages_used, seconds_used, priority_domains,
    final_status, reason, settings_digest, created_at, last_call_at, held_at
from tasks
"""


def insert(connection: Connection, task: Task) -> None:
    connection.execute(
        """
        insert into tasks (id, query, status, language, max_pages, max_seconds, pages_used, seconds_used,
            priority_domains, final_status, reason, settings_digest, created_at, last_call_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            task.id,
            task.query,
            task.status,
            task.language,
            task.budget.max_pages,
            task.budget.max_seconds,
            task.pages_used,
            task.seconds_used,
            to_json(task.priority_domains),
            task.final_status,
            task.reason,
            task.settings_digest,
            stamp(task.created_at),
            stamp_or_none(task.last_call_at),
        ),
    )


def get(connection: Connection, task_id: str) -> Task:
    """The task; raises TaskNotFound."""
    row = connection.execute(_SELECT + "where id = ?", (task_id,)).fetchone()
    if row is None:
        raise TaskNotFound(task_id)
    return _task(row)


def recent(connection: Connection, limit: int) -> tuple[Task, ...]:
    """The newest tasks first."""
    rows = connection.execute(_SELECT + "order by created_at desc, id limit ?", (limit,))
    return tuple(_task(row) for row in rows)


def set_status(
    connection: Connection,
    task_id: str,
    status: TaskStatus,
    *,
    final_status: str | None = None,
    reason: str | None = None,
) -> None:
    """Set how the task stands; a task that goes on loses its final status and reason. One held back stays paused."""
    connection.execute(
        """
        update tasks
        set status = iif(:status = 'exploring' and held_at is not null, 'paused', :status),
            final_status = :final_status,
            reason = iif(:status = 'exploring' and held_at is not null, reason, :reason)
        where id = :id
        """,
        {"status": status, "final_status": final_status, "reason": reason, "id": task_id},
    )
    _require_change(connection, task_id)


def add_usage(connection: Connection, task_id: str, pages: int, seconds: float) -> None:
    """Count pages and seconds against the budget."""
    connection.execute(
        """
        update tasks
        set pages_used = pages_used + ?, seconds_used = seconds_used + ?
        where id = ?
        """,
        (pages, seconds, task_id),
    )
    _require_change(connection, task_id)


def extend_budget(connection: Connection, task_id: str, pages: int, seconds: float) -> None:
    """Let the task spend more."""
    connection.execute(
        """
        update tasks
        set max_pages = max_pages + ?, max_seconds = max_seconds + ?
        where id = ?
        """,
        (pages, seconds, task_id),
    )
    _require_change(connection, task_id)


def touch(connection: Connection, task_id: str, now: datetime) -> None:
    """Note that a client asked about the task."""
    connection.execute("update tasks set last_call_at = ? where id = ?", (stamp(now), task_id))
    _require_change(connection, task_id)


def hold(connection: Connection, task_id: str, held_at: datetime | None) -> None:
    """Hold the task back from that moment on, or with None let it go on."""
    connection.execute("update tasks set held_at = ? where id = ?", (stamp_or_none(held_at), task_id))
    _require_change(connection, task_id)


def _require_change(connection: Connection, task_id: str) -> None:
    if not connection.changes():
        raise TaskNotFound(task_id)


def _task(row: tuple[Any, ...]) -> Task:
    return Task(
        id=row[0],
        query=row[1],
        status=TaskStatus(row[2]),
        language=row[3],
        budget=Budget(max_pages=row[4], max_seconds=row[5]),
        pages_used=row[6],
        seconds_used=row[7],
        priority_domains=strings(row[8]),
        final_status=row[9],
        reason=row[10],
        settings_digest=row[11],
        created_at=moment(row[12]),
        last_call_at=moment_or_none(row[13]),
        held_at=moment_or_none(row[14]),
    )
