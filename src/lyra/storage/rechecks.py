"""Tasks that are watched, the runs that repeat their searches, and how a task stands for the next comparison."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.claim import Verdict
from lyra.model.page import Identifier
from lyra.model.recheck import PageNews, PageSnapshot, Recheck, RecheckRun, Snapshot, UnreadPage
from lyra.model.search import Candidate, Search
from lyra.model.task import Budget, Task
from lyra.storage import tasks
from lyra.storage.columns import ids_json, to_json
from lyra.storage.derived import PAGE_IS_RETRACTED
from lyra.storage.rows import Table, column, nested, read, read_one

_KEPT = ("query", "due_at", "job_state", "last_run_id", "last_state", "last_finished_at")
_RECHECKS = Table("rechecks", Recheck, nested("budget", Budget), without=_KEPT)
_RUNS = Table("recheck_runs", RecheckRun, nested("budget", Budget))
_WATCHED = f"""
select {_RECHECKS.columns("r")}, t.query, j.due_at, j.state as job_state, last.id as last_run_id,
    last.state as last_state, last.finished_at as last_finished_at
from rechecks r
join tasks t on t.id = r.task_id
left join jobs j on j.id = (
    select id
    from jobs
    where task_id = r.task_id and due_at is not null and state in ('queued', 'running', 'paused')
    order by due_at
    limit 1
)
left join recheck_runs last on last.id = (
    select id from recheck_runs where task_id = r.task_id order by started_at desc, id limit 1
)
"""
# How a visit ended in which a page was found, or was said not to be there any more.
_THERE = "s.state in ('fetched', 'reused')"
_GONE = "s.state = 'failed' and s.reason like 'not_found:%'"
_QUOTES_SHOWN = 3
_QUOTE_CHARS = 300


def save(connection: Connection, recheck: Recheck, snapshot: Snapshot) -> None:
    """Watch a task, or watch it in another way; what it is compared with is the snapshot."""
    _RECHECKS.save(connection, recheck, "task_id", snapshot=_snapshot_json(snapshot))


def get(connection: Connection, task_id: str) -> Recheck | None:
    return read_one(connection, Recheck, _WATCHED + "where r.task_id = ?", (task_id,))


def watched(connection: Connection) -> tuple[Recheck, ...]:
    """Every task that is watched, the one that is due first first."""
    return read(connection, Recheck, _WATCHED + "order by j.due_at, r.task_id")


def delete(connection: Connection, task_id: str) -> bool:
    """Watch a task no longer; the reports that were made stay. Returns whether it was watched."""
    connection.execute("delete from rechecks where task_id = ?", (task_id,))
    return bool(connection.changes())


def begin_run(connection: Connection, run: RecheckRun) -> RecheckRun:
    """The run as stored: a new one, or the one that an earlier process began."""
    _RUNS.insert(connection, run, "(id) do nothing")
    found = get_run(connection, run.id)
    assert found is not None
    return found


def get_run(connection: Connection, run_id: str) -> RecheckRun | None:
    return read_one(connection, RecheckRun, f"select {_RUNS.columns()} from recheck_runs where id = ?", (run_id,))


def runs(connection: Connection, task_id: str | None, limit: int) -> tuple[RecheckRun, ...]:
    """Runs of one task, or of all, the newest first."""
    return read(
        connection,
        RecheckRun,
        f"""
        select {_RUNS.columns()}
        from recheck_runs
        where :task_id is null or task_id = :task_id
        order by started_at desc, id
        limit :limit
        """,
        {"task_id": task_id, "limit": limit},
    )


def save_run(connection: Connection, run: RecheckRun) -> None:
    """Write state, times, reason and report of a run; what it has spent is counted by `spend`."""
    report = None if run.report is None else to_json({**asdict(run.report), "since": stamp(run.report.since)})
    connection.execute(
        "update recheck_runs set state = ?, finished_at = ?, reason = ?, report = ? where id = ?",
        (run.state, stamp(run.finished_at) if run.finished_at else None, run.reason, report, run.id),
    )


def add_usage(connection: Connection, search: Search, pages: int, seconds: float) -> None:
    """Count pages and seconds of a search: against the budget of its recheck, or else of its task."""
    if search.recheck_id is None:
        tasks.add_usage(connection, search.task_id, pages, seconds)
        return
    connection.execute(
        "update recheck_runs set pages_used = pages_used + ?, seconds_used = seconds_used + ? where id = ?",
        (pages, seconds, search.recheck_id),
    )


def task_with_budget(connection: Connection, search: Search) -> Task:
    """The search's task; where a recheck makes the search, with the budget of that run and what is spent of it."""
    task = tasks.get(connection, search.task_id)
    run = get_run(connection, search.recheck_id) if search.recheck_id is not None else None
    if run is None:
        return task
    return replace(task, budget=run.budget, pages_used=run.pages_used, seconds_used=run.seconds_used)


def has_visited(connection: Connection, run_id: str, page_id: str) -> bool:
    """Whether a search of this run has asked for the page already."""
    sql = """
        select exists (
            select 1
            from queries q
            join serp_items s on s.query_id = q.id and s.page_id = ? and s.state in ('fetched', 'reused')
            where q.recheck_id = ?
        )
    """
    return bool(connection.execute(sql, (page_id, run_id)).get)


def pages_to_visit(connection: Connection, search: Search) -> tuple[Candidate, ...]:
    """Addresses that speak for or against a claim and were read by the search that this one repeats, or by an earlier
    repetition: those with the most stances first. Their ids are not set."""
    return read(
        connection,
        Candidate,
        """
        select '' as id, :id as search_id, p.url, p.title, '' as snippet, 'recheck' as engine,
            row_number() over (order by t.supports + t.refutes desc, p.id) as rank
        from page_stances t
        join pages p on p.id = t.page_id
        where t.task_id = :task_id and t.supports + t.refutes > 0 and exists (
            select 1
            from serp_items s
            join queries q on q.id = s.query_id
            where s.page_id = p.id and s.state in ('fetched', 'reused')
                and (q.id = :repeats_id or q.repeats_id = :repeats_id)
        )
        order by rank
        """,
        {"id": search.id, "task_id": search.task_id, "repeats_id": search.repeats_id},
    )


def identifiers_of_works(connection: Connection, task_id: str) -> tuple[Identifier, ...]:
    """One identifier of each work behind the pages that the task has reached."""
    return read(
        connection,
        Identifier,
        """
        select w.identifiers ->> '$[0][0]' as kind, w.identifiers ->> '$[0][1]' as value
        from works w
        where w.identifiers <> '[]'
            and w.id in (select p.work_id from task_pages t join pages p on p.id = t.page_id where t.task_id = ?)
        order by w.id
        """,
        (task_id,),
    )


def current_snapshot(connection: Connection, task_id: str, run_id: str | None, earlier: Snapshot) -> Snapshot:
    """How the task stands now; a page that this run could not find is gone, one that it did not visit is as before."""
    gone, there = _visits(connection, run_id, _GONE), _visits(connection, run_id, _THERE)
    rows = connection.execute(
        f"""
        select p.id, coalesce(
            (select f.text_version from fragments f where f.page_id = p.id and f.superseded_at is null limit 1),
            p.content_hash, ''
        ), {PAGE_IS_RETRACTED}, p.is_corrected
        from page_stances t
        join pages p on p.id = t.page_id
        where t.task_id = ? and t.supports + t.refutes > 0
        order by p.id
        """,
        (task_id,),
    )
    pages = {}
    for page_id, version, is_retracted, is_corrected in rows:
        before = earlier.pages.get(str(page_id))
        was_gone = before is not None and before.is_gone and page_id not in there
        is_gone = page_id in gone or was_gone
        pages[str(page_id)] = PageSnapshot(str(version), bool(is_retracted), bool(is_corrected), is_gone)
    verdicts = connection.execute("select id, verdict from claims where task_id = ? order by seq", (task_id,))
    return Snapshot({str(claim_id): Verdict(verdict) for claim_id, verdict in verdicts}, pages)


def stored_snapshot(connection: Connection, task_id: str) -> Snapshot:
    """How the task stood when it was last reported on."""
    told = json.loads(str(connection.execute("select snapshot from rechecks where task_id = ?", (task_id,)).get))
    return Snapshot(
        {claim_id: Verdict(verdict) for claim_id, verdict in told["verdicts"].items()},
        {page_id: PageSnapshot(**state) for page_id, state in told["pages"].items()},
    )


def set_snapshot(connection: Connection, task_id: str, snapshot: Snapshot) -> None:
    connection.execute("update rechecks set snapshot = ? where task_id = ?", (_snapshot_json(snapshot), task_id))


def answered_pages(connection: Connection, run_id: str) -> frozenset[str]:
    """Ids of the pages of which a run knows how they are: found, or said not to be there any more."""
    return _visits(connection, run_id, f"({_THERE} or {_GONE})")


def unread_pages(connection: Connection, task_id: str, run_id: str, *, reason: str) -> tuple[UnreadPage, ...]:
    """Pages that speak for or against a claim, were read by a search that the run repeats, and were not this time; in
    the order of their addresses, each with the reason of the last try, or with this one where nobody asked for it."""
    return read(
        connection,
        UnreadPage,
        """
        select p.id as page_id, p.url, p.title, t.supports, t.refutes, coalesce((
            select s.reason
            from serp_items s
            join queries q on q.id = s.query_id
            where q.recheck_id = :run_id and s.url = p.url and s.state in ('failed', 'blocked')
            order by q.created_at desc
            limit 1
        ), :not_asked) as reason
        from page_stances t
        join pages p on p.id = t.page_id
        where t.task_id = :task_id and t.supports + t.refutes > 0
            and p.id not in (select value from json_each(:answered))
            and exists (
                select 1
                from serp_items s
                join queries q on q.id = s.query_id
                join queries again on again.recheck_id = :run_id and again.repeats_id in (q.id, q.repeats_id)
                where s.page_id = p.id and s.state in ('fetched', 'reused')
            )
        order by p.url
        """,
        {
            "task_id": task_id,
            "run_id": run_id,
            "answered": ids_json(answered_pages(connection, run_id)),
            "not_asked": reason,
        },
    )


def page_news(
    connection: Connection, task_id: str, page_ids: Iterable[str], since: datetime | None = None
) -> tuple[PageNews, ...]:
    """What a reader is told of pages, in the order of their addresses; with `since`, also the quotes lost since."""
    found = read(
        connection,
        PageNews,
        """
        select p.id as page_id, p.url, p.title, coalesce(t.supports, 0) as supports, coalesce(t.refutes, 0) as refutes
        from pages p
        left join page_stances t on t.page_id = p.id and t.task_id = ?
        where p.id in (select value from json_each(?))
        order by p.url
        """,
        (task_id, ids_json(page_ids)),
    )
    if since is None:
        return found
    return tuple(replace(one, quotes=_lost_quotes(connection, task_id, one.page_id, since)) for one in found)


def claim_texts(connection: Connection, claim_ids: Iterable[str]) -> Mapping[str, tuple[str, bool]]:
    """The words of claims and whether each is a hypothesis, by its id; hypotheses first."""
    rows = connection.execute(
        """
        select id, claim_text, is_hypothesis
        from claims
        where id in (select value from json_each(?))
        order by is_hypothesis desc, seq
        """,
        (ids_json(claim_ids),),
    )
    return {str(claim_id): (str(text), bool(is_hypothesis)) for claim_id, text, is_hypothesis in rows}


def mend_due_times(connection: Connection, now: datetime) -> int:
    """Bring due times that lie more than an interval ahead back to one interval: the clock was set back since they were
    written. Returns how many."""
    connection.execute(
        """
        update jobs
        set due_at = strftime('%Y-%m-%dT%H:%M:%fZ', :now, '+' || r.every_s || ' seconds')
        from rechecks r
        where r.task_id = jobs.task_id and jobs.state = 'queued' and jobs.due_at is not null
            and jobs.due_at > strftime('%Y-%m-%dT%H:%M:%fZ', :now, '+' || r.every_s || ' seconds')
        """,
        {"now": stamp(now)},
    )
    return connection.changes()


def feed_id(connection: Connection) -> str:
    """32 hexadecimal digits by which the feed of this data directory is known."""
    return str(connection.execute("select value from meta where key = 'feed_id'").get)


def _lost_quotes(connection: Connection, task_id: str, page_id: str, since: datetime) -> tuple[str, ...]:
    found = column(
        connection,
        """
        select distinct substr(coalesce(e.quote, f.text_content), 1, ?)
        from edges e
        join fragments f on f.id = e.source_id
        where e.page_id = ? and e.task_id = ? and e.no_vote = 'superseded' and e.relation in ('supports', 'refutes')
            and f.superseded_at >= ?
        order by f.position
        limit ?
        """,
        (_QUOTE_CHARS, page_id, task_id, stamp(since), _QUOTES_SHOWN),
    )
    return tuple(map(str, found))


def _visits(connection: Connection, run_id: str | None, which: str) -> frozenset[str]:
    """Ids of the known pages among the addresses that a run asked for with some end."""
    sql = f"""
        select distinct p.id
        from queries q
        join serp_items s on s.query_id = q.id
        join pages p on p.url = s.url
        where q.recheck_id = ? and {which}
    """
    return frozenset(map(str, column(connection, sql, (run_id,))))


def _snapshot_json(snapshot: Snapshot) -> str:
    told: dict[str, Any] = {
        "verdicts": dict(snapshot.verdicts),
        "pages": {page_id: asdict(state) for page_id, state in snapshot.pages.items()},
    }
    return to_json(told)
