"""What is remembered of domains: how far they are trusted, and when they rest."""

from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import DomainRecord
from lyra.model.task import BlockedDomain
from lyra.model.trust import TrustLevel
from lyra.storage.columns import level_or_none, moment, moment_or_none, stamp_or_none

_SELECT = """
select domain, updated_at, trust_level, trust_reason, original_trust_level, blocked_at, cause_id, cooldown_until,
    failures, last_outcome
from domains
"""


def get(connection: Connection, domain: str) -> DomainRecord | None:
    row = connection.execute(_SELECT + "where domain = ?", (domain,)).fetchone()
    return None if row is None else _record(row)


def all(connection: Connection) -> tuple[DomainRecord, ...]:
    """Every known domain, by name."""
    return tuple(_record(row) for row in connection.execute(_SELECT + "order by domain"))


def save_outcome(
    connection: Connection,
    domain: str,
    outcome: str,
    *,
    failures: int,
    cooldown_until: datetime | None,
    now: datetime,
) -> None:
    """Note how the last request ended, the refusals in a row, and until when the domain rests."""
    connection.execute(
        """
        insert into domains (domain, last_outcome, failures, cooldown_until, updated_at)
        values (?, ?, ?, ?, ?)
        on conflict (domain) do update
        set last_outcome = excluded.last_outcome, failures = excluded.failures,
            cooldown_until = excluded.cooldown_until, updated_at = excluded.updated_at
        """,
        (domain, outcome, failures, stamp_or_none(cooldown_until), stamp(now)),
    )


def end_cooldown(connection: Connection, domain: str, now: datetime) -> bool:
    """Forget the refusals of a domain that a person has opened: it may be asked at once. Says whether it rested."""
    is_resting = connection.execute(
        "select exists (select 1 from domains where domain = ? and cooldown_until > ?)", (domain, stamp(now))
    ).get
    connection.execute(
        "update domains set failures = 0, cooldown_until = null, updated_at = ? where domain = ?", (stamp(now), domain)
    )
    return bool(is_resting)


def set_trust(
    connection: Connection,
    domain: str,
    level: TrustLevel | None,
    reason: str,
    *,
    now: datetime,
    cause_id: str | None = None,
) -> None:
    """Set the trust level with its reason, or none; blocking remembers when and what the level was, unblocking forgets
    it."""
    connection.execute(
        """
        insert into domains (domain, trust_level, trust_reason, blocked_at, cause_id, updated_at)
        values (:domain, :level, :reason, iif(:level is 'blocked', :now, null), :cause_id, :now)
        on conflict (domain) do update
        set trust_level = excluded.trust_level,
            trust_reason = excluded.trust_reason,
            original_trust_level = iif(:level is not 'blocked', null,
                iif(trust_level is 'blocked', original_trust_level, trust_level)),
            blocked_at = iif(:level is not 'blocked', null, iif(trust_level is 'blocked', blocked_at, :now)),
            cause_id = excluded.cause_id,
            updated_at = excluded.updated_at
        """,
        {"domain": domain, "level": level, "reason": reason, "now": stamp(now), "cause_id": cause_id},
    )


def blocked(connection: Connection) -> tuple[BlockedDomain, ...]:
    """Every blocked domain, by name."""
    rows = connection.execute(
        """
        select domain, blocked_at, trust_reason, cause_id, original_trust_level
        from domains
        where trust_level = 'blocked'
        order by domain
        """
    )
    return tuple(BlockedDomain(*row) for row in rows)


def _record(row: tuple[Any, ...]) -> DomainRecord:
    return DomainRecord(
        domain=row[0],
        updated_at=moment(row[1]),
        trust_level=level_or_none(row[2]),
        trust_reason=row[3],
        original_trust_level=level_or_none(row[4]),
        blocked_at=moment_or_none(row[5]),
        cause_id=row[6],
        cooldown_until=moment_or_none(row[7]),
        failures=row[8],
        last_outcome=row[9],
    )
