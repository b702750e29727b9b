"""Documents of the user's library as results and pages of a search."""

from typing import TYPE_CHECKING

from lyra.academic.identity import canonical_id, matches_page, ordered_identifiers
from lyra.ids import derived_id
from lyra.model.library import is_library_url
from lyra.model.page import Page
from lyra.model.search import Candidate, SearchOutcome, Source
from lyra.model.work import Work
from lyra.research.search_run import SearchRun
from lyra.search.query import plain_terms
from lyra.storage import candidates, libraries, works

if TYPE_CHECKING:
    from apsw import Connection

ENGINE = "library"
_HITS_PER_PAGE = 3


async def ask_library(run: SearchRun) -> bool:
    """Documents that match become candidates, unless the client names other sources; whether there were any."""
    sources = run.search.options.sources
    is_wanted = sources is None or Source.LIBRARY in sources
    if not is_wanted or not await run.parts.db.read(libraries.exists):
        return False
    words = plain_terms(run.search.query) or run.search.query
    hits = await run.parts.db.read(libraries.search, words, _HITS_PER_PAGE * run.page_limit)
    found = [
        Candidate(
            id=derived_id("r", run.search.id, hit.url),
            search_id=run.search.id,
            url=hit.url,
            title=hit.title,
            snippet=hit.snippet,
            engine=ENGINE,
            rank=rank,
            score=1 / rank,
            date=hit.date,
        )
        for rank, hit in enumerate(hits, 1)
    ]
    await run.parts.db.write(candidates.add, found)
    outcome = SearchOutcome.RESULTS if found else SearchOutcome.EMPTY
    await run.log_answer(ENGINE, outcome, None, query=run.search.query, count=len(found))
    return bool(found)


def link_library_page(connection: "Connection", page: Page) -> None:
    """Remember the file of a page, and the work that its document is: by its reference manager, or by itself."""
    if not is_library_url(page.url):
        return
    libraries.note_page(connection, page.id, page.url)
    found = libraries.work_of(connection, page.url)
    if found is None:
        return
    identifiers = ordered_identifiers(found.identifiers)
    author = found.authors[0] if found.authors else None
    work = Work(
        id=canonical_id(identifiers, found.title, found.year, author),
        title=found.title or page.title,
        authors=found.authors,
        year=found.year,
        identifiers=identifiers,
        source_api=ENGINE,
    )
    known = next((one for each in identifiers if (one := works.by_identifier(connection, each.kind, each.value))), None)
    if known is None or matches_page(known, work.title, work.authors):
        works.link(connection, page.id, works.save(connection, work).id)
