"""Records of how domains treat us, of what they were asked on a day, and of every change that was learned."""

from dataclasses import asdict

from apsw import Connection

from lyra.model.domain import DomainHabit, PolicyChange, RequestCounts
from lyra.model.event import Event
from lyra.storage import journal, service_health
from lyra.storage.rows import Table, read_one

_POLICIES = Table("domain_policies", DomainHabit)
_SELECT = f"select {_POLICIES.columns()} from domain_policies "


def get(connection: Connection, domain: str) -> DomainHabit | None:
    return read_one(connection, DomainHabit, _SELECT + "where domain = ?", (domain,))


def save(connection: Connection, habit: DomainHabit) -> None:
    _POLICIES.save(connection, habit, "domain")


def forget(connection: Connection, domain: str) -> bool:
    """Forget what was learned of a domain and end its rest; trust and the journal stay. Says whether there was any."""
    connection.execute("delete from domain_policies where domain = ?", (domain,))
    is_known = bool(connection.changes())
    health = service_health.get(connection, f"domain:{domain}")
    if health is None or (health.open_until is None and not health.failures):
        return is_known
    service_health.close(connection, health, health.updated_at)
    return True


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
    details = {name: value for name, value in asdict(change).items() if name != "changed_at"}
    journal.append(connection, [Event("policy_change", change.changed_at, subject, details, cause_id=cause_id)])


def changes(connection: Connection, domain: str, limit: int = 20) -> tuple[PolicyChange, ...]:
    """The last changes, newest first."""
    rule = "where kind = 'policy_change' and subject = ? order by id desc limit ?"
    return tuple(map(_change, journal.read_events(connection, rule, (f"domain:{domain}", limit))))


def all_changes(connection: Connection, since: str = "", limit: int = 100) -> tuple[tuple[str, PolicyChange], ...]:
    """The last changes of anything that adapts since a moment, newest first, each with what it is of."""
    rule = "where kind = 'policy_change' and created_at >= ? order by id desc limit ?"
    return tuple((event.subject, _change(event)) for event in journal.read_events(connection, rule, (since, limit)))


def _change(event: Event) -> PolicyChange:
    return PolicyChange(event.created_at, **event.details)
