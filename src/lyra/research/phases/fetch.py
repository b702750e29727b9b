"""Phase 6: fetch what was found worth it, best first and politely, and read each page whole."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.academic.identity import matches_page
from lyra.clock import stamp
from lyra.errors import InvalidParams, LyraError, innermost
from lyra.extract.fragments import to_fragments
from lyra.fetch.ladder import ARCHIVE, BROWSERS, MOST_LIVE
from lyra.ids import bytes_hash, derived_id
from lyra.model.archive import Memento
from lyra.model.handoff import Handoff
from lyra.model.injection import InjectionFinding
from lyra.model.library import is_library_url
from lyra.model.page import ArchiveRef, Document, FetchOutcome, FetchRequest, FetchResult, Page, StoredPage
from lyra.model.search import Candidate, CandidateState
from lyra.research.graph_builder import GraphBuilder
from lyra.research.injections import save_scan, scan_document
from lyra.research.leases import hold_address
from lyra.research.library_pages import link_library_page
from lyra.research.llm_pages import describe_page
from lyra.research.llm_ratings import rate_page
from lyra.research.page_facts import link_targets, page_notice
from lyra.research.phases.sites import add_linked_pages
from lyra.research.search_run import PageLeft, SearchRun, StopReason
from lyra.search.scoring import page_value
from lyra.storage import (
    candidates,
    derived_queries,
    handoffs,
    links,
    mementos,
    pages,
    rechecks,
    transactions,
    works,
)
from lyra.urls import canonical, registrable_domain

if TYPE_CHECKING:
    from apsw import Connection
_FRESH = timedelta(hours=24)
_LOOK_AHEAD = 200


async def fetch(run: SearchRun, graph: GraphBuilder) -> StopReason | None:
    """Work through the pending candidates until they or the budget end; says why where it stopped early.

    Several domains are asked at once, one request each; the pages are digested one after another. A typed error,
    such as that of a model, ends the others and comes out as itself.
    """
    pool = _FetchWorkers(run, graph)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(run.parts.settings.network.concurrency):
                group.create_task(pool.work())
    except* LyraError as errors:
        raise innermost(errors) from None
    return pool.stop


class _FetchWorkers:
    """The workers of one search over one list of candidates."""

    def __init__(self, run: SearchRun, graph: GraphBuilder) -> None:
        self._parts = run.parts
        self._run = run
        self._graph = graph
        self._taken: set[str] = set()
        self._under_way: dict[str, str] = {}
        self._changed = asyncio.Condition()
        self.stop: StopReason | None = None

    async def work(self) -> None:
        while (candidate := await self._next()) is not None:
            async with hold_address(self._parts, candidate.url) as release:
                try:
                    await self._obtain(candidate, release)
                except PageLeft as left:  # stays pending, and is read when the search goes on
                    self.stop = left.stop
            async with self._changed:
                self._under_way.pop(candidate.id)
                self._changed.notify_all()

    async def _next(self) -> Candidate | None:
        """The next candidate to visit, or none where the search has come to its end.

        A page in hand may fail or be known already and then uses up nothing: only when none is left is a limit reached.
        """
        async with self._changed:
            while self.stop is None:
                stop = await self._run.should_stop(under_way=len(self._under_way))
                if stop is None:
                    return await self._best()
                if self._under_way:
                    await self._changed.wait()
                else:
                    self.stop = stop
            return None

    async def _best(self) -> Candidate | None:
        """The best candidate that no worker has taken; a domain that is being asked comes last."""
        waiting = await self._parts.db.read(candidates.pending, self._run.search.id, _LOOK_AHEAD)
        free = [one for one in waiting if one.id not in self._taken]
        if not free:
            return None
        # Each address's own score, weighed by UCB1 on the harvest of the query that found it (SPEC §3).
        yields = await self._parts.db.read(derived_queries.branch_yields, self._run.search.id)
        free.sort(key=lambda one: (-page_value(one.score, one.derived_query, yields), one.rank, one.id))
        busy = set(self._under_way.values())
        chosen = next((one for one in free if registrable_domain(one.url) not in busy), free[0])
        self._taken.add(chosen.id)
        self._under_way[chosen.id] = registrable_domain(chosen.url)
        return chosen

    async def _obtain(self, candidate: Candidate, release: Callable[[], Awaitable[None]]) -> None:
        """Read the page, fetched or known; the turn ends as soon as it is stored, so that others need not wait."""
        known = await self._parts.db.read(pages.by_url, candidate.url)
        if known is not None and known.id == candidate.page_id:  # fetched before a restart, not yet read
            await release()
            await self._read(candidate, StoredPage(known, await self._parts.db.read(pages.fragments_of, known.id)))
            return
        if known is not None and await self._is_fresh(known):
            await release()
            await self._reuse(candidate, known)
            return
        result = await self._parts.getter(
            FetchRequest(
                candidate.url,
                referer=candidate.referer,
                etag=known.etag if known else None,
                last_modified=known.last_modified if known else None,
                cause_id=candidate.id,
                # Of a known page an archive has nothing to add: that it is gone is what a recheck wants to know.
                is_live_only=known is not None and self._run.fresh_since is not None,
            )
        )
        if result.outcome is FetchOutcome.NOT_MODIFIED and known is not None:
            await self._reuse(candidate, known)
        elif result.outcome is FetchOutcome.OK:
            await self._store_page(candidate, result, release)
        else:
            await self._record_failure(candidate, result)

    async def _is_fresh(self, known: Page) -> bool:
        """Whether the page need not be asked for: it was, of late; for a recheck, since it began."""
        if is_library_url(known.url):  # to ask costs no request, and the file may have changed a moment ago
            return False
        since, run_id = self._run.fresh_since, self._run.search.recheck_id
        if since is None or run_id is None:
            return self._parts.clock.now() - known.fetched_at < _FRESH
        return known.fetched_at >= since or await self._parts.db.read(rechecks.has_visited, run_id, known.id)

    async def _reuse(self, candidate: Candidate, page: Page) -> None:
        """A page that is known and fresh is read again without a request; the task takes its claims from it."""
        fragments = await self._parts.db.read(pages.fragments_of, page.id)
        flags = await self._graph.add_page(
            StoredPage(page, fragments),
            lambda connection: candidates.set_state(connection, candidate.id, CandidateState.REUSED, None, page.id),
            self._run.leave_page_if_stopped,
        )
        await self._run.count_page(flags)

    async def _store_page(
        self, candidate: Candidate, result: FetchResult, release: Callable[[], Awaitable[None]]
    ) -> None:
        try:
            result, document = await self._read_shown(candidate, result)
        except InvalidParams as exc:
            await self._record_unreadable(candidate, exc.message)
            return
        if not document.text and document.remarks:
            await self._record_unreadable(candidate, document.remarks[0])
            return
        page = page_of(candidate, result, document, self._parts.clock.now())
        stored = StoredPage(page, to_fragments(page.id, document))
        # Before the page is stored: after a crash a stored page is read without being fetched, and its links are gone.
        await add_linked_pages(self._run, candidate, result)
        found = await asyncio.to_thread(scan_document, document, page.title)
        scanned = Scan(found, self._parts.clock.now(), self._run.search.id)
        await self._parts.db.write(store_page, candidate, stored, document, result, scanned)
        if document.remarks:
            await self._run.log("partly_read", page.url, remarks=document.remarks)
        await release()
        await self._read(candidate, await rate_page(self._run, stored))
        await describe_page(self._run, stored)

    async def _read_shown(self, candidate: Candidate, result: FetchResult) -> tuple[FetchResult, Document]:
        """The page as read; one that hides all of its text until its scripts run is fetched again by a browser."""
        document = await self._read_body(candidate, result)
        if not document.needs_scripts or result.rung in (*BROWSERS, ARCHIVE):
            return result, document
        request = FetchRequest(candidate.url, referer=candidate.referer, cause_id=candidate.id, rungs=BROWSERS)
        shown = await self._parts.getter(request)
        await self._run.log("needs_scripts", candidate.url, rung=shown.rung, outcome=shown.outcome.value)
        if shown.outcome is not FetchOutcome.OK:
            return result, document
        return shown, await self._read_body(candidate, shown)

    async def _read_body(self, candidate: Candidate, result: FetchResult) -> Document:
        return await self._parts.reader.read(
            result.body, content_type=result.header("content-type"), url=result.final_url or candidate.url
        )

    async def _record_unreadable(self, candidate: Candidate, why: str) -> None:
        """A body that nothing can be read from."""
        await self._parts.db.write(candidates.set_state, candidate.id, CandidateState.FAILED, why)
        await self._run.count_page(None)

    async def _read(self, candidate: Candidate, stored: StoredPage) -> None:
        """Add a page that was fetched for this candidate to the graph, and count it."""
        search = self._run.search
        flags = await self._graph.add_page(
            stored,
            lambda connection: transactions.note_fetched(connection, search, candidate.id, stored.page.id),
            self._run.leave_page_if_stopped,
        )
        await self._run.count_page(flags)

    async def _record_failure(self, candidate: Candidate, result: FetchResult) -> None:
        """Blocked and failed stay apart; what only a person can open waits for one."""
        state = CandidateState.BLOCKED if result.outcome.is_access_denied else CandidateState.FAILED
        reason = f"{result.outcome.value}: {result.reason or 'no reason given'}"
        auth_type = needed_from_person(result)
        handoff = await self._handoff(candidate, result, auth_type) if auth_type is not None else None
        await self._parts.db.write(_save_failure, candidate, state, reason, handoff)
        await self._run.count_page(None)

    async def _handoff(self, candidate: Candidate, result: FetchResult, auth_type: str) -> Handoff:
        return Handoff(
            id=derived_id("auth", self._run.task.id, candidate.url),
            task_id=self._run.task.id,
            search_id=self._run.search.id,
            domain=registrable_domain(candidate.url),
            url=candidate.url,
            auth_type=auth_type,
            queued_at=self._parts.clock.now(),
            priority=self._run.search.options.auth_priority or await self._priority(candidate),
            reason=result.reason or "",
        )

    async def _priority(self, candidate: Candidate) -> str:
        """Where the client gave no priority: primary sources first (§3.6.1)."""
        levels = await self._parts.trust.levels([candidate.url])
        return "high" if any(level.is_high for level in levels.values()) else "normal"


def _save_failure(
    connection: "Connection", candidate: Candidate, state: CandidateState, reason: str, handoff: Handoff | None
) -> None:
    """Why a page was given up, and that a person is asked: both or, where the process dies, neither."""
    candidates.set_state(connection, candidate.id, state, reason)
    if handoff is not None:
        handoffs.insert(connection, handoff)


def needed_from_person(result: FetchResult) -> str | None:
    """What a person would have to do about a page that was not opened; None where no person can help.

    Challenges and log-ins at once, and whatever three rungs could not open (SPEC §5).
    """
    if result.outcome is FetchOutcome.CHALLENGE:
        return result.challenge or "challenge"
    if result.outcome is FetchOutcome.BLOCKED and result.challenge == "login":
        return "login"
    live = [rung for rung in result.tried if rung != ARCHIVE]
    return (result.challenge or "block") if len(live) >= MOST_LIVE else None


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scan for orders to an AI found, when, and for which search."""

    found: tuple[InjectionFinding, ...]
    at: datetime
    cause_id: str


def store_page(
    connection: "Connection",
    candidate: Candidate,
    stored: StoredPage,
    document: Document,
    result: FetchResult,
    scanned: Scan,
) -> None:
    """Store what was fetched and for which candidate: after a crash it is not fetched again."""
    page = stored.page
    pages.save(connection, page, stored.fragments)
    save_scan(connection, page, stored.fragments, scanned.found, scanned.at, scanned.cause_id)
    if result.snapshot_at is not None:
        mementos.save(connection, _memento(page, result))
    links.note(connection, page.id, link_targets(document))
    _link_work(connection, page, document)
    link_library_page(connection, page)
    candidates.set_state(connection, candidate.id, CandidateState.PENDING, None, page.id)


def _memento(page: Page, result: FetchResult) -> Memento:
    """The copy that a page was read from because it could not be opened itself."""
    return Memento(
        page.id,
        result.snapshot_at or page.fetched_at,
        result.memento_url or "",
        page.fetched_at,
        page.text,
        is_copy=True,
        record_id=page.archive.record_id if page.archive else None,
    )


def _link_work(connection: "Connection", page: Page, document: Document) -> None:
    """A page that says in its metadata which paper it is counts as that paper, not as its publisher.

    Of a paper that is not known yet the identifier is stored: the indexes are asked after the pages.
    """
    if document.page_type != "paper" or not document.identifiers:
        return
    first = document.identifiers[0]
    known = works.by_identifier(connection, first.kind, first.value)
    if known is None:
        works.set_own_identifier(connection, page.id, first)
    elif matches_page(known, page.title, page.authors):
        works.link(connection, page.id, known.id)


def page_of_record(document: Document, address: str, archive: ArchiveRef | None, now: datetime) -> Page:
    """The page that a record of an API is: an abstract, or an entry of a registry."""
    url = canonical(address)
    return Page(
        id=derived_id("p", url),
        url=url,
        domain=registrable_domain(url),
        title=document.title,
        language=document.language,
        fetched_at=now,
        final_url=url,
        date=document.date,
        authors=document.authors,
        page_type=document.page_type,
        content_hash=bytes_hash(document.text.encode("utf-8", "surrogatepass")),
        archive=archive,
        text=document.text,
        extractor=document.extractor,
    )


def page_of(candidate: Candidate, result: FetchResult, document: Document, now: datetime) -> Page:
    """The page that an answer is; what the document does not say is taken from who found it."""
    url = canonical(candidate.url)
    final_url = result.final_url or url
    return Page(
        id=derived_id("p", url),
        url=url,
        domain=registrable_domain(final_url),
        title=document.title or candidate.title,
        language=document.language,
        fetched_at=result.fetched_at or now,
        final_url=final_url,
        date=document.date or candidate.date,
        updated=document.updated,
        authors=document.authors,
        page_type=document.page_type,
        content_hash=bytes_hash(result.body),
        etag=result.header("etag"),
        last_modified=result.header("last-modified"),
        archive=result.archive,
        quality=document.quality,
        text=document.text,
        extractor=document.extractor,
        notice=page_notice(
            document.title or candidate.title,
            document.text,
            updated=document.updated,
            read_on=stamp(result.snapshot_at or result.fetched_at or now)[:10],
            is_marked=document.is_marked_retracted,
        ),
        site_name=document.site_name,
    )
