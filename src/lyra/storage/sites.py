"""What is kept of a site beside its pages (standing, cooldown, robots.txt, figures, journal), and how it is forgotten.

A site is a registrable domain, or a host where others of its domain are still needed. It is forgotten with the last
task that reached it. What the user wrote in domains.yaml stays, and so does a cooldown that runs: the site is forgotten
when it has ended.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.task import KeptSite
from lyra.storage import erasing, trust
from lyra.storage.columns import ids_json, to_json
from lyra.storage.connection import secure_deletion
from lyra.storage.rows import column
from lyra.urls import host_of, registrable_domain

# What Lyra asks for every task; its answers about a page are no page.
_SERVICES = frozenset({"web.archive.org"})
# Addresses that a task which is being deleted has reached: its pages, and records that its searches made for pages.
_REACHED = """
select p.url from deleted_task_pages d join pages p on p.id = d.page_id where d.task_id = :task_id
union
select p.final_url
from deleted_task_pages d
join pages p on p.id = d.page_id
where d.task_id = :task_id and p.final_url is not null
union
select r.url
from deleted_task_records d
join archive_records r on r.record_id = d.record_id
where d.task_id = :task_id and d.names_query = 0
"""
_FOUND = "select s.url from queries q join serp_items s on s.query_id = q.id where q.task_id = ?"
# Whatever else has to do with a site.
_NEEDED = """
select url from pages
union
select final_url from pages where final_url is not null
union
select url from serp_items
union
select url from intervention_queue
union
select subject from event_log where kind in ('fetch', 'fetch_robots')
union
select 'https://' || d.value || '/' from tasks t, json_each(t.priority_domains) d
"""
_FORGET = {
    "domain_trust": "delete from domain_trust where domain in (select value from json_each(:domains))",
    "domain_policies": "delete from domain_policies where domain in (select value from json_each(:domains))",
    "fetch_days": "delete from fetch_days where domain in (select value from json_each(:domains))",
    "site_searches": "delete from site_searches where domain in (select value from json_each(:domains))",
    "service_health": "delete from service_health where name in (select 'domain:' || value from json_each(:domains))",
    "leases": "delete from leases where name in (select 'domain:' || value from json_each(:domains))",
    "robots_cache": "delete from robots_cache where origin in (select value from json_each(:origins))",
    "event_log": "delete from event_log where id in (select value from json_each(:events))",
    "sites_to_forget": "delete from sites_to_forget where domain in (select value from json_each(:domains))",
}
_RESTING = """
select substr(name, 8) from service_health where open_until > :now and name glob 'domain:*'
union
select substr(name, 8) from leases where max(coalesce(next_at, ''), coalesce(until, '')) > :now and name glob 'domain:*'
"""


def reached_by(connection: Connection, task_id: str) -> set[str]:
    """The hosts that a task, which is being deleted, has found or reached."""
    found = column(connection, _FOUND, (task_id,))
    return _hosts([*found, *column(connection, _REACHED, {"task_id": task_id})])


def note_records(connection: Connection, task_id: str, domains: Iterable[str]) -> None:
    """Count every archive record of these sites as one that the task has made."""
    for domain in domains:
        prefix = ",".join(reversed(domain.split(".")))
        connection.execute(
            """
            insert into deleted_task_records (task_id, record_id, names_query)
            select :task_id, record_id, 0
            from archive_records
            where (url_key >= :prefix || ')' and url_key < :prefix || '*')
                or (url_key >= :prefix || ',' and url_key < :prefix || '-')
            on conflict do nothing
            """,
            {"task_id": task_id, "prefix": prefix},
        )


def unused_hosts(connection: Connection, hosts: Collection[str]) -> set[str]:
    """Those of these hosts, and of their domains, with which nothing in the database has to do any more."""
    if not hosts:
        return set()
    needed = _hosts(column(connection, _NEEDED))
    return {*hosts, *map(registrable_domain, hosts)} - needed - set(map(registrable_domain, needed))


def kept(connection: Connection, domains: Collection[str], now: datetime) -> tuple[KeptSite, ...]:
    """Those of these sites that cannot be forgotten now."""
    overridden = {registrable_domain(name) for name in trust.overrides_on_record(connection)}
    resting = set(column(connection, _RESTING, {"now": stamp(now)}))
    found = []
    for domain in sorted(domains):
        if registrable_domain(domain) in overridden:
            found.append(KeptSite(domain, reason="your domains.yaml names it"))
        elif registrable_domain(domain) in resting:
            reason = "it asked Lyra to wait; it is forgotten when that time is over"
            found.append(KeptSite(domain, reason=reason, is_resting=True))
    return tuple(found)


def forget(connection: Connection, domains: Collection[str]) -> dict[str, int]:
    """Delete what is known of these sites; returns the rows by table."""
    values = {
        "domains": ids_json(sorted(domains)),
        "origins": ids_json(
            one for one in column(connection, "select origin from robots_cache") if _is_of(one, domains)
        ),
        "events": to_json(_events(connection, domains)),
    }
    counts = {}
    for table, statement in _FORGET.items():
        connection.execute(statement, values)
        counts[table] = connection.changes()
    return counts


def forget_later(connection: Connection, domains: Iterable[str]) -> None:
    connection.executemany(
        "insert into sites_to_forget (domain) values (?) on conflict do nothing", [(one,) for one in domains]
    )


def forget_due(connection: Connection, now: datetime) -> frozenset[str]:
    """Forget the sites that no longer rest and that nobody has reached since; returns them."""
    noted = set(column(connection, "select domain from sites_to_forget"))
    if not noted:
        return frozenset()
    wanted = unused_hosts(connection, noted)
    due = wanted - {one.domain for one in kept(connection, wanted, now)}
    with secure_deletion(connection):
        forget(connection, due)
        others = ids_json(sorted(noted - wanted))
        connection.execute("delete from sites_to_forget where domain in (select value from json_each(?))", (others,))
    return frozenset(due)


def _hosts(urls: Iterable[str]) -> set[str]:
    return {host for url in urls if (host := host_of(erasing.original_address(url)))} - _SERVICES


def _is_of(url_or_host: str, domains: Collection[str]) -> bool:
    host = host_of(url_or_host) if "://" in url_or_host else url_or_host
    return host in domains or registrable_domain(host) in domains


def _events(connection: Connection, domains: Collection[str]) -> list[int]:
    """Entries of the journal that belong to no task and are about one of these sites."""
    rows = connection.execute(
        """
        select id, subject, coalesce(details ->> 'url', '')
        from event_log
        where task_id is null and kind not in ('fetch', 'fetch_robots', 'task_deleted')
        """
    )
    return [
        int(id_)
        for id_, subject, url in rows
        if _is_of(str(subject).removeprefix("domain:"), domains) or _is_of(str(url), domains)
    ]
