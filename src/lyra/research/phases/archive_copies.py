"""After fetching: the last copies of the pages in the web archive, and how the pages have changed."""

from dataclasses import dataclass, replace
from datetime import datetime

from lyra.claims.statements import NOT_PROSE, document_statements, statements
from lyra.errors import InvalidParams
from lyra.evidence.timeline import compare_versions
from lyra.fetch.wayback import latest_address, previous, taken_at
from lyra.model.archive import Memento, PageVersion
from lyra.model.page import Document, FetchOutcome, FetchRequest, FetchResult, StoredPage
from lyra.research.search_run import SearchRun
from lyra.storage import mementos, pages

# Up to so many pages all of them are compared; of more, the share that the setting allows (SPEC §5).
_ALL_UP_TO = 10


@dataclass(frozen=True, slots=True)
class _Copy:
    memento: Memento
    version: PageVersion


def pages_compared(pages_read: int, share: float) -> int:
    """How many of a search's pages are laid beside their copies."""
    return pages_read if pages_read <= _ALL_UP_TO else max(1, int(share * pages_read))


async def compare_with_archive(run: SearchRun) -> None:
    """Ask the archive about the search's pages, those of priority domains and the weightiest first, while the task has
    time."""
    settings = run.parts.settings.wayback
    most = pages_compared(run.search.pages_fetched, settings.share) if settings.enabled and settings.share else 0
    if most <= 0 or settings.snapshots == 0:
        return
    chosen = await run.parts.db.read(mementos.pages_to_compare, run.search.id, run.task.priority_domains, most)
    for page_id in chosen:
        await run.should_stop()  # counts the time that went by
        if run.task.seconds_used >= run.task.budget.max_seconds:
            return
        await compare_page(run, page_id, settings.snapshots)


async def compare_page(run: SearchRun, page_id: str, most: int) -> int:
    """Compare one page with its last copies; answers how many were asked for."""
    page = await run.parts.db.read(pages.get, page_id)
    if page is None:
        return 0
    stored = StoredPage(page, await run.parts.db.read(pages.fragments_of, page_id))
    copies, asked = await _copies(run, stored, most, run.search.id)
    newer = version_of_page(stored)
    for copy in copies:
        difference = compare_versions(copy.version, newer)
        await run.parts.db.write(mementos.save, replace(copy.memento, revision=difference))
        newer = copy.version
    await run.log("past", page.url, copies=len(copies), asked=asked, page_id=page.id)
    return asked


async def _copies(run: SearchRun, stored: StoredPage, most: int, cause_id: str) -> tuple[list[_Copy], int]:
    """The page's last copies, newest first, each by the link of the one after it."""
    copies: list[_Copy] = []
    address = latest_address(stored.page.url, run.parts.clock.now())
    asked = 0
    while address is not None and asked < most:
        result = await run.parts.getter(FetchRequest(address, cause_id=cause_id, rungs=("http",)))
        asked += 1
        moment = taken_at(result) if result.outcome is FetchOutcome.OK else None
        document = await _read(run, result, stored.page.url) if moment else None
        if moment is None or document is None:
            break
        copies.append(_copy(stored, result, document, moment, run.parts.clock.now()))
        address = previous(result)
    return copies, asked


async def _read(run: SearchRun, result: FetchResult, url: str) -> Document | None:
    try:
        return await run.parts.reader.read(result.body, content_type=result.header("content-type"), url=url)
    except InvalidParams:
        return None


def _copy(stored: StoredPage, result: FetchResult, document: Document, moment: datetime, now: datetime) -> _Copy:
    record_id = result.archive.record_id if result.archive else None
    memento = Memento(stored.page.id, moment, result.final_url, now, document.text, record_id=record_id)
    return _Copy(memento, version_of_document(document))


def version_of_document(document: Document) -> PageVersion:
    """What is compared of a document that was just read."""
    headings = tuple(dict.fromkeys(one.text for passage in document.passages for one in passage.headings))
    found = tuple(one.text for one in document_statements(document))
    return PageVersion(headings, found, document.date, document.updated, document.text)


def version_of_page(stored: StoredPage) -> PageVersion:
    """The same of a page as it is stored."""
    headings = tuple(dict.fromkeys(one.text for fragment in stored.fragments for one in fragment.heading_hierarchy))
    found = tuple(
        one.text
        for fragment in stored.fragments
        if fragment.fragment_type not in NOT_PROSE
        for one in statements(fragment.text_content, fragment.language)
    )
    return PageVersion(headings, found, stored.page.date, stored.page.updated, stored.page.text)
