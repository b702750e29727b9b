"""The verdicts of a task's hypotheses, and of the claims a search is to refute, when the search began and ended."""

import json
from collections.abc import Iterable
from datetime import datetime

from apsw import Connection

from lyra.model.claim import Verdict, VerdictChange
from lyra.model.event import Event
from lyra.model.search import Search, SearchStatus
from lyra.storage import journal
from lyra.storage.columns import ids_json

VERDICTS = "verdicts"  # `event_log.kind`


def note(connection: Connection, search: Search, now: datetime) -> None:
    """Write the verdicts of now into the journal of the search; nothing where it concerns no claim."""
    found = _current(connection, search)
    if found:
        journal.append(connection, [Event(VERDICTS, now, search.id, found, search.task_id, search.id, search.id)])


def changes(connection: Connection, search: Search) -> tuple[VerdictChange, ...]:
    """Which verdicts changed from the beginning of a search to its end, or to now where it has not ended."""
    notes = [
        json.loads(str(details))
        for (details,) in connection.execute(
            "select details from event_log where cause_id = ? and kind = ? order by id", (search.id, VERDICTS)
        )
    ]
    if not notes:
        return ()
    is_noted = search.status is not SearchStatus.RUNNING and len(notes) > 1
    before, after = notes[0], notes[-1] if is_noted else _current(connection, search)
    return tuple(
        VerdictChange(claim_id, Verdict(verdict), Verdict(after[claim_id]))
        for claim_id, verdict in before.items()
        if claim_id in after and after[claim_id] != verdict
    )


def changes_of_ended(connection: Connection, found: Iterable[Search]) -> dict[str, tuple[VerdictChange, ...]]:
    """Which verdicts each of these searches changed, by search; those that still run are left out."""
    return {one.id: changes(connection, one) for one in found if one.status is not SearchStatus.RUNNING}


def _current(connection: Connection, search: Search) -> dict[str, str]:
    rows = connection.execute(
        """
        select id, verdict
        from claims
        where task_id = ? and (is_hypothesis or id in (select value from json_each(?)))
        order by seq
        """,
        (search.task_id, ids_json(search.options.claim_ids)),
    )
    return {str(claim_id): str(verdict) for claim_id, verdict in rows}
