"""Records of pages that wait for a person, and what a person's word on them sets free."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import apsw

from lyra.clock import stamp
from lyra.ids import derived_id, new_id
from lyra.model.domain import BreakerState, PolicyChange
from lyra.model.event import Event
from lyra.model.handoff import Handoff, HandoffDecision, HandoffStatus, HandoffSummary
from lyra.model.job import Job, JobState
from lyra.model.search import Candidate, Search, SearchPhase, SearchStatus
from lyra.model.task import TaskStatus
from lyra.storage import candidates, domain_policies, jobs, journal, searches, service_health, tasks
from lyra.storage.rows import Table, read, read_dicts, read_one
from lyra.urls import registrable_domain

# SPEC §9: pages that a person has opened are fetched like any found page.
_PREFETCH_PRIORITY = 90
# Outcomes with which a page behind a wall is given up; the candidate's reason begins with one of them.
_BEHIND_THE_WALL = ("challenge", "cooling_down")
_OPENED = "a person opened it"
_HANDOFFS = Table("intervention_queue", Handoff, without=("title", "blocking_searches", "is_engine"))
_SELECT = f"""
select {_HANDOFFS.columns("q")},
    coalesce((select s.title from serp_items s where s.query_id = q.search_id and s.url = q.url), '') as title,
    (
        select json_group_array(id)
        from (
            select k.id
            from queries k
            join serp_items s on s.query_id = k.id and s.url = q.url and s.state in ('blocked', 'failed')
            where k.task_id = q.task_id
            union
            select k.id
            from queries k
            where k.task_id = q.task_id
                and (k.id = q.search_id or (k.status = 'failed' and k.error_code = 'ALL_ENGINES_BLOCKED'))
                and not exists (select 1 from serp_items s where s.query_id = q.search_id and s.url = q.url)
        )
    ) as blocking_searches,
    not exists (select 1 from serp_items s where s.query_id = q.search_id and s.url = q.url) as is_engine
from intervention_queue q
join tasks t on t.id = q.task_id
"""


def insert(connection: apsw.Connection, handoff: Handoff) -> None:
    """Put a page in the queue. One already there stays as it is, except that a solved one waits again.

    Where a person has skipped the whole domain for this task, the page is skipped too.
    """
    connection.execute(
        """
        insert into intervention_queue
            (id, task_id, search_id, domain, url, auth_type, priority, reason, queued_at, status, resolved_at,
            decided_for, decided_via)
        select :id, :task_id, :search_id, :domain, :url, :auth_type, :priority, :reason, :now,
            iif(skipped, 'skipped', 'pending'), iif(skipped, :now, null), iif(skipped, 'domain', null),
            iif(skipped, 'earlier decision', null)
        from (
            select exists (
                select 1
                from intervention_queue
                where task_id = :task_id and domain = :domain and status = 'skipped' and decided_for = 'domain'
            ) as skipped
        )
        where true
        on conflict do update
        set status = 'pending', search_id = excluded.search_id, auth_type = excluded.auth_type,
            priority = excluded.priority, reason = excluded.reason, queued_at = excluded.queued_at,
            resolved_at = null, decided_for = null, decided_via = null
        where intervention_queue.status = 'resolved'
        """,
        _HANDOFFS.values(handoff) | {"now": stamp(handoff.queued_at)},
    )
    if connection.changes():
        journal.append(connection, (_event(handoff, "queued", handoff.queued_at),))


def pending(
    connection: apsw.Connection, task_id: str | None = None, priority: str | None = None
) -> tuple[Handoff, ...]:
    """What waits for a person, high priority first, then oldest; without a task over all that have not ended."""
    return read(
        connection,
        Handoff,
        _SELECT
        + """
        where q.status = 'pending' and t.status <> 'completed' and (:task_id is null or q.task_id = :task_id)
            and (:priority is null or q.priority = :priority)
        order by q.priority = 'normal', q.queued_at, q.id
        """,
        {"task_id": task_id, "priority": priority},
    )


def get(connection: apsw.Connection, handoff_id: str) -> Handoff | None:
    return read_one(connection, Handoff, _SELECT + "where q.id = ?", (handoff_id,))


def of_domain(connection: apsw.Connection, domain: str) -> tuple[Handoff, ...]:
    """Everything of a domain that waits, that a person could not open, or that was skipped with the whole domain;
    oldest first. A page that was skipped by itself stays so."""
    return read(
        connection,
        Handoff,
        _SELECT
        + """
        where q.domain = ?
            and (q.status in ('pending', 'failed') or (q.status = 'skipped' and q.decided_for = 'domain'))
        order by q.queued_at, q.id
        """,
        (domain,),
    )


def pending_of_engines(connection: apsw.Connection, engines: Sequence[str]) -> dict[str, Handoff]:
    """Which of these engines wait for a person, in whatever task, each with the most urgent of its items."""
    found: dict[str, Handoff] = {}
    for item in pending(connection):
        if item.is_engine and (engine := _engine_of(item, engines)) is not None:
            found.setdefault(engine, item)
    return found


def _engine_of(item: Handoff, engines: Iterable[str]) -> str | None:
    """Which of the engines an item is about: an engine's item has its id from the engine's name."""
    return next((engine for engine in engines if derived_id("auth", item.task_id, engine) == item.id), None)


def decide(
    connection: apsw.Connection,
    items: Sequence[Handoff],
    domain: str,
    status: HandoffStatus,
    *,
    is_for_domain: bool,
    via: str,
    pages_per_search: int,
    now: datetime,
) -> HandoffDecision:
    """Note a person's word on these items of one domain; solved ones set their pages and searches free."""
    decided = tuple(replace(one, status=status, resolved_at=now, decided_via=via) for one in items)
    connection.executemany(
        "update intervention_queue set status = ?, resolved_at = ?, decided_for = ?, decided_via = ? where id = ?",
        [(status, stamp(now), "domain" if is_for_domain else "item", via, one.id) for one in items],
    )
    journal.append(connection, [_event(one, status.value, now) for one in decided])
    freed: tuple[Search, ...] = ()
    if status is HandoffStatus.RESOLVED:
        _end_cooldown(connection, domain, now)
        freed = _free(connection, decided, domain, pages_per_search, now)
    affected = dict.fromkeys([one.task_id for one in decided] + [one.task_id for one in freed])
    return HandoffDecision(domain, status, decided, tuple(one.id for one in freed), tuple(affected))


def _end_cooldown(connection: apsw.Connection, domain: str, now: datetime) -> None:
    """Forget the refusals of a domain that a person has opened: it may be asked at once."""
    health = service_health.get(connection, f"domain:{domain}")
    if health is None:
        return
    service_health.close(connection, health, now)
    if health.open_until is not None and health.open_until > now:
        domain_policies.note_change(connection, domain, PolicyChange(now, "cooldown_s", None, "0", _OPENED), None)


def _free(
    connection: apsw.Connection, decided: Sequence[Handoff], domain: str, pages_per_search: int, now: datetime
) -> tuple[Search, ...]:
    """Pages of the domain that stood behind its wall may be fetched again, and their searches go on; where an engine
    stood behind it, the search asks it again."""
    waiting: dict[str, list[Candidate]] = {
        search_id: []
        for one in decided
        if one.is_engine and _is_open(connection, one.task_id)
        for search_id in one.blocking_searches
    }
    for candidate in candidates.behind_walls(connection, _BEHIND_THE_WALL, [one.url for one in decided]):
        if registrable_domain(candidate.url) == domain:
            waiting.setdefault(candidate.search_id, []).append(candidate)
    freed = []
    for search_id, found in sorted(waiting.items()):
        search = searches.get(connection, search_id)
        if search is not None and search.status is not SearchStatus.CANCELLED:
            candidates.put_first(connection, search_id, [one.id for one in found])
            _resume(connection, search, found, pages_per_search, now)
            freed.append(search)
    _close_circuits(connection, decided, now)
    return tuple(freed)


def _is_open(connection: apsw.Connection, task_id: str) -> bool:
    return tasks.get(connection, task_id).status is not TaskStatus.COMPLETED


def _close_circuits(connection: apsw.Connection, decided: Sequence[Handoff], now: datetime) -> None:
    """Let engines be asked again that a person has opened."""
    known = {one.name.removeprefix("engine:"): one for one in service_health.all(connection, "engine")}
    opened = {_engine_of(one, known) for one in decided if one.is_engine}
    for health in (one for name, one in known.items() if name in opened):
        service_health.close(connection, health, now)
        change = PolicyChange(now, "circuit", health.state.value, BreakerState.CLOSED.value, _OPENED)
        domain_policies.note_change_of(connection, health.name, change)


def _resume(
    connection: apsw.Connection, search: Search, found: Sequence[Candidate], pages_per_search: int, now: datetime
) -> None:
    """Queue the rest of a search; the limit grows by the pages set free, so that they are really fetched.

    A person is at work for its task: it is not left alone as one that nobody asks for.
    """
    usual = search.options.max_pages or pages_per_search
    more = len(found) or usual
    limit = (usual if search.status is SearchStatus.RUNNING else search.pages_fetched) + more
    jobs.enqueue(
        connection,
        Job(
            id=new_id("j"),
            kind="search",
            state=JobState.QUEUED,
            created_at=now,
            payload={"search_id": search.id, "candidate_ids": [one.id for one in found], "asks_again": not found},
            budget={"max_pages": limit},
            priority=_PREFETCH_PRIORITY,
            task_id=search.task_id,
            cause_id=search.id,
        ),
    )
    if search.status is not SearchStatus.RUNNING:
        searches.save(connection, reopened(search))
    elif search.phase is SearchPhase.PAUSED and not found:  # it would go on with what the other engines had found
        searches.save(connection, replace(search, phase=SearchPhase.QUEUED))
    tasks.touch(connection, search.task_id, now)
    tasks.set_status(connection, search.task_id, TaskStatus.EXPLORING)


def reopened(search: Search) -> Search:
    """An ended search that goes on."""
    fresh = replace(search, status=SearchStatus.RUNNING, phase=SearchPhase.QUEUED, reason=None, finished_at=None)
    return replace(fresh, error_code=None, retry_at=None, error_remedy=None, is_retryable=None)


def summary(connection: apsw.Connection, task_id: str) -> HandoffSummary:
    """What waits for a person in one task; for one that has ended nobody need do anything."""
    rows = read_dicts(
        connection,
        """
        select q.domain, q.auth_type, q.priority, q.queued_at
        from intervention_queue q
        join tasks t on t.id = q.task_id
        where q.task_id = ? and q.status = 'pending' and t.status <> 'completed'
        order by q.queued_at
        """,
        (task_id,),
    )
    return HandoffSummary(
        pending_count=len(rows),
        high_priority_count=sum(1 for row in rows if row["priority"] == "high"),
        domains=tuple(dict.fromkeys(row["domain"] for row in rows)),
        oldest_queued_at=rows[0]["queued_at"] if rows else None,
        by_auth_type=dict(Counter(row["auth_type"] for row in rows)),
    )


def _event(handoff: Handoff, became: str, now: datetime) -> Event:
    details: dict[str, Any] = {
        "domain": handoff.domain,
        "auth_type": handoff.auth_type,
        "priority": handoff.priority,
        "became": became,
    }
    if handoff.resolved_at is not None:
        waited_s = (handoff.resolved_at - handoff.queued_at).total_seconds()
        details |= {"via": handoff.decided_via, "waited_s": round(waited_s, 1)}
    return Event("handoff", now, handoff.id, details, handoff.task_id, handoff.search_id, handoff.search_id)
