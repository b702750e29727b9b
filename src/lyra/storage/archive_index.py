"""The archive's index: which record holds what, where, and which of them evidence rests on."""

from collections.abc import Iterable

from apsw import Connection

from lyra.clock import exact_stamp
from lyra.model.archive import ArchivedRecord, RecordUse
from lyra.model.page import ArchiveRef
from lyra.storage.columns import ids_json, to_json
from lyra.storage.connection import secure_deletion
from lyra.storage.rows import Table, nested, read, read_one

_PLACE = {"path": "warc_path", "offset": "warc_offset", "length": "warc_length"}
_RECORDS = Table("archive_records", ArchivedRecord, nested("ref", ArchiveRef, **_PLACE))
_RECORD = f"select {_RECORDS.columns('r')} from archive_records r "
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
    place = ", ".join(f"{name} = excluded.{name}" for name in _PLACE.values())
    for record in records:
        archived_at = exact_stamp(record.archived_at)
        _RECORDS.insert(connection, record, f"(record_id) do update set {place}", archived_at=archived_at)


def get(connection: Connection, record_id: str) -> ArchivedRecord | None:
    return read_one(connection, ArchivedRecord, _RECORD + "where r.record_id = ?", (record_id,))


def with_digest(connection: Connection, digest: str) -> ArchivedRecord | None:
    """The first whole answer with this body."""
    rule = "where r.digest = ? and r.kind = 'response' order by r.archived_at limit 1"
    return read_one(connection, ArchivedRecord, _RECORD + rule, (digest,))


def last_answer(connection: Connection, url: str, url_key: str) -> ArchivedRecord | None:
    """The newest whole answer of an address."""
    rule = """
        where r.url_key = ? and r.url = ? and r.kind = 'response' and r.status_code between 200 and 299
        order by r.archived_at desc
        limit 1
    """
    return read_one(connection, ArchivedRecord, _RECORD + rule, (url_key, url))


def of_address(connection: Connection, url_key: str, limit: int) -> tuple[ArchivedRecord, ...]:
    """What is kept of an address, newest first."""
    return read(
        connection,
        ArchivedRecord,
        _RECORD + "where r.url_key = ? order by r.archived_at desc, r.record_id limit ?",
        (url_key, limit),
    )


def all_records(connection: Connection) -> tuple[ArchivedRecord, ...]:
    """The whole index, in the order of CDXJ."""
    return read(connection, ArchivedRecord, _RECORD + "order by r.url_key, r.archived_at, r.record_id")


def page_records(connection: Connection) -> tuple[tuple[str, str], ...]:
    """Every record that a page or an earlier version of one was read from, with the file it should be in."""
    rows = connection.execute(
        """
        select warc_record_id, warc_path from pages where warc_record_id is not null and warc_path is not null
        union
        select warc_record_id, warc_path from page_versions where warc_record_id is not null and warc_path is not null
        """
    )
    return tuple((str(record_id), str(path)) for record_id, path in rows)


def known_ends(connection: Connection) -> dict[str, int]:
    """Each indexed file with the end of its last indexed record."""
    rows = connection.execute(
        "select warc_path, max(warc_offset + warc_length) from archive_records group by warc_path"
    )
    return {str(path): int(end) for path, end in rows}


def record_uses(connection: Connection) -> tuple[RecordUse, ...]:
    """Every record with whether evidence rests on it, oldest first."""
    return read(
        connection,
        RecordUse,
        _NEEDED
        + """
        select r.warc_path as "ref.path", r.warc_offset as "ref.offset", r.warc_length as "ref.length",
            r.record_id as "ref.record_id", r.archived_at, r.refers_to,
            r.record_id in (select record_id from needed) as is_evidence
        from archive_records r
        order by r.archived_at, r.record_id
        """,
    )


def relocate(connection: Connection, moved: Iterable[ArchiveRef], removed: Iterable[str]) -> None:
    """Records stand elsewhere now, or nowhere: the index and every page that refers to one follow in one step."""
    with secure_deletion(connection):
        _relocate(connection, moved, removed)


def _relocate(connection: Connection, moved: Iterable[ArchiveRef], removed: Iterable[str]) -> None:
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


def holds_more(connection: Connection, path: str, record_ids: Iterable[str]) -> bool:
    """Whether the file has anything but these records: another one, or what a page was read from."""
    found = connection.execute(
        """
        select exists (select 1 from pages where warc_path = :path)
            or exists (select 1 from page_versions where warc_path = :path)
            or exists (
                select 1
                from archive_records
                where warc_path = :path and record_id not in (select value from json_each(:ids))
            )
        """,
        {"path": path, "ids": ids_json(record_ids)},
    )
    return bool(found.get)


def forget_files(connection: Connection, paths: Iterable[str]) -> None:
    """The files are gone, and with them their records, whose addresses may hold what was asked."""
    with secure_deletion(connection):
        connection.execute(
            "delete from archive_records where warc_path in (select value from json_each(?))", (ids_json(paths),)
        )
