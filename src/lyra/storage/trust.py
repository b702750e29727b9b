"""Decisions about the trust of domains, each written together with its line in the journal."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.event import Event
from lyra.model.trust import OverrideChange, TrustLevel, TrustPromotion
from lyra.storage import domains, journal
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import column

OVERRIDE = "trust_override"
DECISION = "trust_changed"
_TAKEN_BACK = "No claim that it supports has enough independent sources any more."


def learned_levels(connection: Connection, names: Iterable[str]) -> dict[str, TrustLevel]:
    """The levels that were decided here for these domains; those about which nothing was decided are left out."""
    rows = connection.execute(
        """
        select domain, trust_level
        from domain_trust
        where trust_level is not null and domain in (select value from json_each(?))
        """,
        (ids_json(names),),
    )
    return {str(domain): TrustLevel(level) for domain, level in rows}


def replace_promotions(
    connection: Connection,
    claim_ids: Iterable[str],
    found: Iterable[TrustPromotion],
    *,
    settled: Collection[str],
    now: datetime,
) -> None:
    """What these claims lift now, in place of what they lifted before; domains rise and fall with it.

    `settled` are domains whose level the user or the list has fixed: nothing is told of them in the journal.
    """
    ids, lifts = list(claim_ids), list(found)
    touched = _lifted_by(connection, ids) | {lift.domain for lift in lifts}
    connection.execute("delete from promotions where claim_id in (select value from json_each(?))", (ids_json(ids),))
    connection.executemany(
        "insert into promotions (claim_id, domain, sources, reason) values (?, ?, ?, ?)",
        [(lift.claim_id, lift.domain, to_json(lift.sources), lift.reason) for lift in lifts],
    )
    derive_levels(connection, touched, settled=settled, now=now)


def lifted_in_task(connection: Connection, task_id: str) -> set[str]:
    """The domains that claims of a task lift."""
    rows = connection.execute("select id from claims where task_id = ?", (task_id,)).fetchall()
    return _lifted_by(connection, [str(claim_id) for (claim_id,) in rows])


def derive_levels(
    connection: Connection, names: Iterable[str], *, settled: Collection[str] = (), now: datetime
) -> None:
    """Low while some claim lifts the domain, and nothing learned otherwise; what is blocked stays blocked.

    The journal's line belongs to no task: it outlives the task that gave the cause.
    """
    for domain in sorted(set(names)):
        known = domains.get(connection, domain)
        before = known.trust_level if known else None
        if before is TrustLevel.BLOCKED:
            continue
        cause = _strongest(connection, domain)
        if cause is None and before is None:
            continue
        level, reason, cause_id, task_id = (TrustLevel.LOW, *cause) if cause else (None, _TAKEN_BACK, None, None)
        domains.set_trust(connection, domain, level, reason if cause else "", now=now, cause_id=cause_id)
        if before is not level and domain not in settled:
            told = {"before": before or TrustLevel.UNVERIFIED, "after": level or TrustLevel.UNVERIFIED}
            details = {**told, "reason": reason, "task_id": task_id}
            journal.append(connection, [Event(DECISION, now, domain, details, cause_id=cause_id)])


def _lifted_by(connection: Connection, claim_ids: Iterable[str]) -> set[str]:
    return set(
        column(
            connection,
            "select distinct domain from promotions where claim_id in (select value from json_each(?))",
            (ids_json(claim_ids),),
        )
    )


def _strongest(connection: Connection, domain: str) -> tuple[str, str, str] | None:
    """Reason, claim and task of the promotion with the most sources; the first claim of several."""
    rows = connection.execute(
        """
        select p.reason, p.claim_id, c.task_id
        from promotions p
        join claims c on c.id = p.claim_id
        where p.domain = ?
        order by json_array_length(p.sources) desc, c.seq
        limit 1
        """,
        (domain,),
    )
    return next(((str(reason), str(claim_id), str(task_id)) for reason, claim_id, task_id in rows), None)


def overrides_on_record(connection: Connection) -> dict[str, tuple[TrustLevel, str, str]]:
    """Level, reason and time of every override that the journal knows to be in force."""
    rule = """
        where kind = :kind and id in (select max(id) from event_log where kind = :kind group by subject)
        order by subject
    """
    found = journal.read_events(connection, rule, {"kind": OVERRIDE})
    return {
        event.subject: (TrustLevel(event.details["after"]), event.details["reason"], stamp(event.created_at))
        for event in found
        if event.details["after"]
    }


def changes_of(connection: Connection, names: Iterable[str]) -> tuple[Event, ...]:
    """What was decided or overridden about the level of hosts or domains, the newest first."""
    rule = "where kind in (?, ?) and subject in (select value from json_each(?)) order by id desc"
    return journal.read_events(connection, rule, (DECISION, OVERRIDE, ids_json(names)))


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
