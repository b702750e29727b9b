"""The event journal: append only, in order, joined by causes."""

from collections.abc import Iterable

from apsw import Connection

from lyra.model.event import Event
from lyra.storage.rows import Bindings, Table, read

_EVENTS = Table("event_log", Event)


def append(connection: Connection, events: Iterable[Event]) -> None:
    _EVENTS.insert_many(connection, events)


def read_events(connection: Connection, rule: str, bindings: Bindings) -> tuple[Event, ...]:
    """Entries by a rule: `where … order by … limit …`."""
    return read(connection, Event, f"select {_EVENTS.columns()} from event_log {rule}", bindings)
