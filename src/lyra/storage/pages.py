"""Pages and their fragments, global to all tasks.

When a page is saved again, the fragments that are still there stay as they are (a fragment's words never change: its
id must follow from page and words), new ones are added, and those that are gone are deleted, unless they are evidence:
a fragment that a claim mentions or an edge starts from stays with its words, its offsets and the version of the page
it was read from, marked as superseded.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import StorageError
from lyra.ids import text_hash
from lyra.model.page import ArchiveRef, Fragment, FragmentType, Heading, Page, PageNotice
from lyra.storage import derived
from lyra.storage.columns import ids_json, moment, strings, to_json

_PAGE = """
select p.id, p.url, p.final_url, p.domain, p.title, p.language, p.published_date, p.updated_date, p.authors,
    p.page_type, p.content_hash, p.etag, p.last_modified, p.warc_path, p.warc_offset, p.warc_length, p.warc_record_id,
    p.work_id, p.quality, p.extractor, p.text_content, p.fetched_at, p.retraction, p.retracted_on, p.is_corrected,
    p.corrected_on
from pages p
"""
_FRAGMENT = """
select f.id, f.page_id, f.text_content, f.fragment_type, f.heading_context, f.heading_hierarchy, f.element_index,
    f.position, f.char_start, f.char_end, f.text_hash, f.language, f.page_number, f.near_duplicate_of
from fragments f
"""


def save(connection: Connection, page: Page, fragments: Iterable[Fragment]) -> None:
    """Insert or update the page of this address, and bring its fragments up to date by the rule above."""
    version = text_hash(page.text)
    _keep_version(connection, page.id)
    _upsert_page(connection, page)
    connection.execute(
        "update fragments set superseded_at = ? where page_id = ? and superseded_at is null",
        (stamp(page.fetched_at), page.id),
    )
    present = tuple(fragments)
    for fragment in present:
        _upsert_fragment(connection, fragment, version)
    left_alone = _drop_what_is_no_evidence(connection, page.id)
    derived.copies_changed(connection, [*left_alone, *(one.id for one in present if one.near_duplicate_of)])
    derived.page_changed(connection, page.id)


def get(connection: Connection, page_id: str) -> Page | None:
    return _one_page(connection.execute(_PAGE + "where p.id = ?", (page_id,)).fetchone())


def titles_of(connection: Connection, page_ids: Iterable[str]) -> dict[str, str]:
    """The titles of these pages by their ids."""
    rows = connection.execute(
        "select id, coalesce(title, '') from pages where id in (select value from json_each(?))", (ids_json(page_ids),)
    )
    return {str(page_id): str(title) for page_id, title in rows}


def dates_of(connection: Connection, page_ids: Iterable[str]) -> dict[str, str | None]:
    """The dates that these pages bear, by their ids."""
    rows = connection.execute(
        "select id, published_date from pages where id in (select value from json_each(?))", (ids_json(page_ids),)
    )
    return {str(page_id): date for page_id, date in rows}


def by_url(connection: Connection, url: str) -> Page | None:
    """The page stored under this canonical address, or under one that is indexed as the same."""
    row = connection.execute(
        _PAGE
        + """
        where p.url = :url
            or p.id = (select page_id from resource_index where kind = 'url' and value = :url)
        order by p.url = :url desc
        limit 1
        """,
        {"url": url},
    ).fetchone()
    return _one_page(row)


def index(
    connection: Connection, kind: str, value: str, page_id: str | None = None, work_id: str | None = None
) -> None:
    """Remember which page or work an address or identifier leads to; what is known already is kept."""
    connection.execute(
        """
        insert into resource_index (kind, value, page_id, work_id)
        values (?, ?, ?, ?)
        on conflict (kind, value) do update
        set page_id = coalesce(page_id, excluded.page_id), work_id = coalesce(work_id, excluded.work_id)
        """,
        (kind, value, page_id, work_id),
    )


def fragments_of(connection: Connection, page_id: str) -> tuple[Fragment, ...]:
    """The fragments of the page as it was last seen, in reading order."""
    rows = connection.execute(
        _FRAGMENT + "where f.page_id = ? and f.superseded_at is null order by f.position", (page_id,)
    )
    return tuple(_fragment(row) for row in rows)


def fragments(connection: Connection, fragment_ids: Iterable[str]) -> tuple[Fragment, ...]:
    """The known ones of these fragments, superseded or not, in the order of their ids."""
    rows = connection.execute(
        _FRAGMENT + "where f.id in (select value from json_each(?)) order by f.id", (ids_json(fragment_ids),)
    )
    return tuple(_fragment(row) for row in rows)


def fragments_of_task(connection: Connection, task_id: str) -> tuple[Fragment, ...]:
    """Every fragment that speaks of the task's claims: judged, or mentioning one; in the order they were stored."""
    rows = connection.execute(
        _FRAGMENT
        + """
        where f.id in (
            select e.source_id from edges e where e.task_id = :task_id and e.source_type = 'fragment'
            union
            select m.fragment_id from claim_mentions m join claims c on c.id = m.claim_id where c.task_id = :task_id
        )
        order by f.seq
        """,
        {"task_id": task_id},
    )
    return tuple(_fragment(row) for row in rows)


def set_near_duplicates(connection: Connection, originals: Iterable[tuple[str, str | None]]) -> None:
    """Pairs of a fragment and the text that it repeats and goes by; None where there is none."""
    rows = connection.execute(
        """
        update fragments
        set near_duplicate_of = i.value ->> 1
        from json_each(?) i
        where fragments.id = i.value ->> 0 and near_duplicate_of is not i.value ->> 1
        returning fragments.id
        """,
        (to_json(list(originals)),),
    ).fetchall()
    derived.copies_changed(connection, [str(fragment_id) for (fragment_id,) in rows])


def set_contained_originals(connection: Connection, found: Mapping[str, Iterable[str]]) -> None:
    """For each fragment, the originals of which sentences stand in it, or all of whose sentences it was cut from."""
    connection.execute(
        "delete from contained_originals where fragment_id in (select value from json_each(?))", (ids_json(found),)
    )
    connection.executemany(
        "insert into contained_originals (fragment_id, original_id) values (?, ?)",
        [(fragment_id, one) for fragment_id, originals in found.items() for one in originals],
    )


def set_quality(connection: Connection, page_id: str, quality: float) -> None:
    """The score of a page that was judged again."""
    connection.execute("update pages set quality = ? where id = ?", (quality, page_id))


def source_of(connection: Connection, fragment_id: str) -> Page | None:
    """The page as it was when this fragment was read: text, dates and archived bytes of that version."""
    row = connection.execute(
        """
        select p.id, p.url, p.final_url, p.domain, p.title, p.language, v.published_date, v.updated_date, p.authors,
            p.page_type, p.content_hash, null, null, v.warc_path, v.warc_offset, v.warc_length, v.warc_record_id,
            p.work_id, p.quality, p.extractor, v.text_content, v.fetched_at, null, null, 0, null
        from fragments f
        join pages p on p.id = f.page_id
        join page_versions v on v.page_id = f.page_id and v.text_version = f.text_version
        where f.id = ? and f.superseded_at is not null
        """,
        (fragment_id,),
    ).fetchone()
    if row is None:
        row = connection.execute(
            _PAGE + "join fragments f on f.page_id = p.id where f.id = ?", (fragment_id,)
        ).fetchone()
    return _one_page(row)


def _keep_version(connection: Connection, page_id: str) -> None:
    """Set the text that current fragments point into aside; what turns out to be no evidence's goes again."""
    connection.execute(
        """
        insert into page_versions (page_id, text_version, text_content, published_date, updated_date,
            warc_path, warc_offset, warc_length, warc_record_id, fetched_at)
        select p.id, f.text_version, p.text_content, p.published_date, p.updated_date,
            p.warc_path, p.warc_offset, p.warc_length, p.warc_record_id, p.fetched_at
        from pages p
        join fragments f on f.page_id = p.id and f.superseded_at is null
        where p.id = ?
        limit 1
        on conflict do nothing
        """,
        (page_id,),
    )


def _drop_what_is_no_evidence(connection: Connection, page_id: str) -> list[str]:
    """Returns the fragments that repeated one that was dropped."""
    rows = connection.execute(
        """
        select f.id
        from fragments f
        where f.page_id = ? and f.superseded_at is not null
            and not exists (select 1 from claim_mentions m where m.fragment_id = f.id)
            and not exists (select 1 from edges e where e.source_type = 'fragment' and e.source_id = f.id)
        """,
        (page_id,),
    ).fetchall()
    dropped = ids_json(str(fragment_id) for (fragment_id,) in rows)
    copies = connection.execute(
        "select id from fragments where near_duplicate_of in (select value from json_each(?))", (dropped,)
    ).fetchall()
    connection.execute("delete from fragments where id in (select value from json_each(?))", (dropped,))
    connection.execute(
        """
        delete from page_versions
        where page_id = ? and not exists (
            select 1 from fragments f
            where f.page_id = page_versions.page_id and f.superseded_at is not null
                and f.text_version = page_versions.text_version
        )
        """,
        (page_id,),
    )
    return [str(fragment_id) for (fragment_id,) in copies]


def _upsert_page(connection: Connection, page: Page) -> None:
    archive = page.archive
    connection.execute(
        """
        insert into pages (id, url, final_url, domain, title, language, published_date, updated_date, year, authors,
            page_type, content_hash, etag, last_modified, warc_path, warc_offset, warc_length, warc_record_id,
            work_id, quality, extractor, text_content, fetched_at, retraction, retracted_on, is_corrected,
            corrected_on)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (url) do update
        set final_url = excluded.final_url, domain = excluded.domain, title = excluded.title,
            language = excluded.language, published_date = excluded.published_date,
            updated_date = excluded.updated_date, year = coalesce(excluded.year, year), authors = excluded.authors,
            page_type = excluded.page_type, content_hash = excluded.content_hash, etag = excluded.etag,
            last_modified = excluded.last_modified, warc_path = excluded.warc_path,
            warc_offset = excluded.warc_offset, warc_length = excluded.warc_length,
            warc_record_id = excluded.warc_record_id, work_id = coalesce(excluded.work_id, work_id),
            quality = excluded.quality, extractor = excluded.extractor, text_content = excluded.text_content,
            fetched_at = excluded.fetched_at, retraction = excluded.retraction,
            retracted_on = excluded.retracted_on, is_corrected = excluded.is_corrected,
            corrected_on = excluded.corrected_on
        """,
        (
            page.id,
            page.url,
            page.final_url,
            page.domain,
            page.title,
            page.language,
            page.date,
            page.updated,
            _year(page.date),
            to_json(page.authors),
            page.page_type,
            page.content_hash,
            page.etag,
            page.last_modified,
            archive.path if archive else None,
            archive.offset if archive else None,
            archive.length if archive else None,
            archive.record_id if archive else None,
            page.work_id,
            page.quality,
            page.extractor,
            page.text,
            stamp(page.fetched_at),
            page.notice.retraction if page.notice else None,
            page.notice.retracted_on if page.notice else None,
            page.notice.is_corrected if page.notice else False,
            page.notice.corrected_on if page.notice else None,
        ),
    )


def _upsert_fragment(connection: Connection, fragment: Fragment, version: str) -> None:
    connection.execute(
        """
        insert into fragments (id, page_id, text_content, fragment_type, heading_context, heading_hierarchy,
            element_index, position, char_start, char_end, page_number, text_hash, language, near_duplicate_of,
            text_version)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (id) do update
        set fragment_type = excluded.fragment_type, heading_context = excluded.heading_context,
            heading_hierarchy = excluded.heading_hierarchy, element_index = excluded.element_index,
            position = excluded.position, char_start = excluded.char_start, char_end = excluded.char_end,
            page_number = excluded.page_number, language = excluded.language,
            near_duplicate_of = coalesce(excluded.near_duplicate_of, near_duplicate_of),
            text_version = excluded.text_version, superseded_at = null
        where text_content = excluded.text_content and page_id = excluded.page_id
        """,
        (
            fragment.id,
            fragment.page_id,
            fragment.text_content,
            fragment.fragment_type,
            fragment.heading_context,
            to_json([[heading.level, heading.text] for heading in fragment.heading_hierarchy]),
            fragment.element_index,
            fragment.position,
            fragment.char_start,
            fragment.char_end,
            fragment.page_number,
            fragment.text_hash,
            fragment.language,
            fragment.near_duplicate_of,
            version,
        ),
    )
    if not connection.changes():
        raise StorageError(
            f"Fragment {fragment.id} is already stored with other words.",
            remedy="Derive a fragment's id from its page and its words.",
        )


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date and date[:4].isdecimal() and len(date) >= 4 else None


def _one_page(row: tuple[Any, ...] | None) -> Page | None:
    return None if row is None else _page(row)


def _page(row: tuple[Any, ...]) -> Page:
    archive = None if row[13] is None else ArchiveRef(path=row[13], offset=row[14], length=row[15], record_id=row[16])
    return Page(
        id=row[0],
        url=row[1],
        final_url=row[2],
        domain=row[3],
        title=row[4],
        language=row[5],
        date=row[6],
        updated=row[7],
        authors=strings(row[8]),
        page_type=row[9],
        content_hash=row[10],
        etag=row[11],
        last_modified=row[12],
        archive=archive,
        work_id=row[17],
        quality=row[18],
        extractor=row[19],
        text=row[20],
        fetched_at=moment(row[21]),
        notice=None if row[22] is None else PageNotice(row[22], row[23], bool(row[24]), row[25]),
    )


def _fragment(row: tuple[Any, ...]) -> Fragment:
    return Fragment(
        id=row[0],
        page_id=row[1],
        text_content=row[2],
        fragment_type=FragmentType(row[3]),
        heading_context=row[4],
        heading_hierarchy=tuple(Heading(level, text) for level, text in json.loads(row[5])),
        element_index=row[6],
        position=row[7],
        char_start=row[8],
        char_end=row[9],
        text_hash=row[10],
        language=row[11],
        page_number=row[12],
        near_duplicate_of=row[13],
    )


def texts_of_fragments(connection: Connection, fragment_ids: Iterable[str]) -> dict[str, str]:
    """The text of each of these fragments."""
    rows = connection.execute(
        "select id, text_content from fragments where id in (select value from json_each(?))", (ids_json(fragment_ids),)
    )
    return {str(fragment_id): str(text) for fragment_id, text in rows}
