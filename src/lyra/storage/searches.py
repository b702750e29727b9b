"""Searches of a task: rows of `queries`."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import StorageError
from lyra.model.event import Event
from lyra.model.search import Search, SearchStatus, SearchTally
from lyra.redact.key import redactor_of
from lyra.storage.columns import stamp_or_none
from lyra.storage.connection import secure_deletion
from lyra.storage.rows import Table, read, read_one
from lyra.urls import is_web_url

_SEARCHES = Table("queries", Search)
_SELECT = f"select {_SEARCHES.columns()} from queries "
_FIXED = ("id", "task_id", "query", "created_at", "recheck_id", "repeats_id")


def insert(connection: Connection, search: Search) -> None:
    _SEARCHES.insert(connection, search)


def save(connection: Connection, search: Search) -> None:
    """Write everything of a known search that may change: status, phase, metrics and times."""
    values = _SEARCHES.values(search)
    changes = ", ".join(f"{name} = :{name}" for name in values if name not in _FIXED)
    connection.execute(f"update queries set {changes} where id = :id", values)
    if not connection.changes():
        raise StorageError(f"There is no search {search.id[:60]!r}.", remedy="Start a new search.")
    if search.status is not SearchStatus.RUNNING:
        _redact_addresses(connection, search.id)


def _redact_addresses(connection: Connection, search_id: str) -> None:
    """Secrets in the addresses of a search that has ended: only fetching needed them.

    Those of pages that wait for a person stay, who opens them.
    """
    redactor = redactor_of(Path(connection.filename).parent)
    asked = connection.execute("select query from queries where id = ?", (search_id,)).get
    if asked is not None and is_web_url(asked) and (clean := redactor.url(asked)) != asked:
        with secure_deletion(connection):
            connection.execute("update queries set query = ? where id = ?", (clean, search_id))
    found = connection.execute(
        """
        select id, url, referer
        from serp_items s
        where query_id = ?
            and not exists (select 1 from intervention_queue i where i.url = s.url and i.status = 'pending')
        """,
        (search_id,),
    ).fetchall()
    cleaned = [
        (id_, redactor.url(str(url)), None if referer is None else redactor.url(str(referer)))
        for id_, url, referer in found
    ]
    changed = [new for new, old in zip(cleaned, found, strict=True) if new != old]
    if changed:
        with secure_deletion(connection):
            connection.executemany("update or ignore serp_items set url = ?2, referer = ?3 where id = ?1", changed)


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
    found = read_one(
        connection,
        SearchTally,
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
            (select coalesce(sum(fetches), 0) from reached) as pages_fetched,
            (select count(*) from reached) as pages_read,
            (select count(*) from useful) as useful_fragments
        """,
        values,
    )
    return found or SearchTally(0, 0, 0)


def get(connection: Connection, search_id: str) -> Search | None:
    return read_one(connection, Search, _SELECT + "where id = ?", (search_id,))


def of_task(connection: Connection, task_id: str) -> tuple[Search, ...]:
    """The searches that clients asked for, oldest first; those of rechecks are not among them."""
    sql = "where task_id = ? and recheck_id is null order by created_at, id"
    return read(connection, Search, _SELECT + sql, (task_id,))


def all_of_task(connection: Connection, task_id: str) -> tuple[Search, ...]:
    """The searches of a task, oldest first, those of rechecks too."""
    return read(connection, Search, _SELECT + "where task_id = ? order by created_at, id", (task_id,))


def of_recheck(connection: Connection, run_id: str) -> tuple[Search, ...]:
    """The searches of one run of a recheck, in the order in which they are repeated."""
    return read(connection, Search, _SELECT + "where recheck_id = ? order by created_at, id", (run_id,))


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
    _redact_addresses(connection, search_id)
