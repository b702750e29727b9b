"""The pages that a task has read, as sources that a text may cite: names, words, and whether they are retracted."""

from dataclasses import dataclass, replace

from apsw import Connection

from lyra.model.check import Source, TextFragment
from lyra.storage.derived import PAGE_IS_RETRACTED
from lyra.storage.rows import read

_PAGES = f"""
select p.id as page_id, p.url, p.final_url, coalesce(nullif(w.title, ''), p.title) as title,
    coalesce(p.work_id, p.id) as key, iif(w.authors is null or w.authors = '[]', p.authors, w.authors) as authors,
    coalesce(w.year, p.year) as year, coalesce(w.published, p.published_date) as published,
    coalesce(w.identifiers, p.paper_metadata -> '$.identifiers', '[]') as identifiers,
    {PAGE_IS_RETRACTED} as is_retracted, null as fragments, p.updated_date as updated,
    coalesce(p.site_name, '') as site_name, coalesce(w.venue, '') as venue
from task_pages t
join pages p on p.id = t.page_id
left join works w on w.id = p.work_id
where t.task_id = ?
order by p.url
"""
_FRAGMENTS = """
select f.page_id, f.id as "fragment.id", f.text_content as "fragment.text", f.heading_context as "fragment.heading",
    f.page_number as "fragment.page_number"
from task_pages t
join fragments f on f.page_id = t.page_id and f.superseded_at is null
where t.task_id = ?
order by f.page_id, f.position
"""


@dataclass(frozen=True, slots=True)
class _StoredFragment:
    page_id: str
    fragment: TextFragment


def of_task(connection: Connection, task_id: str) -> tuple[Source, ...]:
    """Every page of the task with its present text, by address."""
    texts: dict[str, list[TextFragment]] = {}
    for row in read(connection, _StoredFragment, _FRAGMENTS, (task_id,)):
        texts.setdefault(row.page_id, []).append(row.fragment)
    pages = read(connection, Source, _PAGES, (task_id,))
    return tuple(replace(page, fragments=tuple(texts.get(page.page_id, ()))) for page in pages)
