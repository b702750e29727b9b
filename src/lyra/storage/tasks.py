"""Research tasks."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import TaskNotFound
from lyra.model.person import OWNER, Person
from lyra.model.task import Budget, FinalStatus, Task, TaskStatus
from lyra.storage.columns import ids_json, stamp_or_none
from lyra.storage.people import visible_tasks
from lyra.storage.rows import Table, nested, read, read_one

_TASKS = Table("tasks", Task, nested("budget", Budget))
_SELECT = f"select {_TASKS.columns()} from tasks "


def insert(connection: Connection, task: Task) -> None:
    _TASKS.insert(connection, task)


def get(connection: Connection, task_id: str) -> Task:
    """The task; raises TaskNotFound."""
    task = read_one(connection, Task, _SELECT + "where id = ?", (task_id,))
    if task is None:
        raise TaskNotFound(task_id)
    return task


def recent(connection: Connection, limit: int, person: Person = OWNER) -> tuple[Task, ...]:
    """The newest tasks that the person sees, newest first."""
    visible = {"visible": ids_json(visible_tasks(connection, person)), "limit": limit}
    return read(
        connection,
        Task,
        _SELECT + "where id in (select value from json_each(:visible)) order by created_at desc, id limit :limit",
        visible,
    )


def set_shared(connection: Connection, task_id: str, *, is_shared: bool) -> None:
    """Let everyone with a token see the task, or only its owner and the admins."""
    connection.execute("update tasks set is_shared = ? where id = ?", (is_shared, task_id))
    _require_change(connection, task_id)


def set_status(
    connection: Connection,
    task_id: str,
    status: TaskStatus,
    *,
    final_status: FinalStatus | None = None,
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
