"""Records of how domains treat us, of what they were asked on a day, and of every change that was learned."""

import json
from dataclasses import astuple, fields
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import DomainHabit, PolicyChange, RequestCounts
from lyra.model.event import Event
from lyra.storage import journal
from lyra.storage.columns import moment

_COLUMNS = tuple(field.name for field in fields(DomainHabit))
_MOMENTS = frozenset({"updated_at", "pause_changed_at", "rung_until", "tor_barred_until", "last_challenge_at"})
_SELECT = f"select {', '.join(_COLUMNS)} from domain_policies "
_SAVE = f"insert or replace into domain_policies ({', '.join(_COLUMNS)}) values ({', '.join('?' for _ in _COLUMNS)})"


def get(connection: Connection, domain: str) -> DomainHabit | None:
    row = connection.execute(_SELECT + "where domain = ?", (domain,)).fetchone()
    return None if row is None else _habit(row)


def all(connection: Connection) -> tuple[DomainHabit, ...]:
    """What was learned of every domain, by name."""
    return tuple(_habit(row) for row in connection.execute(_SELECT + "order by domain"))


def save(connection: Connection, habit: DomainHabit) -> None:
    connection.execute(_SAVE, tuple(stamp(one) if isinstance(one, datetime) else one for one in astuple(habit)))


def forget(connection: Connection, domain: str) -> bool:
    """Forget what was learned of a domain and end its rest; trust and the journal stay. Says whether there was any."""
    connection.execute("delete from domain_policies where domain = ?", (domain,))
    found = connection.changes()
    connection.execute(
        """
        update domains
        set cooldown_until = null, failures = 0
        where domain = ? and (cooldown_until is not null or failures > 0)
        """,
        (domain,),
    )
    return bool(found + connection.changes())


def count(connection: Connection, day: str, domain: str, rung: str, *, served: bool, refused: bool) -> None:
    """Count one request."""
    connection.execute(
        """
        insert into fetch_days (day, domain, rung, requests, served, refused)
        values (?, ?, ?, 1, ?, ?)
        on conflict (day, domain, rung) do update
        set requests = requests + 1, served = served + excluded.served, refused = refused + excluded.refused
        """,
        (day, domain, rung, int(served), int(refused)),
    )


def asked(connection: Connection, day: str, domain: str | None = None) -> RequestCounts:
    """Requests of a day by rung, to one domain or to all."""
    rows = connection.execute(
        """
        select rung, sum(requests)
        from fetch_days
        where day = :day and (:domain is null or domain = :domain)
        group by rung
        """,
        {"day": day, "domain": domain},
    )
    return RequestCounts(dict(rows))


def note_change(connection: Connection, domain: str, change: PolicyChange, cause_id: str | None) -> None:
    """Write a change in how a domain is asked into the journal."""
    note_change_of(connection, f"domain:{domain}", change, cause_id)


def note_change_of(connection: Connection, subject: str, change: PolicyChange, cause_id: str | None = None) -> None:
    """Write a change of what is asked in another way (`domain:…`, `engine:…`, `rung:…`) into the journal."""
    details = {
        "parameter": change.parameter,
        "before": change.before,
        "after": change.after,
        "reason": change.reason,
        "figures": dict(change.figures),
    }
    journal.append(connection, [Event("policy_change", change.changed_at, subject, details, cause_id=cause_id)])


def changes(connection: Connection, domain: str, limit: int = 20) -> tuple[PolicyChange, ...]:
    """The last changes, newest first."""
    rows = connection.execute(
        """
        select created_at, details
        from event_log
        where kind = 'policy_change' and subject = ?
        order by id desc
        limit ?
        """,
        (f"domain:{domain}", limit),
    )
    return tuple(_change(created_at, json.loads(details)) for created_at, details in rows)


def all_changes(connection: Connection, since: str = "", limit: int = 100) -> tuple[tuple[str, PolicyChange], ...]:
    """The last changes of anything that adapts since a moment, newest first, each with what it is of."""
    rows = connection.execute(
        """
        select subject, created_at, details
        from event_log
        where kind = 'policy_change' and created_at >= ?
        order by id desc
        limit ?
        """,
        (since, limit),
    )
    return tuple((str(subject), _change(str(when), json.loads(str(told)))) for subject, when, told in rows)


def _change(created_at: str, details: dict[str, Any]) -> PolicyChange:
    return PolicyChange(
        moment(created_at), details["parameter"], details["before"], details["after"], details["reason"],
        details["figures"],
    )  # fmt: skip


def _habit(row: tuple[Any, ...]) -> DomainHabit:
    values = dict(zip(_COLUMNS, row, strict=True))
    for name in _MOMENTS & {key for key, value in values.items() if value is not None}:
        values[name] = moment(values[name])
    return DomainHabit(**values)
