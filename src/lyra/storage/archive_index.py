"""The archive's index: which record holds what, where, and which of them evidence rests on."""

from collections.abc import Iterable
from typing import Any

from apsw import Connection

from lyra.clock import exact_stamp
from lyra.model.archive import ArchivedRecord, RecordKind, RecordUse
from lyra.model.page import ArchiveRef
from lyra.storage.columns import ids_json, moment, to_json
from lyra.storage.connection import overwriting

_RECORD = """
select r.record_id, r.kind, r.url, r.url_key, r.archived_at, r.status_code, r.media_type, r.digest, r.refers_to,
    r.warc_path, r.warc_offset, r.warc_length
from archive_records r
"""
# A record is needed by the fragments of the page read from it, and by the records that refer to it.
_NEEDED = """
with recursive needed (record_id) as (
    select p.warc_record_id
    from pages p
    where p.warc_record_id is not null and exists (
        select 1
        from fragments f
        where f.page_id = p.id and f.superseded_at is null and (
            exists (select 1 from claim_mentions m where m.fragment_id = f.id)
            or exists (select 1 from edges e where e.source_type = 'fragment' and e.source_id = f.id)
        )
    )
    union
    select v.warc_record_id
    from page_versions v
    where v.warc_record_id is not null
    union
    select r.refers_to
    from archive_records r
    join needed n on n.record_id = r.record_id
    where r.refers_to is not null
)
"""


def add(connection: Connection, records: Iterable[ArchivedRecord]) -> None:
    """Enter records; one that is known already is entered anew with the place given."""
    connection.executemany(
        """
        insert into archive_records (record_id, kind, url, url_key, archived_at, status_code, media_type, digest,
            refers_to, warc_path, warc_offset, warc_length)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (record_id) do update
        set warc_path = excluded.warc_path, warc_offset = excluded.warc_offset, warc_length = excluded.warc_length
        """,
        [
            (
                record.ref.record_id,
                record.kind,
                record.url,
                record.url_key,
                exact_stamp(record.archived_at),
                record.status_code,
                record.media_type,
                record.digest,
                record.refers_to,
                record.ref.path,
                record.ref.offset,
                record.ref.length,
            )
            for record in records
        ],
    )


def get(connection: Connection, record_id: str) -> ArchivedRecord | None:
    return _one(connection.execute(_RECORD + "where r.record_id = ?", (record_id,)).fetchone())


def with_digest(connection: Connection, digest: str) -> ArchivedRecord | None:
    """The first whole answer with this body."""
    return _one(
        connection.execute(
            _RECORD + "where r.digest = ? and r.kind = 'response' order by r.archived_at limit 1", (digest,)
        ).fetchone()
    )


def last_answer(connection: Connection, url: str, url_key: str) -> ArchivedRecord | None:
    """The newest whole answer of an address."""
    return _one(
        connection.execute(
            _RECORD
            + """
            where r.url_key = ? and r.url = ? and r.kind = 'response' and r.status_code between 200 and 299
            order by r.archived_at desc
            limit 1
            """,
            (url_key, url),
        ).fetchone()
    )


def of_address(connection: Connection, url_key: str, limit: int) -> tuple[ArchivedRecord, ...]:
    """What is kept of an address, newest first."""
    rows = connection.execute(
        _RECORD + "where r.url_key = ? order by r.archived_at desc, r.record_id limit ?", (url_key, limit)
    )
    return tuple(_record(row) for row in rows)


def everything(connection: Connection) -> tuple[ArchivedRecord, ...]:
    """The whole index, in the order of CDXJ."""
    return tuple(_record(row) for row in connection.execute(_RECORD + "order by r.url_key, r.archived_at, r.record_id"))


def known_ends(connection: Connection) -> dict[str, int]:
    """Each indexed file with the end of its last indexed record."""
    rows = connection.execute(
        "select warc_path, max(warc_offset + warc_length) from archive_records group by warc_path"
    )
    return {str(path): int(end) for path, end in rows}


def uses(connection: Connection) -> tuple[RecordUse, ...]:
    """Every record with whether evidence rests on it, oldest first."""
    rows = connection.execute(
        _NEEDED
        + """
        select r.warc_path, r.warc_offset, r.warc_length, r.record_id, r.archived_at, r.refers_to,
            r.record_id in (select record_id from needed)
        from archive_records r
        order by r.archived_at, r.record_id
        """
    )
    return tuple(RecordUse(ArchiveRef(*row[:4]), moment(row[4]), row[5], bool(row[6])) for row in rows)


def relocate(connection: Connection, moved: Iterable[ArchiveRef], removed: Iterable[str]) -> None:
    """Records stand elsewhere now, or nowhere: the index and every page that refers to one follow in one step."""
    places = to_json([[ref.record_id, ref.path, ref.offset, ref.length] for ref in moved])
    gone = ids_json(removed)
    connection.execute("delete from archive_records where record_id in (select value from json_each(?))", (gone,))
    for table in ("archive_records", "pages", "page_versions"):
        column = "record_id" if table == "archive_records" else "warc_record_id"
        connection.execute(
            f"""
            with place as (
                select value ->> 0 as record_id, value ->> 1 as path, value ->> 2 as start, value ->> 3 as size
                from json_each(?)
            )
            update {table}
            set warc_path = place.path, warc_offset = place.start, warc_length = place.size
            from place
            where place.record_id = {table}.{column}
            """,
            (places,),
        )
        if table != "archive_records":
            connection.execute(
                f"""
                update {table}
                set warc_path = null, warc_offset = null, warc_length = null, warc_record_id = null
                where warc_record_id in (select value from json_each(?))
                """,
                (gone,),
            )


def forget_files(connection: Connection, paths: Iterable[str]) -> None:
    """The files are gone, and with them their records, whose addresses may hold what was asked."""
    with overwriting(connection):
        connection.execute(
            "delete from archive_records where warc_path in (select value from json_each(?))", (ids_json(paths),)
        )


def _one(row: tuple[Any, ...] | None) -> ArchivedRecord | None:
    return None if row is None else _record(row)


def _record(row: tuple[Any, ...]) -> ArchivedRecord:
    return ArchivedRecord(
        ref=ArchiveRef(path=row[9], offset=row[10], length=row[11], record_id=row[0]),
        kind=RecordKind(row[1]),
        url=row[2],
        url_key=row[3],
        archived_at=moment(row[4]),
        status_code=row[5],
        media_type=row[6],
        digest=row[7],
        refers_to=row[8],
    )
