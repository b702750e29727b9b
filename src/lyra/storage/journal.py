"""The event journal: append only, in order, joined by causes."""

import json
from collections.abc import Iterable

from apsw import Connection

from lyra.clock import stamp
from lyra.model.event import Event
from lyra.storage.columns import moment, to_json


def append(connection: Connection, events: Iterable[Event]) -> None:
    connection.executemany(
        """
        insert into event_log (task_id, search_id, cause_id, kind, subject, details, created_at)
        values (?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (
                event.task_id,
                event.search_id,
                event.cause_id,
                event.kind,
                event.subject,
                to_json(event.details),
                stamp(event.created_at),
            )
            for event in events
        ],
    )


def of_task(connection: Connection, task_id: str, *, after: int = 0, limit: int = 10_000) -> tuple[Event, ...]:
    """The task's events after that id, oldest first."""
    rows = connection.execute(
        """
        select kind, created_at, subject, details, task_id, search_id, cause_id, id
        from event_log
        where task_id = ? and id > ?
        order by id
        limit ?
        """,
        (task_id, after, limit),
    )
    return tuple(Event(row[0], moment(row[1]), row[2], json.loads(row[3]), *row[4:]) for row in rows)
