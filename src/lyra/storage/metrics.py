"""What the metrics are computed from: counts over the journal and the graph, of one task or of all."""

from typing import Any

from apsw import Connection

from lyra.storage import handoffs
from lyra.storage.columns import ids_json
from lyra.storage.rows import read_dicts

# Ended without a request for the page: nobody was asked.
_UNSENT = "('cooling_down', 'robots_denied', 'refused_address', 'unavailable')"
_FETCHES = f"""
with fetches as (
    select e.id, e.subject as url, e.details ->> 'rung' as rung, e.details ->> 'outcome' as outcome,
        cast(e.details ->> 'status_code' as text) as status_code, e.details ->> 'challenge' as challenge,
        cast(e.details ->> 'ip_version' as text) as ip_version, e.details ->> 'ip_switched' as ip_switched,
        e.details ->> 'is_referred' as is_referred, e.details ->> 'outcome' not in {_UNSENT} as is_sent
    from event_log e
    left join serp_items s on s.id = e.cause_id
    left join queries q on q.id = s.query_id
    where e.kind = 'fetch' and e.details ->> 'lane' = 'page' and e.created_at >= :since
        and (:task_id is null or q.task_id = :task_id)
)
"""
Counts = dict[str, int]


def fetches(connection: Connection, task_id: str | None, since: str) -> Counts:
    """Attempts to fetch pages, by how they were made and what became of them."""
    return _one(
        connection,
        _FETCHES
        + """
        select count(*) as attempts, coalesce(sum(is_sent), 0) as sent,
            coalesce(sum(is_sent and rung = 'tor'), 0) as tor,
            coalesce(sum(is_sent and rung = 'tor' and ip_version is not null), 0) as tor_resolved_here,
            coalesce(sum(is_sent and rung in ('browser', 'headless', 'headful', 'undetected')), 0) as browser,
            coalesce(sum(is_sent and rung in ('headful', 'undetected')), 0) as headful,
            coalesce(sum(is_sent and is_referred), 0) as referred,
            coalesce(sum(is_sent and is_referred is not null), 0) as headed,
            coalesce(sum(is_sent and outcome in ('blocked', 'challenge')), 0) as refused,
            coalesce(sum(ip_version is not null), 0) as addressed,
            coalesce(sum(ip_version = '6'), 0) as ipv6,
            coalesce(sum(ip_version = '6' and outcome in ('ok', 'not_modified')), 0) as ipv6_served,
            coalesce(sum(ip_switched = 1), 0) as switched,
            coalesce(sum(ip_switched = 1 and outcome in ('ok', 'not_modified')), 0) as switched_served
        from fetches
        """,
        task_id,
        since,
    )


def refusals(connection: Connection, task_id: str | None, since: str) -> Counts:
    """Why pages were not given, by kind: the challenge, the status, or the outcome."""
    return _by(
        connection,
        _FETCHES
        + """
        select coalesce(challenge, iif(status_code in ('403', '429', '451', '503'), status_code, outcome)), count(*)
        from fetches
        where outcome in ('blocked', 'challenge', 'robots_denied', 'cooling_down')
        group by 1
        order by 2 desc, 1
        """,
        task_id,
        since,
    )


def revisits(connection: Connection, task_id: str | None, since: str) -> Counts:
    """Pages asked for again after they were served once, to whomever and however long ago, and how many of them had
    not changed."""
    return _one(
        connection,
        _FETCHES
        + """,
        served as (
            select subject as url, min(id) as first_id
            from event_log
            where kind = 'fetch' and details ->> 'lane' = 'page' and details ->> 'outcome' in ('ok', 'not_modified')
            group by subject
        )
        select count(*) as revisits, coalesce(sum(f.outcome = 'not_modified'), 0) as unchanged
        from fetches f
        join served s on s.url = f.url and s.first_id < f.id
        where f.is_sent
        """,
        task_id,
        since,
    )


def by_domain(connection: Connection, task_id: str | None, since: str) -> list[tuple[str, int, int, int]]:
    """Addresses sent to, with how often each met a challenge and a 403; the caller joins them to domains."""
    rows = connection.execute(
        _FETCHES
        + """
        select url, count(*), sum(outcome = 'challenge'), sum(status_code = '403')
        from fetches
        where is_sent
        group by url
        """,
        {"task_id": task_id, "since": since},
    )
    return [
        (str(url), int(sent), int(challenged or 0), int(forbidden or 0)) for url, sent, challenged, forbidden in rows
    ]


def searches(connection: Connection, task_id: str | None, since: str) -> dict[str, Any]:
    """Searches that ended, with their mean novelty, and how it went from the earlier half of them to the later. A
    search that read nothing has no novelty."""
    return _one(
        connection,
        """
        with ended as (
            select status, created_at, id, novelty_score as novelty,
                (julianday(finished_at) - julianday(started_at)) * 86400 as seconds
            from queries
            where status <> 'running' and created_at >= :since and (:task_id is null or task_id = :task_id)
        ),
        halves as (
            select novelty, ntile(2) over (order by created_at, id) as half
            from ended
            where novelty is not null
        )
        select count(*) as ended, sum(status = 'satisfied') as satisfied, avg(novelty) as novelty,
            count(novelty) as with_novelty, avg(seconds) as seconds, count(seconds) as with_seconds,
            (select avg(iif(half = 2, novelty, null)) - avg(iif(half = 1, novelty, null)) from halves) as trend
        from ended
        """,
        task_id,
        since,
    )


def handoff_figures(connection: Connection, task_id: str | None, since: str) -> dict[str, Any]:
    """What was asked of a person, and how that went; a page that was back in the queue within ten minutes was not
    solved, whatever was said."""
    return _one(
        connection,
        """
        with steps as (
            select kind, details, details ->> 'became' as became, created_at,
                lead(details ->> 'became') over one as later_became, lead(created_at) over one as later_at
            from event_log
            where kind in ('notification', 'handoff') and created_at >= :since
                and (:task_id is null or task_id = :task_id)
            window one as (partition by kind, subject order by id)
        )
        select
            sum(kind = 'notification' and details ->> 'event' = 'auth_required') as notified,
            sum(kind = 'notification' and details ->> 'event' = 'auth_required'
                and json_array_length(details -> 'shown_on') > 0) as notified_shown,
            sum(became = 'shown') as shown,
            sum(kind = 'handoff' and details ->> 'window' = 'raised') as raised,
            sum(became in ('resolved', 'skipped', 'failed')) as decided,
            sum(became = 'resolved' and not (
                coalesce(later_became, '') = 'queued' and julianday(later_at) - julianday(created_at) < 10 / 1440.0
            )) as resolved,
            avg(iif(kind = 'handoff', details ->> 'waited_s', null)) as waited_s
        from steps
        """,
        task_id,
        since,
    )


def pending_handoffs(connection: Connection, task_id: str | None) -> int:
    """Pages that wait for a person in tasks that have not ended, as the queue lists them."""
    return len(handoffs.pending(connection, task_id))


def jobs_by_state(connection: Connection, task_id: str | None) -> Counts:
    rows = connection.execute(
        "select state, count(*) from jobs where ? is null or task_id = ? group by state order by state",
        (task_id, task_id),
    )
    return {str(state): int(count) for state, count in rows}


def engines(connection: Connection, now: str) -> list[tuple[str, str]]:
    """Each engine that was asked, with the state of its circuit: one whose time is over is half open."""
    rows = connection.execute(
        """
        select substr(name, 8), iif(state = 'open' and coalesce(open_until, '') <= ?, 'half_open', state)
        from service_health
        where name glob 'engine:*'
        order by name
        """,
        (now,),
    )
    return [(str(engine), str(state)) for engine, state in rows]


def policy_changes(connection: Connection, since: str) -> Counts:
    """Parameters that were turned, and how often."""
    rows = connection.execute(
        """
        select details ->> 'parameter', count(*)
        from event_log
        where kind = 'policy_change' and created_at >= ?
        group by 1
        order by 1
        """,
        (since,),
    )
    return {str(name): int(count) for name, count in rows}


def traffic_after(connection: Connection, event_id: int, rungs: tuple[str, ...] = ()) -> tuple[int, int, int]:
    """The newest entry of the journal; requests sent since that one, and how many of them ended in nothing.

    Over named rungs only theirs count, and there whatever was not served is nothing. Otherwise an answer is something,
    also one that says that the server has trouble: the line has carried it.
    """
    unserved = "details ->> 'outcome' not in ('ok', 'not_modified', 'not_found')"
    unheard = "(details ->> 'outcome' = 'timed_out' or details ->> 'outcome' = 'failed' and status_code is null)"
    nothing = unserved if rungs else unheard
    row = connection.execute(
        f"""
        select coalesce(max(id), :after),
            coalesce(sum(is_asked and details ->> 'outcome' not in {_UNSENT}), 0),
            coalesce(sum(is_asked and details ->> 'outcome' not in {_UNSENT} and {nothing}), 0)
        from (
            select id, details, details ->> 'status_code' as status_code,
                kind = 'fetch' and (:rungs = '[]' or details ->> 'rung' in (select value from json_each(:rungs)))
                    as is_asked
            from event_log
            where id > :after
        )
        """,
        {"after": event_id, "rungs": ids_json(rungs)},
    ).fetchone()
    newest, sent, failed = row or (event_id, 0, 0)
    return int(str(newest)), int(str(sent)), int(str(failed))


def _one(connection: Connection, sql: str, task_id: str | None, since: str) -> dict[str, Any]:
    return read_dicts(connection, sql, {"task_id": task_id, "since": since})[0]


def _by(connection: Connection, sql: str, task_id: str | None, since: str) -> Counts:
    rows = connection.execute(sql, {"task_id": task_id, "since": since})
    return {str(name): int(count) for name, count in rows}
