"""What is remembered of domains: how far they are trusted, and when they rest."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import DomainRecord
from lyra.model.person import Person
from lyra.model.task import BlockedDomain
from lyra.model.trust import TrustLevel
from lyra.storage.columns import ids_json
from lyra.storage.people import visible_tasks
from lyra.storage.rows import Table, column, read, read_one

_SELECT = f"select {Table('domains', DomainRecord).columns()} from domains "


def get(connection: Connection, domain: str) -> DomainRecord | None:
    return read_one(connection, DomainRecord, _SELECT + "where domain = ?", (domain,))


def all(connection: Connection) -> tuple[DomainRecord, ...]:
    """Every known domain, by name."""
    return read(connection, DomainRecord, _SELECT + "order by domain")


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
        insert into domain_trust (domain, trust_level, trust_reason, blocked_at, cause_id, updated_at)
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
    return read(
        connection,
        BlockedDomain,
        """
        select domain, blocked_at, trust_reason as reason, cause_id, original_trust_level
        from domain_trust
        where trust_level = 'blocked'
        order by domain
        """,
    )


def visible_to(connection: Connection, person: Person) -> frozenset[str]:
    """The domains of pages that tasks reached which the person sees."""
    rows = column(
        connection,
        """
        select distinct p.domain
        from task_pages t
        join pages p on p.id = t.page_id
        where t.task_id in (select value from json_each(?))
        """,
        (ids_json(visible_tasks(connection, person)),),
    )
    return frozenset(rows)
