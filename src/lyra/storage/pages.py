"""Pages and their fragments, global to all tasks.

When a page is saved again, the fragments that are still there stay as they are (a fragment's words never change: its
id must follow from page and words), new ones are added, and those that are gone are deleted, unless they are evidence:
a fragment that a claim mentions or an edge starts from stays with its words, its offsets and the version of the page
it was read from, marked as superseded.
"""

from collections.abc import Iterable, Mapping

from apsw import Connection

from lyra.clock import stamp
from lyra.errors import StorageError
from lyra.ids import text_hash
from lyra.model.page import ArchiveRef, Fragment, Page, PageHead, PageNotice
from lyra.storage import derived
from lyra.storage.columns import ids_json, to_json
from lyra.storage.rows import Table, column, insert, nested, read, read_one

_ARCHIVED = nested("archive", ArchiveRef, path="warc_path", offset="warc_offset", length="warc_length",
    record_id="warc_record_id")  # fmt: skip
_PAGES = Table(
    "pages",
    Page,
    {"date": "published_date", "updated": "updated_date", "text": "text_content"}
    | _ARCHIVED
    | nested("notice", PageNotice),
)
_FRAGMENTS = Table("fragments", Fragment)
_PAGE = f"select {_PAGES.columns('p')} from pages p "
_FRAGMENT = f"select {_FRAGMENTS.columns('f')} from fragments f "


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
    return read_one(connection, Page, _PAGE + "where p.id = ?", (page_id,))


def has_own_documents(connection: Connection) -> bool:
    """Whether a page is a document of the user's own: its address is none of the web."""
    found = connection.execute(
        """
        select exists (
            select 1
            from pages
            where url < 'http://' or (url >= 'http:0' and url < 'https://') or url >= 'https:0'
        )
        """
    ).get
    return bool(found)


def heads_of(connection: Connection, page_ids: Iterable[str]) -> dict[str, PageHead]:
    """These pages without their texts, by their ids; the name of a site is empty where nobody looked for it."""
    found = read(
        connection,
        PageHead,
        """
        select id, coalesce(nullif(final_url, ''), url) as address, coalesce(title, '') as title,
            published_date as date, page_type, coalesce(site_name, '') as site_name, authors
        from pages
        where id in (select value from json_each(?))
        """,
        (ids_json(page_ids),),
    )
    return {one.id: one for one in found}


def dates_of(connection: Connection, page_ids: Iterable[str]) -> dict[str, str | None]:
    """The dates that these pages bear, by their ids."""
    rows = connection.execute(
        "select id, published_date from pages where id in (select value from json_each(?))", (ids_json(page_ids),)
    )
    return {str(page_id): date for page_id, date in rows}


def by_url(connection: Connection, url: str) -> Page | None:
    """The page stored under this canonical address, or under one that is indexed as the same."""
    return read_one(
        connection,
        Page,
        _PAGE
        + """
        where p.url = :url
            or p.id = (select page_id from resource_index where kind = 'url' and value = :url)
        order by p.url = :url desc
        limit 1
        """,
        {"url": url},
    )


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
    return read(
        connection,
        Fragment,
        _FRAGMENT + "where f.page_id = ? and f.superseded_at is null order by f.position",
        (page_id,),
    )


def fragments(connection: Connection, fragment_ids: Iterable[str]) -> tuple[Fragment, ...]:
    """The known ones of these fragments, superseded or not, in the order of their ids."""
    return read(
        connection,
        Fragment,
        _FRAGMENT + "where f.id in (select value from json_each(?)) order by f.id",
        (ids_json(fragment_ids),),
    )


def fragments_of_task(connection: Connection, task_id: str) -> tuple[Fragment, ...]:
    """Every fragment that speaks of the task's claims: judged, or mentioning one; in the order they were stored."""
    return read(
        connection,
        Fragment,
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


def set_near_duplicates(connection: Connection, originals: Iterable[tuple[str, str | None]]) -> None:
    """Pairs of a fragment and the text that it repeats and goes by; None where there is none."""
    changed = column(
        connection,
        """
        update fragments
        set near_duplicate_of = i.value ->> 1
        from json_each(?) i
        where fragments.id = i.value ->> 0 and near_duplicate_of is not i.value ->> 1
        returning fragments.id
        """,
        (to_json(list(originals)),),
    )
    derived.copies_changed(connection, changed)


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
    return read_one(
        connection,
        Page,
        """
        select p.id, p.url, p.final_url, p.domain, p.title, p.language, v.published_date as date,
            v.updated_date as updated, p.authors, p.page_type, p.content_hash, v.warc_path as "archive.path",
            v.warc_offset as "archive.offset", v.warc_length as "archive.length",
            v.warc_record_id as "archive.record_id", p.work_id, p.quality, p.extractor, v.text_content as text,
            v.fetched_at
        from fragments f
        join pages p on p.id = f.page_id
        join page_versions v on v.page_id = f.page_id and v.text_version = f.text_version
        where f.id = ? and f.superseded_at is not null
        """,
        (fragment_id,),
    ) or read_one(connection, Page, _PAGE + "join fragments f on f.page_id = p.id where f.id = ?", (fragment_id,))


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
    gone = column(
        connection,
        """
        select f.id
        from fragments f
        where f.page_id = ? and f.superseded_at is not null
            and not exists (select 1 from claim_mentions m where m.fragment_id = f.id)
            and not exists (select 1 from edges e where e.source_type = 'fragment' and e.source_id = f.id)
        """,
        (page_id,),
    )
    dropped = ids_json(gone)
    copies = column(
        connection,
        "select id from fragments where near_duplicate_of in (select value from json_each(?))",
        (dropped,),
    )
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
    return copies


def _upsert_page(connection: Connection, page: Page) -> None:
    values = _PAGES.values(page) | {
        "year": _year(page.date),
        "is_corrected": bool(page.notice and page.notice.is_corrected),
    }
    kept = ("year", "work_id")  # what is known of them stays where the page does not say it
    changes = [f"{name} = coalesce(excluded.{name}, {name})" for name in kept]
    changes += [f"{name} = excluded.{name}" for name in values if name not in (*kept, "id", "url")]
    insert(connection, "pages", values, f"(url) do update set {', '.join(changes)}")


def _upsert_fragment(connection: Connection, fragment: Fragment, version: str) -> None:
    is_written = _FRAGMENTS.insert(
        connection,
        fragment,
        """
        (id) do update
        set fragment_type = excluded.fragment_type, heading_context = excluded.heading_context,
            heading_hierarchy = excluded.heading_hierarchy, element_index = excluded.element_index,
            position = excluded.position, char_start = excluded.char_start, char_end = excluded.char_end,
            page_number = excluded.page_number, language = excluded.language,
            near_duplicate_of = coalesce(excluded.near_duplicate_of, near_duplicate_of),
            text_version = excluded.text_version, superseded_at = null
        where text_content = excluded.text_content and page_id = excluded.page_id
        """,
        text_version=version,
    )
    if not is_written:
        raise StorageError(
            f"Fragment {fragment.id} is already stored with other words.",
            remedy="Derive a fragment's id from its page and its words.",
        )


def _year(date: str | None) -> int | None:
    return int(date[:4]) if date and date[:4].isdecimal() and len(date) >= 4 else None


def texts_of_fragments(connection: Connection, fragment_ids: Iterable[str]) -> dict[str, str]:
    """The text of each of these fragments."""
    rows = connection.execute(
        "select id, text_content from fragments where id in (select value from json_each(?))", (ids_json(fragment_ids),)
    )
    return {str(fragment_id): str(text) for fragment_id, text in rows}
