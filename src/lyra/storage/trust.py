"""Decisions about the trust of domains, each written together with its line in the journal."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from apsw import Connection

from lyra.model.event import Event
from lyra.model.trust import OverrideChange, TrustLevel
from lyra.storage import domains, journal
from lyra.storage.columns import ids_json

OVERRIDE = "trust_override"
DECISION = "trust_changed"


def learned_levels(connection: Connection, names: Iterable[str]) -> dict[str, TrustLevel]:
    """The levels that were decided here for these domains; those about which nothing was decided are left out."""
    rows = connection.execute(
        """
        select domain, trust_level
        from domains
        where trust_level is not null and domain in (select value from json_each(?))
        """,
        (ids_json(names),),
    )
    return {str(domain): TrustLevel(level) for domain, level in rows}


def decide(
    connection: Connection,
    domain: str,
    level: TrustLevel,
    reason: str,
    *,
    before: TrustLevel,
    now: datetime,
    cause_id: str | None = None,
    task_id: str | None = None,
) -> bool:
    """Promote or block a domain, with the reason; false where the same was decided before.

    The journal's line belongs to no task: it outlives the task that gave the cause, as the decision does.
    """
    known = domains.get(connection, domain)
    if known is not None and known.trust_level is level:
        return False
    domains.set_trust(connection, domain, level, reason, now=now, cause_id=cause_id)
    details = {"before": before, "after": level, "reason": reason, "task_id": task_id}
    journal.append(connection, [Event(DECISION, now, domain, details, cause_id=cause_id)])
    return True


def overrides_on_record(connection: Connection) -> dict[str, tuple[TrustLevel, str, str]]:
    """Level, reason and time of every override that the journal knows to be in force."""
    rows = connection.execute(
        """
        select subject, details, created_at
        from event_log
        where kind = :kind and id in (select max(id) from event_log where kind = :kind group by subject)
        order by subject
        """,
        {"kind": OVERRIDE},
    )
    found = ((str(subject), json.loads(details), str(created)) for subject, details, created in rows)
    return {name: (TrustLevel(said["after"]), said["reason"], at) for name, said, at in found if said["after"]}


def changes_of(connection: Connection, names: Iterable[str]) -> tuple[Event, ...]:
    """What was decided or overridden about the level of hosts or domains, the newest first."""
    rows = connection.execute(
        """
        select kind, created_at, subject, details, task_id, search_id, cause_id, id
        from event_log
        where kind in (:decided, :overridden) and subject in (select value from json_each(:names))
        order by id desc
        """,
        {"decided": DECISION, "overridden": OVERRIDE, "names": ids_json(names)},
    )
    return tuple(map(journal.event, rows))


def record_overrides(
    connection: Connection, in_force: Mapping[str, tuple[TrustLevel, str]], now: datetime
) -> tuple[OverrideChange, ...]:
    """Write down how the user's overrides differ from what the journal knows; of several processes one does."""
    known = {name: (level, reason) for name, (level, reason, _) in overrides_on_record(connection).items()}
    changes = [
        OverrideChange(name, _level(known.get(name)), _level(in_force.get(name)), _reason(in_force.get(name)))
        for name in sorted({*known, *in_force})
        if known.get(name) != in_force.get(name)
    ]
    journal.append(
        connection,
        [
            Event(OVERRIDE, now, one.domain, {"before": one.before, "after": one.after, "reason": one.reason})
            for one in changes
        ],
    )
    return tuple(changes)


def _level(entry: tuple[TrustLevel, str] | None) -> TrustLevel | None:
    return None if entry is None else entry[0]


def _reason(entry: tuple[TrustLevel, str] | None) -> str:
    return "The override was taken back." if entry is None else entry[1]


def addresses_of(connection: Connection, page_ids: Iterable[str]) -> dict[str, str]:
    """Where each of these pages was read, after redirects."""
    rows = connection.execute(
        "select id, coalesce(nullif(final_url, ''), url) from pages where id in (select value from json_each(?))",
        (ids_json(page_ids),),
    )
    return {str(page_id): str(address) for page_id, address in rows}
