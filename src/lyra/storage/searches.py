"""Searches of a task: rows of `queries`."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import StorageError
from lyra.model.event import Event
from lyra.model.search import Search, SearchOptions, SearchStatus, SearchTally, Source, Vertical
from lyra.storage.columns import moment, moment_or_none, stamp_or_none, to_json

_SELECT = """
select id, task_id, query, options, status, phase, reason, error_code, pages_fetched, useful_fragments, harvest_rate,
    satisfaction_score, novelty_score, independent_sources, has_primary_source, created_at, started_at, finished_at,
    retry_at, error_remedy, is_retryable
from queries
"""


def insert(connection: Connection, search: Search) -> None:
    connection.execute(
        """
        insert into queries (id, task_id, query, options, status, phase, reason, error_code, pages_fetched,
            useful_fragments, harvest_rate, satisfaction_score, novelty_score, independent_sources,
            has_primary_source, created_at, started_at, finished_at, retry_at, error_remedy, is_retryable)
        values (:id, :task_id, :query, :options, :status, :phase, :reason, :error_code, :pages_fetched,
            :useful_fragments, :harvest_rate, :satisfaction_score, :novelty_score, :independent_sources,
            :has_primary_source, :created_at, :started_at, :finished_at, :retry_at, :error_remedy, :is_retryable)
        """,
        _values(search),
    )


def save(connection: Connection, search: Search) -> None:
    """Write everything of a known search that may change: status, phase, metrics and times."""
    connection.execute(
        """
        update queries
        set options = :options, status = :status, phase = :phase, reason = :reason, error_code = :error_code,
            pages_fetched = :pages_fetched, useful_fragments = :useful_fragments, harvest_rate = :harvest_rate,
            satisfaction_score = :satisfaction_score, novelty_score = :novelty_score,
            independent_sources = :independent_sources, has_primary_source = :has_primary_source,
            started_at = :started_at, finished_at = :finished_at, retry_at = :retry_at,
            error_remedy = :error_remedy, is_retryable = :is_retryable
        where id = :id
        """,
        _values(search),
    )
    if not connection.changes():
        raise StorageError(f"There is no search {search.id[:60]!r}.", remedy="Start a new search.")


def novelty_event(task_id: str, search_id: str, flags: Iterable[bool], now: datetime) -> Event:
    """What the journal says of a page that was read: a flag for each fragment looked at, whether new and useful.

    A page on which nothing was worth a look counts as one that was not.
    """
    told = {"flags": "".join("01"[flag] for flag in flags) or "0"}
    return Event("novelty", now, search_id, told, task_id, search_id, search_id)


def novelty_flags(connection: Connection, search_id: str, since: datetime) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """For each fragment that the search has looked at, in order, whether it was new and useful: before then, and since
    then."""
    rows = connection.execute(
        """
        select created_at >= ?, details ->> 'flags'
        from event_log
        where cause_id = ? and kind = 'novelty'
        order by id
        """,
        (stamp(since), search_id),
    )
    before: list[bool] = []
    after: list[bool] = []
    for is_later, told in rows:
        (after if is_later else before).extend(flag == "1" for flag in str(told))
    return tuple(before), tuple(after)


def tally(connection: Connection, search_id: str) -> SearchTally:
    """Pages and useful fragments of a search, counted in the graph of its task."""
    return _tally(connection, "q.id = :id", {"id": search_id})


def tally_of_tasks(connection: Connection, task_id: str | None, since: str = "") -> SearchTally:
    """The same of all searches of one task, or of every task, since a moment: a page and a fragment count once in each
    task, however many of its searches reached them."""
    which = "(:task_id is null or q.task_id = :task_id) and q.created_at >= :since"
    return _tally(connection, which, {"task_id": task_id, "since": since})


def _tally(connection: Connection, which: str, values: dict[str, str | None]) -> SearchTally:
    row = connection.execute(
        f"""
        with reached as (
            select q.task_id, s.page_id, sum(s.state = 'fetched') as fetches
            from queries q
            join serp_items s on s.query_id = q.id
            where {which} and s.page_id is not null and s.state in ('fetched', 'reused', 'abstract')
            group by q.task_id, s.page_id
        ),
        useful as (
            select r.task_id, e.source_id as fragment_id
            from reached r
            join edges e on e.page_id = r.page_id and e.task_id = r.task_id and e.relation in ('supports', 'refutes')
            union
            select r.task_id, m.fragment_id
            from reached r
            join fragments f on f.page_id = r.page_id
            join claim_mentions m on m.fragment_id = f.id
            join claims c on c.id = m.claim_id and c.task_id = r.task_id
        )
        select
            (select coalesce(sum(fetches), 0) from reached),
            (select count(*) from reached),
            (select count(*) from useful)
        """,
        values,
    ).fetchone()
    return SearchTally(*(int(str(count)) for count in row or (0, 0, 0)))


def get(connection: Connection, search_id: str) -> Search | None:
    row = connection.execute(_SELECT + "where id = ?", (search_id,)).fetchone()
    return None if row is None else _search(row)


def of_task(connection: Connection, task_id: str) -> tuple[Search, ...]:
    """The task's searches, oldest first."""
    rows = connection.execute(_SELECT + "where task_id = ? order by created_at, id", (task_id,))
    return tuple(_search(row) for row in rows)


def end(
    connection: Connection,
    search_id: str,
    status: SearchStatus,
    reason: str,
    now: datetime,
    *,
    error_code: str | None = None,
    retry_at: datetime | None = None,
    error_remedy: str | None = None,
    is_retryable: bool | None = None,
) -> None:
    """End a running search from outside: cancelled, or failed with its error and what to do about it."""
    connection.execute(
        """
        update queries
        set status = ?, phase = 'done', reason = ?, finished_at = ?, error_code = ?, retry_at = ?, error_remedy = ?,
            is_retryable = ?
        where id = ? and status = 'running'
        """,
        (status, reason, stamp(now), error_code, stamp_or_none(retry_at), error_remedy, is_retryable, search_id),
    )


def _values(search: Search) -> dict[str, Any]:
    return {
        "id": search.id,
        "task_id": search.task_id,
        "query": search.query,
        "options": to_json(asdict(search.options)),
        "status": search.status,
        "phase": search.phase,
        "reason": search.reason,
        "error_code": search.error_code,
        "pages_fetched": search.pages_fetched,
        "useful_fragments": search.useful_fragments,
        "harvest_rate": search.harvest_rate,
        "satisfaction_score": search.satisfaction_score,
        "novelty_score": search.novelty_score,
        "independent_sources": search.independent_sources,
        "has_primary_source": search.has_primary_source,
        "created_at": stamp(search.created_at),
        "started_at": stamp_or_none(search.started_at),
        "finished_at": stamp_or_none(search.finished_at),
        "retry_at": stamp_or_none(search.retry_at),
        "error_remedy": search.error_remedy,
        "is_retryable": search.is_retryable,
    }


def _options(text: str) -> SearchOptions:
    stored = json.loads(text)
    return SearchOptions(
        engines=None if stored["engines"] is None else tuple(stored["engines"]),
        sources=None if stored["sources"] is None else tuple(Source(source) for source in stored["sources"]),
        max_pages=stored["max_pages"],
        seek_primary=stored["seek_primary"],
        refute=stored["refute"],
        claim_ids=tuple(stored["claim_ids"]),
        auth_priority=stored["auth_priority"],
        vertical=Vertical(stored["vertical"]) if stored.get("vertical") else None,
    )


def _search(row: tuple[Any, ...]) -> Search:
    return Search(
        id=row[0],
        task_id=row[1],
        query=row[2],
        options=_options(row[3]),
        status=SearchStatus(row[4]),
        phase=row[5],
        reason=row[6],
        error_code=row[7],
        pages_fetched=row[8],
        useful_fragments=row[9],
        harvest_rate=row[10],
        satisfaction_score=row[11],
        novelty_score=row[12],
        independent_sources=row[13],
        has_primary_source=bool(row[14]),
        created_at=moment(row[15]),
        started_at=moment_or_none(row[16]),
        finished_at=moment_or_none(row[17]),
        retry_at=moment_or_none(row[18]),
        error_remedy=row[19],
        is_retryable=None if row[20] is None else bool(row[20]),
    )
