"""The event journal: append only, in order, joined by causes."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from apsw import Connection

from lyra.model.event import Event
from lyra.redact.key import redactor_of
from lyra.redact.redactor import RULES, Redactor
from lyra.storage import marks
from lyra.storage.columns import ids_json, to_json
from lyra.storage.connection import secure_deletion
from lyra.storage.rows import Bindings, Table, read

_EVENTS = Table("event_log", Event)
# The mark says by which rules entries were redacted, and up to which one; `all` where none is left.
_REDACTED = "journal_redacted"
_ALL = "all"


def append(connection: Connection, events: Iterable[Event]) -> None:
    """Write entries, without the secrets that addresses, reasons and messages in them may hold."""
    redactor = redactor_of(Path(connection.filename).parent)
    clean = (
        replace(event, subject=redactor.text(event.subject), details=redactor.deep(event.details)) for event in events
    )
    _EVENTS.insert_many(connection, clean)


def redact_older(connection: Connection, redactor: Redactor, most: int) -> bool:
    """Redact the next entries that a Lyra wrote which knew no such rules, or fewer; whether none is left."""
    rules, _, last = (marks.get(connection, _REDACTED) or "").partition(":")
    if rules == str(RULES) and last == _ALL:
        return True
    after = int(last) if rules == str(RULES) else 0
    rows = connection.execute(
        "select id, subject, details from event_log where id > ? order by id limit ?", (after, most)
    ).fetchall()
    with secure_deletion(connection):
        for number, subject, details in rows:
            known = (str(subject), json.loads(str(details)))
            clean = (redactor.text(known[0]), redactor.deep(known[1]))
            if clean != known:
                connection.execute(
                    "update event_log set subject = ?, details = ? where id = ?", (clean[0], to_json(clean[1]), number)
                )
    is_done = len(rows) < most
    marks.put(connection, _REDACTED, f"{RULES}:{_ALL if is_done else rows[-1][0]}")
    return is_done


def read_events(connection: Connection, rule: str, bindings: Bindings) -> tuple[Event, ...]:
    """Entries by a rule: `where … order by … limit …`."""
    return read(connection, Event, f"select {_EVENTS.columns()} from event_log {rule}", bindings)


def last_of_tasks(connection: Connection, task_ids: Iterable[str]) -> int:
    """The number of the last line about any of these tasks, 0 where there is none."""
    found = connection.execute(
        """
        select max((select max(e.id) from event_log e where e.task_id = t.value))
        from json_each(?) t
        """,
        (ids_json(task_ids),),
    )
    return int(str(found.get or 0))


def last_event(connection: Connection, search_id: str, kind: str) -> Event | None:
    """The newest entry of a kind about a search."""
    rule = "where cause_id = ? and kind = ? order by id desc limit 1"
    return next(iter(read_events(connection, rule, (search_id, kind))), None)
