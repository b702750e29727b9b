"""Deleting a task: soft takes what the task owns; hard also the pages that only it reached and nothing else needs.

What other tasks have is never touched: a page stays when another task reached it, or when another task's search found
a citation from or to it; in that case it goes with that task. A text that stays and repeats one that goes is known by
another from then on (`lost_originals`). A page that a search of another task may be reading just now is held until that
search has ended, or its process is gone. A hard deletion also forgets the sites that only the task had reached
(`sites`), and takes pages that no task has reached any more since an earlier one.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import TaskNotFound
from lyra.model.task import KeptSite, TaskRemoval
from lyra.storage import erasing, leases, lost_originals, questions, sites, trust
from lyra.storage.columns import ids_json
from lyra.storage.connection import secure_deletion
from lyra.storage.erasing import ErasureAction
from lyra.storage.rows import column

# Children first, so that every statement counts its own rows; what follows from them (years, pages reached, sources)
# goes with its task or claim by foreign keys and triggers. The requests of its searches belong to the task, and so do
# the answers kept for queries that no other task has asked: both hold the words that were asked.
_OWNED = {
    "event_log": """
        delete from event_log
        where task_id = :task_id or (
            kind in ('fetch', 'fetch_robots') and cause_id in (
                select id from queries where task_id = :task_id
                union all
                select s.id from queries q join serp_items s on s.query_id = q.id where q.task_id = :task_id
            )
        )
    """,
    "serp_cache": """
        delete from serp_cache
        where json_extract(answer, '$.query') in (
            select d.text from queries q join derived_queries d on d.query_id = q.id where q.task_id = :task_id
            union
            select query from queries where task_id = :task_id
            except
            select d.text from queries q join derived_queries d on d.query_id = q.id where q.task_id <> :task_id
            except
            select query from queries where task_id <> :task_id
        )
    """,
    "reviews": "delete from reviews where task_id = :task_id",
    "edges": "delete from edges where task_id = :task_id",
    "claim_mentions": "delete from claim_mentions where claim_id in (select id from claims where task_id = :task_id)",
    "embeddings": """
        delete from embeddings
        where target_type = 'claim' and target_id in (select id from claims where task_id = :task_id)
    """,
    "claims": "delete from claims where task_id = :task_id",
    "serp_items": "delete from serp_items where query_id in (select id from queries where task_id = :task_id)",
    "intervention_queue": "delete from intervention_queue where task_id = :task_id",
    "queries": "delete from queries where task_id = :task_id",
    "jobs": "delete from jobs where task_id = :task_id",
    "tasks": "delete from tasks where id = :task_id",
}
# What the journal says of other things because of the task: levels of domains that its claims had lifted.
_CAUSED = {"event_log": "delete from event_log where details ->> 'task_id' = :task_id"}
_UNREACHED = """
    not exists (select 1 from task_pages t where t.page_id = p.id)
"""
_CITED = """
    exists (
        select 1
        from edges e
        join queries q on q.id = e.cause_id
        where e.relation = 'cites' and (e.source_id = p.id or e.target_id = p.id)
    )
"""
_LONE = f"""
select p.id, {_CITED} as is_cited
from deleted_task_pages d
join pages p on p.id = d.page_id
where d.task_id = :task_id and {_UNREACHED}
"""
# What earlier hard deletions have left: pages that were cited then, and those that were stored before one and that
# nobody has. A page that a softly deleted task had reached waits for the hard deletion of that task.
_ORPHANED = f"""
select p.id
from pages p
where {_UNREACHED} and not {_CITED}
    and not exists (
        select 1
        from deleted_task_pages d
        join deleted_tasks t on t.task_id = d.task_id
        where d.page_id = p.id and not t.is_hard
    )
    and (
        exists (select 1 from deleted_task_pages d where d.page_id = p.id)
        or (
            p.url glob 'http*://*' and p.fetched_at < (
                select max(created_at) from event_log where kind = 'task_deleted' and details ->> 'is_hard'
            )
        )
    )
"""
# Pages among these that a search may have in hand without having recorded it: those at addresses that it is about to
# visit, and abstracts and records of registries, which are stored before they are noted among what it has read. Only a
# search whose job is leased has anything in hand; one that was interrupted reads all of it anew.
_HELD = """
with live (id, began_at) as (
    select q.id, coalesce(q.started_at, q.created_at)
    from queries q
    where q.status = 'running' and q.task_id in (
        select j.task_id
        from jobs j
        join leases l on l.name = 'job:' || j.id
        where j.state = 'running' and l.until > :now and l.until <= :latest
    )
)
select p.id
from pages p
where p.id in (select value from json_each(:ids)) and (
    exists (
        select 1
        from live
        where p.fetched_at >= live.began_at and (p.extractor glob 'abstract:*' or p.extractor glob 'registry:*')
    )
    or exists (
        select 1
        from live
        join serp_items s on s.query_id = live.id
        where s.state = 'pending' and (
            s.url = p.url
            or s.url in (select r.value from resource_index r where r.kind = 'url' and r.page_id = p.id)
        )
    )
)
"""
# Records that the pages, their earlier versions and their dated copies were read from, each with its file.
_PLACES = """
select warc_record_id, warc_path from pages where id in (select value from json_each(:ids)) and warc_path is not null
union
select warc_record_id, warc_path
from page_versions
where page_id in (select value from json_each(:ids)) and warc_path is not null
union
select r.record_id, r.warc_path
from mementos m
join archive_records r on r.record_id = m.record_id
where m.page_id in (select value from json_each(:ids))
"""
_DOMAINS = "select distinct domain from pages where id in (select value from json_each(:ids))"
_IN_USE = """
select i.value
from json_each(:paths) i
where exists (select 1 from pages p where p.warc_path = i.value)
    or exists (select 1 from page_versions v where v.warc_path = i.value)
    or exists (
        select 1
        from archive_records r
        where r.warc_path = i.value
            and r.record_id not in (select e.record_id from records_to_erase e where e.action = 'remove')
    )
"""
# An identifier whose work stays leads to another page of that work from now on, or to none.
_REPOINT = """
update resource_index
set page_id = (
    select p.id
    from pages p
    where p.work_id = resource_index.work_id and p.id not in (select value from json_each(:ids))
    order by p.fetched_at, p.id
    limit 1
)
where page_id in (select value from json_each(:ids)) and exists (
    select 1
    from pages p
    where p.work_id = resource_index.work_id and p.id not in (select value from json_each(:ids))
)
"""
_ONLY_THESE_WORKS = """
select distinct w.id
from works w
join pages p on p.work_id = w.id
where p.id in (select value from json_each(:ids))
    and not exists (
        select 1 from pages other where other.work_id = w.id and other.id not in (select value from json_each(:ids))
    )
"""
_PAGE_PARTS = {
    "edges": """
        delete from edges
        where relation = 'cites' and (
            source_id in (select value from json_each(:ids)) or target_id in (select value from json_each(:ids))
        )
    """,
    "embeddings": """
        delete from embeddings
        where target_type = 'fragment' and target_id in (
            select id from fragments where page_id in (select value from json_each(:ids))
        )
    """,
    "sentence_vectors": """
        delete from sentence_vectors
        where text_hash in (select text_hash from fragments where page_id in (select value from json_each(:ids)))
            and text_hash not in (
                select text_hash from fragments where page_id not in (select value from json_each(:ids))
            )
    """,
    "fragments": "delete from fragments where page_id in (select value from json_each(:ids))",
    "page_versions": "delete from page_versions where page_id in (select value from json_each(:ids))",
    "resource_index": """
        delete from resource_index
        where page_id in (select value from json_each(:ids)) or work_id in (select value from json_each(:works))
    """,
    "pages": "delete from pages where id in (select value from json_each(:ids))",
    "works": "delete from works where id in (select value from json_each(:works))",
}
# What a person wrote beside a correction, of edges that are gone.
_BLANK_CONTEXTS = """
update calibration_samples
set context = ''
where edge_id is not null and context <> '' and edge_id not in (select id from edges)
"""
# Words that a page no longer has and that are nobody's evidence any more.
_FORGOTTEN = """
select f.id
from fragments f
where f.page_id in (select value from json_each(:ids)) and f.superseded_at is not null
    and not exists (select 1 from claim_mentions m where m.fragment_id = f.id)
    and not exists (select 1 from edges e where e.source_type = 'fragment' and e.source_id = f.id)
    and not exists (select 1 from fragments copy where copy.near_duplicate_of = f.id)
"""
_LEFT_VERSIONS = """
from page_versions
where page_id in (select value from json_each(:ids)) and not exists (
    select 1
    from fragments f
    where f.page_id = page_versions.page_id and f.superseded_at is not null
        and f.text_version = page_versions.text_version
)
"""


@dataclass(frozen=True, slots=True)
class _Forgotten:
    sites: frozenset[str] = frozenset()
    kept: tuple[KeptSite, ...] = ()


@dataclass(frozen=True, slots=True)
class _DeletedPages:
    """The archive files that held them, what has to be erased in files, the sites, and addresses of pages that stay."""

    files: frozenset[str] = frozenset()
    erasures: tuple[erasing.Erasure, ...] = ()
    forgotten: _Forgotten = _Forgotten()
    held: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()


def delete_task(connection: Connection, task_id: str, *, is_hard: bool, now: datetime) -> TaskRemoval:
    """Delete the task; raises TaskNotFound. A softly deleted task can still be cleaned up hard, once."""
    with secure_deletion(connection):
        return _delete(connection, task_id, is_hard=is_hard, now=now)


def unfinished(connection: Connection) -> tuple[str, ...]:
    """Deleted tasks of which pages were held or cited when they were deleted hard."""
    return tuple(column(connection, "select task_id from deleted_tasks where is_hard order by task_id"))


def _delete(connection: Connection, task_id: str, *, is_hard: bool, now: datetime) -> TaskRemoval:
    counts: Counter[str] = Counter()
    texts: frozenset[str] = frozenset()
    hosts: set[str] = set()
    if connection.execute("select 1 from tasks where id = ?", (task_id,)).fetchone():
        texts = erasing.texts_of_task(connection, task_id)
        _note_pages(connection, task_id, now)
        erasing.note_records(connection, task_id, texts)
        hosts = sites.reached_by(connection, task_id)
        lifted = trust.lifted_in_task(connection, task_id)
        counts["user_questions"] += questions.delete_repeating(connection, task_id, erasing.long_enough(texts))
        _run(connection, counts, _OWNED, {"task_id": task_id})
        connection.execute(_BLANK_CONTEXTS)
        connection.execute(
            "delete from leases where name glob 'job:*' and substr(name, 5) not in (select id from jobs)"
        )
        trust.derive_levels(connection, lifted, now=now)
    elif not (is_hard and connection.execute("select 1 from deleted_tasks where task_id = ?", (task_id,)).fetchone()):
        raise TaskNotFound(task_id)
    else:
        hosts = sites.reached_by(connection, task_id)
    done = _delete_pages(connection, task_id, hosts, counts, now) if is_hard else _DeletedPages()
    in_use = _column(connection, _IN_USE, {"paths": ids_json(done.files)})
    return TaskRemoval(
        counts=dict(sorted(counts.items())),
        lone_files=tuple(sorted(done.files - in_use)),
        shared_files=tuple(sorted(done.files & in_use)),
        records=sum(one.action is ErasureAction.REMOVE for one in done.erasures),
        texts=texts,
        sites=done.forgotten.sites,
        kept_sites=done.forgotten.kept,
        held_pages=done.held,
        cited_pages=done.cited,
    )


def preview_deletion(connection: Connection, task_id: str, *, is_hard: bool, now: datetime) -> TaskRemoval:
    """What `delete_task` would do, by doing it and taking it back."""
    connection.execute("savepoint rehearsal")
    try:
        return _delete(connection, task_id, is_hard=is_hard, now=now)
    finally:
        connection.execute("rollback to rehearsal")
        connection.execute("release rehearsal")


def _note_pages(connection: Connection, task_id: str, now: datetime) -> None:
    connection.execute(
        "insert into deleted_tasks (task_id, deleted_at) values (?, ?) on conflict do nothing", (task_id, stamp(now))
    )
    connection.execute(
        """
        insert into deleted_task_pages (task_id, page_id)
        select task_id, page_id from task_pages where task_id = ?
        on conflict do nothing
        """,
        (task_id,),
    )


def _delete_pages(
    connection: Connection, task_id: str, hosts: Collection[str], counts: Counter[str], now: datetime
) -> _DeletedPages:
    """Delete what only the task reached, but for what searches hold or other tasks cite, and what was left earlier."""
    _run(connection, counts, _CAUSED, {"task_id": task_id})
    reached = _column(
        connection, "select page_id from deleted_task_pages where task_id = :task_id", {"task_id": task_id}
    )
    unreached = dict(connection.execute(_LONE, {"task_id": task_id}))
    cited = {page_id for page_id, is_cited in unreached.items() if is_cited}
    uncited = unreached.keys() - cited
    orphaned = _column(connection, _ORPHANED, {})
    held = _held(connection, uncited | orphaned, now)
    lone = (uncited | orphaned) - held
    hosts = {*hosts, *_column(connection, _DOMAINS, {"ids": ids_json(lone)})}
    lost_originals.replace_lost(connection, lone)
    places = _places(connection, _PLACES, {"ids": ids_json(lone)})
    works = _column(connection, _ONLY_THESE_WORKS, {"ids": ids_json(lone)})
    connection.execute(_REPOINT, {"ids": ids_json(lone)})
    _run(connection, counts, _PAGE_PARTS, {"ids": ids_json(lone), "works": ids_json(works)})
    places += _forget_old_words(connection, reached - lone, counts)
    forgotten = _forget_sites(connection, task_id, hosts, counts, now)
    erasures = erasing.choose(connection, task_id, [(record, path) for record, path in places if record])
    _keep_for_later(connection, task_id, (uncited & held) | cited)
    files = frozenset({path for _, path in places} | {one.warc_path for one in erasures})
    return _DeletedPages(
        files, erasures, forgotten, _addresses(connection, uncited & held), _addresses(connection, cited)
    )


def _held(connection: Connection, page_ids: Collection[str], now: datetime) -> set[str]:
    latest = stamp(now + leases.LONGEST_LEASE)
    return _column(connection, _HELD, {"ids": ids_json(page_ids), "now": stamp(now), "latest": latest})


def _keep_for_later(connection: Connection, task_id: str, page_ids: Collection[str]) -> None:
    """Forget the deleted task, or keep what its deletion needs once these pages are held and cited no longer."""
    if not page_ids:
        connection.execute("delete from deleted_tasks where task_id = ?", (task_id,))
        return
    values = {"task_id": task_id, "ids": ids_json(page_ids)}
    connection.execute("update deleted_tasks set is_hard = 1 where task_id = :task_id", values)
    connection.execute(
        """
        delete from deleted_task_pages
        where task_id = :task_id and page_id not in (select value from json_each(:ids))
        """,
        values,
    )


def _addresses(connection: Connection, page_ids: Collection[str]) -> tuple[str, ...]:
    statement = "select url from pages where id in (select value from json_each(:ids)) order by url"
    return tuple(column(connection, statement, {"ids": ids_json(page_ids)}))


def _forget_sites(
    connection: Connection, task_id: str, hosts: Collection[str], counts: Counter[str], now: datetime
) -> _Forgotten:
    lone = sites.unused_hosts(connection, hosts)
    kept = sites.kept(connection, lone, now)
    gone = lone - {one.domain for one in kept}
    sites.note_records(connection, task_id, lone)
    counts.update(sites.forget(connection, gone))
    sites.forget_later(connection, (one.domain for one in kept if one.is_resting))
    return _Forgotten(frozenset(gone), kept)


def _forget_old_words(
    connection: Connection, page_ids: Iterable[str], counts: Counter[str]
) -> list[tuple[str | None, str]]:
    """On pages that stay: superseded fragments that nobody needs, and the versions of the page they were read from."""
    ids = {"ids": ids_json(page_ids)}
    while forgotten := _column(connection, _FORGOTTEN, ids):
        _run(
            connection,
            counts,
            {
                "embeddings": """
                    delete from embeddings
                    where target_type = 'fragment' and target_id in (select value from json_each(:gone))
                """,
                "fragments": "delete from fragments where id in (select value from json_each(:gone))",
            },
            {"gone": ids_json(forgotten)},
        )
    places = _places(connection, f"select warc_record_id, warc_path {_LEFT_VERSIONS} and warc_path is not null", ids)
    _run(connection, counts, {"page_versions": f"delete {_LEFT_VERSIONS}"}, ids)
    return places


def _run(connection: Connection, counts: Counter[str], statements: dict[str, str], values: dict[str, Any]) -> None:
    for table, statement in statements.items():
        connection.execute(statement, values)
        counts[table] += connection.changes()


def _places(connection: Connection, statement: str, values: dict[str, Any]) -> list[tuple[str | None, str]]:
    found = connection.execute(statement, values)
    return [(None if record is None else str(record), str(path)) for record, path in found]


def _column(connection: Connection, statement: str, values: dict[str, Any]) -> set[str]:
    return set(column(connection, statement, values))
