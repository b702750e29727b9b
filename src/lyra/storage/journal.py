"""The event journal: append only, in order, joined by causes."""

import json
from collections.abc import Iterable
from typing import Any

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


def event(row: tuple[Any, ...]) -> Event:
    """A row of kind, created_at, subject, details, task_id, search_id, cause_id and id."""
    return Event(row[0], moment(row[1]), row[2], json.loads(row[3]), *row[4:])
