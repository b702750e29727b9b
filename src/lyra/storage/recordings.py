"""What a replay of a task starts from: the task, its searches and what they found, its journal and its reviews."""

from collections.abc import Iterable
from dataclasses import dataclass

from apsw import Connection

from lyra.model.claim import AssessedClaim
from lyra.model.edge import Review
from lyra.model.event import Event
from lyra.model.search import Candidate, Search
from lyra.model.task import Task
from lyra.storage import candidates, claims, journal, reviews, searches, tasks
from lyra.storage.columns import ids_json
from lyra.storage.rows import column


@dataclass(frozen=True, slots=True)
class Recording:
    """`searches` are also those of rechecks. `events` are those of the flow, oldest first; `storage_order` are the
    task's pages in the order in which their first fragment was stored; `unrecorded` are pages that are evidence without
    an entry that they were read."""

    task: Task
    searches: tuple[Search, ...]
    hypotheses: tuple[AssessedClaim, ...]
    candidates: tuple[Candidate, ...]
    events: tuple[Event, ...]
    reviews: tuple[Review, ...]
    storage_order: tuple[str, ...]
    unrecorded: tuple[str, ...]


def read_recording(connection: Connection, task_id: str, kinds: Iterable[str], read_kind: str) -> Recording:
    """Raises TaskNotFound. `kinds` are the entries to read, `read_kind` the one that tells of a page."""
    found = searches.all_of_task(connection, task_id)
    rule = "where task_id = ? and kind in (select value from json_each(?)) order by id"
    return Recording(
        task=tasks.get(connection, task_id),
        searches=found,
        hypotheses=claims.hypotheses(connection, task_id),
        candidates=tuple(one for search in found for one in candidates.of_search(connection, search.id)),
        events=journal.read_events(connection, rule, (task_id, ids_json(kinds))),
        reviews=reviews.of_task(connection, task_id),
        storage_order=_storage_order(connection, task_id),
        unrecorded=_unrecorded(connection, task_id, read_kind),
    )


def _storage_order(connection: Connection, task_id: str) -> tuple[str, ...]:
    sql = """
        select f.page_id
        from task_pages t
        join fragments f on f.page_id = t.page_id
        where t.task_id = ?
        group by f.page_id
        order by min(f.seq)
    """
    return tuple(column(connection, sql, (task_id,)))


def _unrecorded(connection: Connection, task_id: str, read_kind: str) -> tuple[str, ...]:
    sql = """
        select distinct p.url
        from task_fragments t
        join fragments f on f.id = t.fragment_id
        join pages p on p.id = f.page_id
        where t.task_id = :task_id and p.id not in (
            select details ->> '$.page.id' from event_log where task_id = :task_id and kind = :kind
        )
        order by p.url
    """
    return tuple(column(connection, sql, {"task_id": task_id, "kind": read_kind}))
