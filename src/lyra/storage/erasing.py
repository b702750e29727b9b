"""Which archive records a deleted task alone has made, what must become of each, and what of it is still to be done."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote_plus

from apsw import Connection

from lyra.storage.columns import ids_json, to_json
from lyra.storage.connection import secure_deletion
from lyra.storage.rows import column, read

# A word such as "diet" stands in many addresses; what was asked is longer.
_SHORTEST_TEXT = 4
_TEXTS = """
select query from tasks where id = :task_id
union
select query from queries where task_id = :task_id
union
select d.text from queries q join derived_queries d on d.query_id = q.id where q.task_id = :task_id
union
select claim_text from claims where task_id = :task_id and is_hypothesis
except
select query from tasks where id <> :task_id
except
select query from queries where task_id <> :task_id
except
select d.text from queries q join derived_queries d on d.query_id = q.id where q.task_id <> :task_id
except
select claim_text from claims where task_id <> :task_id and is_hypothesis
"""
# What a browser loaded for a page was made with it.
_MADE = """
with fetched as (
    select details, coalesce(details ->> 'lane', '') <> 'page' as names_query
    from event_log
    where kind in ('fetch', 'fetch_robots') and cause_id in (
        select id from queries where task_id = :task_id
        union all
        select s.id from queries q join serp_items s on s.query_id = q.id where q.task_id = :task_id
    )
)
select details ->> 'record_id' as record_id, names_query from fetched where details ->> 'record_id' is not null
union all
select a.value, f.names_query from fetched f, json_each(f.details, '$.assets') a where a.value is not null
"""
# Addresses that the task alone has asked for. Attempts that led nowhere, first loads of a browser and checks of an
# archive are in no journal; their records are known by the address.
_ADDRESSES = """
select s.url
from queries q
join serp_items s on s.query_id = q.id
where q.task_id = :task_id
union
select p.url
from task_pages t
join pages p on p.id = t.page_id
where t.task_id = :task_id
union
select coalesce(e.details ->> 'final_url', e.subject)
from event_log e
where e.kind = 'fetch' and e.details ->> 'lane' = 'page' and e.cause_id in (
    select s.id from queries q join serp_items s on s.query_id = q.id where q.task_id = :task_id
)
except
select s.url from queries q join serp_items s on s.query_id = q.id where q.task_id <> :task_id
except
select p.url
from task_pages t
join pages p on p.id = t.page_id
where t.task_id <> :task_id
"""
_COPY = re.compile(r"https?://web\.archive\.org/web/\d+[a-z_]*/(?=https?:)")
# What stays: whatever a page, an earlier version or a copy of one was read from, what another task's journal names,
# every record that the task did not make; and what any of these refers to. A fetch that was not answered names none,
# and `not in` a list with a null is never true.
_CHOOSE = """
with recursive made (record_id, names_query) as (
    select record_id, max(names_query)
    from (
        select record_id, names_query from deleted_task_records where task_id = :task_id
        union all
        select value, 0 from json_each(:records)
    )
    group by record_id
),
needed (record_id) as (
    select warc_record_id from pages where warc_record_id is not null
    union
    select warc_record_id from page_versions where warc_record_id is not null
    union
    select record_id from mementos where record_id is not null
    union
    select details ->> 'record_id'
    from event_log
    where kind in ('fetch', 'fetch_robots') and details ->> 'record_id' is not null
    union
    select a.value
    from event_log e, json_each(e.details, '$.assets') a
    where e.kind = 'fetch' and a.value is not null
    union
    select record_id from archive_records where record_id not in (select record_id from made)
    union
    select r.refers_to
    from archive_records r
    join needed n on n.record_id = r.record_id
    where r.refers_to is not null
),
readdressed (record_id) as (
    select m.record_id from made m where m.names_query and m.record_id in (select record_id from needed)
)
insert into records_to_erase (record_id, warc_path, action)
select m.record_id, coalesce(r.warc_path, p.value ->> 1),
    case
        when m.record_id not in (select record_id from needed) then 'remove'
        when m.names_query then 'readdress'
        else 'drop_request'
    end
from made m
left join archive_records r on r.record_id = m.record_id
left join json_each(:places) p on p.value ->> 0 = m.record_id
where coalesce(r.warc_path, p.value ->> 1) is not null
union
select r.record_id, r.warc_path, 'readdress_origin'
from archive_records r
join readdressed d on d.record_id = r.refers_to
where r.record_id not in (select record_id from made)
on conflict (record_id) do update set action = excluded.action
where excluded.action = 'remove'
"""


class ErasureAction(StrEnum):
    """What becomes of a record in its file."""

    REMOVE = "remove"
    DROP_REQUEST = "drop_request"
    READDRESS = "readdress"
    READDRESS_ORIGIN = "readdress_origin"


@dataclass(frozen=True, slots=True)
class Erasure:
    """One record and what is to be done with it."""

    record_id: str
    warc_path: str
    action: ErasureAction


def texts_of_task(connection: Connection, task_id: str) -> frozenset[str]:
    """What the task asked and no other did: its question, hypotheses and queries."""
    return frozenset(column(connection, _TEXTS, {"task_id": task_id}))


def long_enough(texts: Iterable[str]) -> tuple[str, ...]:
    """Those of the texts by which what repeats one can be told from what only has a common word."""
    return tuple(one for one in texts if len(one) >= _SHORTEST_TEXT)


def note_records(connection: Connection, task_id: str, texts: Iterable[str]) -> None:
    """Keep which records the task's searches made, before the journal forgets it."""
    connection.execute(
        f"""
        insert into deleted_task_records (task_id, record_id, names_query)
        select :task_id, record_id, max(names_query)
        from ({_MADE})
        group by record_id
        on conflict do nothing
        """,
        {"task_id": task_id},
    )
    connection.execute(
        """
        insert into deleted_task_records (task_id, record_id, names_query)
        select :task_id, value, 0 from json_each(:records) where true
        on conflict do nothing
        """,
        {"task_id": task_id, "records": ids_json(_unjournalled(connection, task_id))},
    )
    connection.execute(
        """
        insert into deleted_task_records (task_id, record_id, names_query)
        select :task_id, value, 1 from json_each(:records) where true
        on conflict do update set names_query = 1
        """,
        {"task_id": task_id, "records": ids_json(_named(connection, task_id, texts))},
    )


def _unjournalled(connection: Connection, task_id: str) -> list[str]:
    """Records since the task began of addresses that it alone has asked for, and of an archive's copies of these."""
    wanted = set(column(connection, _ADDRESSES, {"task_id": task_id}))
    rows = connection.execute(
        """
        select r.record_id, r.url
        from tasks t
        join archive_records r on r.archived_at >= t.created_at
        where t.id = ?
        """,
        (task_id,),
    )
    return [str(record_id) for record_id, url in rows if original_address(str(url)) in wanted]


def original_address(url: str) -> str:
    """Of an archive's copy the address that was copied; any other address as it is."""
    return _COPY.sub("", url)


def _named(connection: Connection, task_id: str, texts: Iterable[str]) -> list[str]:
    """Records since the task began whose address holds one of the texts: steps of a redirect are in no journal."""
    wanted = [one.casefold() for one in long_enough(texts)]
    rows = connection.execute(
        """
        select r.record_id, r.url
        from tasks t
        join archive_records r on r.archived_at >= t.created_at
        where t.id = ? and instr(r.url, '?')
        """,
        (task_id,),
    )
    return [str(record_id) for record_id, url in rows if _holds(str(url), wanted)]


def _holds(url: str, texts: Iterable[str]) -> bool:
    plain = unquote_plus(url).casefold()
    return any(text in plain for text in texts)


def choose(connection: Connection, task_id: str, places: Iterable[tuple[str, str]]) -> tuple[Erasure, ...]:
    """Enter what has to be done in the files; `places` are the records of pages that are gone, each with its file."""
    known = list(places)
    values = {
        "task_id": task_id,
        "records": ids_json(record for record, _ in known),
        "places": to_json([list(place) for place in known]),
    }
    connection.execute(_CHOOSE, values)
    return pending(connection)


def pending(connection: Connection) -> tuple[Erasure, ...]:
    """What is still to be done, by file."""
    sql = "select record_id, warc_path, action from records_to_erase order by warc_path, record_id"
    return read(connection, Erasure, sql)


def readdress(connection: Connection, addresses: Iterable[tuple[str, str, str]]) -> None:
    """Records have other addresses now: id, address and key of each."""
    with secure_deletion(connection):
        connection.executemany(
            "update archive_records set url = ?2, url_key = ?3 where record_id = ?1", list(addresses)
        )


def done(connection: Connection, warc_path: str) -> None:
    """The file holds nothing any more that had to go, or is gone."""
    connection.execute("delete from records_to_erase where warc_path = ?", (warc_path,))
