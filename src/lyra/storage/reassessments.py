"""Tasks whose claims were assessed by the rules of an older version and wait to be assessed again."""

from collections.abc import Iterable
from datetime import datetime

from apsw import Connection

from lyra.model.claim import Assessment
from lyra.model.event import Event
from lyra.storage import journal
from lyra.storage.columns import ids_json
from lyra.storage.rows import read_dicts

# `event_log.kind` of a claim whose verdict, verification or adoption is another one under new rules.
VERDICT_CHANGED = "verdict_changed"
_OUTCOME = ("verdict", "verification_status", "adoption_status")


def pending(connection: Connection) -> dict[str, int]:
    """The tasks that wait, each with the number of its claims."""
    rows = connection.execute(
        """
        select w.task_id, (select count(*) from claims c where c.task_id = w.task_id)
        from tasks_to_reassess w
        order by w.task_id
        """
    )
    return {str(task_id): int(claims) for task_id, claims in rows}


def done(connection: Connection, task_id: str) -> None:
    """The task waits no more."""
    connection.execute("delete from tasks_to_reassess where task_id = ?", (task_id,))


def record_changes(connection: Connection, assessments: Iterable[Assessment], why: str, now: datetime) -> None:
    """Write into the journal which of these claims stand differently from what is stored; call it before they are."""
    found = {one.claim_id: one for one in assessments}
    rows = read_dicts(
        connection,
        """
        select id, task_id, verdict, verification_status, adoption_status
        from claims
        where id in (select value from json_each(?))
        order by seq
        """,
        (ids_json(found),),
    )
    before = {row["id"]: (row["task_id"], {name: row[name] for name in _OUTCOME}) for row in rows}
    after = {claim_id: _outcome(found[claim_id]) for claim_id in before}
    journal.append(
        connection,
        [
            Event(VERDICT_CHANGED, now, one, {"before": stored, "after": after[one], "reason": why}, task_id)
            for one, (task_id, stored) in before.items()
            if stored != after[one]
        ],
    )


def _outcome(assessment: Assessment) -> dict[str, str]:
    return {name: str(getattr(assessment, name)) for name in _OUTCOME}
