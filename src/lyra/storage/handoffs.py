"""Records of pages that wait for a person."""

import apsw

from lyra.clock import stamp
from lyra.model.handoff import Handoff, HandoffSummary


def file(connection: apsw.Connection, handoff: Handoff) -> None:
    """Put a page in the queue; a page already there stays as it is."""
    connection.execute(
        """
        insert into intervention_queue
            (id, task_id, search_id, domain, url, auth_type, priority, reason, queued_at)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict do nothing
        """,
        (
            handoff.id,
            handoff.task_id,
            handoff.search_id,
            handoff.domain,
            handoff.url,
            handoff.auth_type,
            handoff.priority,
            handoff.reason,
            stamp(handoff.queued_at),
        ),
    )


def summary(connection: apsw.Connection, task_id: str) -> HandoffSummary:
    """What waits for a person in one task."""
    rows = list(
        connection.execute(
            """
            select domain, auth_type, priority, queued_at
            from intervention_queue
            where task_id = ? and status = 'pending'
            order by queued_at
            """,
            (task_id,),
        )
    )
    by_type: dict[str, int] = {}
    for _, auth_type, _, _ in rows:
        by_type[auth_type] = by_type.get(auth_type, 0) + 1
    return HandoffSummary(
        pending_count=len(rows),
        high_priority_count=sum(1 for row in rows if row[2] == "high"),
        domains=tuple(dict.fromkeys(row[0] for row in rows)),
        oldest_queued_at=rows[0][3] if rows else None,
        by_auth_type=by_type,
    )
