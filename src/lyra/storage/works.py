"""Scholarly works: one row however many APIs, versions and identifiers speak of it."""

from dataclasses import replace

from apsw import Connection

from lyra.model.page import Identifier
from lyra.model.work import Work
from lyra.storage import derived, pages
from lyra.storage.rows import Table, read, read_one, to_column

_WORKS = Table("works", Work, without=("archive",))
_SELECT = f"select {_WORKS.columns()} from works "


def save(connection: Connection, work: Work) -> Work:
    """Store the work, merged with what is known under its id or any of its identifiers; returns it as stored.

    Known works that turn out to be one are joined: the oldest keeps its id, pages and identifiers move to it.
    """
    known = _known(connection, work)
    merged = work
    for other in reversed(known):
        merged = _merge(other, merged)
    _write(connection, merged)
    for other in known:
        if other.id != merged.id:
            _move(connection, other.id, merged.id)
    for identifier in merged.identifiers:
        pages.index(connection, identifier.kind, identifier.value, work_id=merged.id)
    derived.work_changed(connection, merged.id)
    return merged


def get(connection: Connection, work_id: str) -> Work | None:
    return read_one(connection, Work, _SELECT + "where id = ?", (work_id,))


def of_page(connection: Connection, page_id: str) -> Work | None:
    """The work that a page presents."""
    sql = _SELECT + "where id = (select work_id from pages where id = ?)"
    return read_one(connection, Work, sql, (page_id,))


def by_identifier(connection: Connection, kind: str, value: str) -> Work | None:
    """The work that bears a DOI, PMID or arXiv id."""
    return read_one(
        connection,
        Work,
        _SELECT + "where id = (select work_id from resource_index where kind = ? and value = ?)",
        (kind, value),
    )


def named_in_pages(connection: Connection, search_id: str, limit: int, how: str) -> tuple[Identifier, ...]:
    """Identifiers of papers that the search's task has neither found nor met by name: of pages it read that are papers
    themselves, then those in the main text of its pages, most named first.

    One that was only read for lying a citation away (its rank is above 0) is among them, or what it leads to would
    depend on which search came first. So are those this search itself read for being named (the reason is `how`): the
    list must not depend on where a killed process had come to.
    """
    return read(
        connection,
        Identifier,
        """
        with read as (
            select page_id
            from serp_items
            where query_id = :search_id and state in ('fetched', 'reused') and url not like 'library:%'
        ),
        named (kind, value, is_own) as (
            select i.value ->> 0, i.value ->> 1, 1
            from read
            join pages p on p.id = read.page_id
            join json_each(p.paper_metadata, '$.identifiers') i
            union all
            select l.kind, l.value, 0
            from read
            join page_links l on l.page_id = read.page_id
            where l.kind in ('doi', 'pmid', 'arxiv')
        )
        select n.kind, n.value
        from named n
        where not exists (
            select 1
            from resource_index r
            join pages p on p.work_id = r.work_id
            join serp_items d on d.page_id = p.id and d.state = 'abstract'
            join queries q on q.id = d.query_id
            where r.kind = n.kind and r.value = n.value
                and q.task_id = (select task_id from queries where id = :search_id)
                and (d.rank = 0 or d.reason is :how)
                and (d.query_id <> :search_id or d.reason is not :how)
        )
        group by n.kind, n.value
        order by max(n.is_own) desc, count(*) desc, n.kind, n.value
        limit :limit
        """,
        {"search_id": search_id, "limit": limit, "how": how},
    )


def set_own_identifier(connection: Connection, page_id: str, identifier: Identifier) -> None:
    """Say that a page is the paper of this identifier, of which no work is known yet."""
    connection.execute(
        "update pages set paper_metadata = json_object('identifiers', json(?)) where id = ? and work_id is null",
        (to_column((identifier,)), page_id),
    )


def identifiers_without_work(connection: Connection, task_id: str) -> tuple[tuple[str, Identifier], ...]:
    """Pages the task has read that are papers of which no work is known: their ids and own identifiers."""
    rows = connection.execute(
        """
        select distinct p.id, i.value ->> 0, i.value ->> 1
        from queries q
        join serp_items s on s.query_id = q.id
        join pages p on p.id = s.page_id and p.work_id is null and p.paper_metadata is not null
        join json_each(p.paper_metadata, '$.identifiers') i
        where q.task_id = ?
        order by p.id
        """,
        (task_id,),
    )
    return tuple((str(page_id), Identifier(kind, value)) for page_id, kind, value in rows)


def link(connection: Connection, page_id: str, work_id: str) -> None:
    """Say that a page is this work: the page takes its year where it has none, and its metadata."""
    connection.execute(
        """
        update pages
        set work_id = w.id,
            year = coalesce(pages.year, w.year),
            paper_metadata = json_object('title', w.title, 'authors', json(w.authors), 'year', w.year,
                'venue', w.venue, 'identifiers', json(w.identifiers), 'citation_count', w.citation_count,
                'is_retracted', json(iif(w.is_retracted, 'true', 'false')), 'source_api', w.source_api)
        from works w
        where pages.id = ? and w.id = ?
        """,
        (page_id, work_id),
    )
    connection.execute("update resource_index set page_id = coalesce(page_id, ?) where work_id = ?", (page_id, work_id))
    derived.page_changed(connection, page_id)


def _known(connection: Connection, work: Work) -> tuple[Work, ...]:
    """Stored works that share the id or an identifier, oldest first."""
    return read(
        connection,
        Work,
        _SELECT
        + """
        where id = :id or id in (
            select r.work_id
            from json_each(:identifiers) i
            join resource_index r on r.kind = i.value ->> 0 and r.value = i.value ->> 1
        )
        order by rowid
        """,
        {"id": work.id, "identifiers": to_column(work.identifiers)},
    )


def _merge(known: Work, new: Work) -> Work:
    """The known work, completed by the new one; the count is the newest, and so is each API's word on a retraction."""
    retracted_by = _retracted_by(known, new)
    is_told = known.is_retracted is not None or new.is_retracted is not None
    return replace(
        known,
        title=known.title or new.title,
        abstract=known.abstract or new.abstract,
        authors=known.authors or new.authors,
        year=known.year if known.year is not None else new.year,
        published=known.published or new.published,
        venue=known.venue or new.venue,
        identifiers=tuple(dict.fromkeys((*known.identifiers, *new.identifiers))),
        url=known.url or new.url,
        citation_count=known.citation_count if new.citation_count is None else new.citation_count,
        is_retracted=bool(retracted_by) if is_told else None,
        source_api=known.source_api or new.source_api,
        retracted_by=retracted_by,
    )


def _retracted_by(known: Work, new: Work) -> str:
    """Who calls the work retracted: an API can take back its own word only; one without a word on it takes back none.

    Of a work that was retracted before it was kept who said so, the next API with a word on it decides.
    """
    is_kept = bool(known.retracted_by) or new.is_retracted is None
    told = _callers(known) if is_kept else set()
    if new.is_retracted is not None:
        told -= set(new.source_api.split("+"))
    return "+".join(sorted(told | _callers(new)))


def _callers(work: Work) -> set[str]:
    names = work.retracted_by or (work.source_api or "unknown" if work.is_retracted else "")
    return set(names.split("+")) - {""}


def _write(connection: Connection, work: Work) -> None:
    _WORKS.save(connection, work, "id", defaults=("updated_at",), is_retracted=bool(work.is_retracted))


def _move(connection: Connection, old_id: str, new_id: str) -> None:
    connection.execute("update pages set work_id = ? where work_id = ?", (new_id, old_id))
    connection.execute("update resource_index set work_id = ? where work_id = ?", (new_id, old_id))
    connection.execute("delete from works where id = ?", (old_id,))
