"""Phase 6: fetch what was found worth it, best first and politely, and read each page whole."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import bytes_hash, derived_id
from lyra.model.handoff import Handoff
from lyra.model.page import Document, FetchOutcome, FetchRequest, FetchResult, Page, StoredPage
from lyra.model.search import Candidate, CandidateState
from lyra.research.digest import Digest
from lyra.research.kit import Kit
from lyra.research.phases.turns import turn_at
from lyra.research.run import SearchRun, Stop
from lyra.storage import candidates, handoffs, pages, units, works
from lyra.urls import canonical, registrable_domain

if TYPE_CHECKING:
    from apsw import Connection

_REFUSED = frozenset(
    {FetchOutcome.BLOCKED, FetchOutcome.CHALLENGE, FetchOutcome.ROBOTS_DENIED, FetchOutcome.COOLING_DOWN}
)
_FRESH = timedelta(hours=24)
_LOOK_AHEAD = 200


async def fetch(kit: Kit, run: SearchRun, digest: Digest) -> Stop | None:
    """Work through the pending candidates until they or the budget end; says why where it stopped early.

    Several domains are asked at once, one request each; the pages are digested one after another.
    """
    pool = _Pool(kit, run, digest)
    async with asyncio.TaskGroup() as group:
        for _ in range(kit.settings.network.concurrency):
            group.create_task(pool.work())
    return pool.stop


class _Pool:
    """The workers of one search over one list of candidates."""

    def __init__(self, kit: Kit, run: SearchRun, digest: Digest) -> None:
        self._kit = kit
        self._run = run
        self._digest = digest
        self._taken: set[str] = set()
        self._in_hand: dict[str, str] = {}
        self._turn = asyncio.Condition()
        self.stop: Stop | None = None

    async def work(self) -> None:
        while (candidate := await self._next()) is not None:
            await self._visit(candidate)
            async with self._turn:
                self._in_hand.pop(candidate.id)
                self._turn.notify_all()

    async def _next(self) -> Candidate | None:
        """The next candidate to visit, or none where the search has come to its end.

        A page in hand may fail or be known already and then uses up nothing: only when none is left is a limit reached.
        """
        async with self._turn:
            while self.stop is None:
                stop = await self._run.should_stop(under_way=len(self._in_hand))
                if stop is None:
                    return await self._best()
                if self._in_hand:
                    await self._turn.wait()
                else:
                    self.stop = stop
            return None

    async def _best(self) -> Candidate | None:
        """The best candidate that nobody has taken; a domain that is being asked comes last."""
        waiting = await self._kit.db.read(candidates.pending, self._run.search.id, _LOOK_AHEAD)
        free = [one for one in waiting if one.id not in self._taken]
        if not free:
            return None
        busy = set(self._in_hand.values())
        chosen = next((one for one in free if registrable_domain(one.url) not in busy), free[0])
        self._taken.add(chosen.id)
        self._in_hand[chosen.id] = registrable_domain(chosen.url)
        return chosen

    async def _visit(self, candidate: Candidate) -> None:
        async with turn_at(self._kit, candidate.url) as end_turn:
            await self._obtain(candidate, end_turn)

    async def _obtain(self, candidate: Candidate, end_turn: Callable[[], Awaitable[None]]) -> None:
        """Read the page, fetched or known; the turn ends as soon as it is stored, so that others need not wait."""
        known = await self._kit.db.read(pages.by_url, candidate.url)
        if known is not None and known.id == candidate.page_id:  # fetched before a restart, not yet read
            await end_turn()
            await self._read(candidate, StoredPage(known, await self._kit.db.read(pages.fragments_of, known.id)))
            return
        if known is not None and self._kit.clock.now() - known.fetched_at < _FRESH:
            await end_turn()
            await self._reuse(candidate, known)
            return
        result = await self._kit.getter(
            FetchRequest(
                candidate.url,
                referer=candidate.referer,
                etag=known.etag if known else None,
                last_modified=known.last_modified if known else None,
                cause_id=candidate.id,
            )
        )
        if result.outcome is FetchOutcome.NOT_MODIFIED and known is not None:
            await self._reuse(candidate, known)
        elif result.outcome is FetchOutcome.OK:
            await self._take(candidate, result, end_turn)
        else:
            await self._give_up(candidate, result)

    async def _reuse(self, candidate: Candidate, page: Page) -> None:
        """A page that is known and fresh is read again without a request; this task's claims come from it anew."""
        fragments = await self._kit.db.read(pages.fragments_of, page.id)
        flags = await self._digest.read(
            StoredPage(page, fragments),
            lambda connection: candidates.set_state(connection, candidate.id, CandidateState.REUSED, None, page.id),
        )
        await self._run.read(flags)

    async def _take(self, candidate: Candidate, result: FetchResult, end_turn: Callable[[], Awaitable[None]]) -> None:
        try:
            document = await asyncio.to_thread(
                read_document,
                result.body,
                content_type=result.header("content-type"),
                url=result.final_url or candidate.url,
            )
        except InvalidParams as exc:
            await self._kit.db.write(candidates.set_state, candidate.id, CandidateState.FAILED, exc.message)
            await self._run.read(None)
            return
        page = _page(candidate, result, document, self._kit.clock.now())
        stored = StoredPage(page, to_fragments(page.id, document))
        await self._kit.db.write(_store, candidate, stored, document)
        await end_turn()
        await self._read(candidate, stored)

    async def _read(self, candidate: Candidate, stored: StoredPage) -> None:
        """Digest a page that was fetched for this candidate, and count it."""
        task_id = self._run.task.id
        flags = await self._digest.read(
            stored, lambda connection: units.note_fetched(connection, task_id, candidate.id, stored.page.id)
        )
        await self._run.read(flags)

    async def _give_up(self, candidate: Candidate, result: FetchResult) -> None:
        """Blocked and failed stay apart; what only a person can open waits for one."""
        state = CandidateState.BLOCKED if result.outcome in _REFUSED else CandidateState.FAILED
        reason = f"{result.outcome.value}: {result.reason or 'no reason given'}"
        await self._kit.db.write(candidates.set_state, candidate.id, state, reason)
        if result.outcome is FetchOutcome.CHALLENGE:
            await self._kit.db.write(handoffs.file, self._handoff(candidate, result))
        await self._run.read(None)

    def _handoff(self, candidate: Candidate, result: FetchResult) -> Handoff:
        return Handoff(
            id=derived_id("auth", self._run.task.id, candidate.url),
            task_id=self._run.task.id,
            search_id=self._run.search.id,
            domain=registrable_domain(candidate.url),
            url=candidate.url,
            auth_type="challenge",
            queued_at=self._kit.clock.now(),
            priority=self._run.search.options.auth_priority,
            reason=result.reason or "",
        )


def _store(connection: "Connection", candidate: Candidate, stored: StoredPage, document: Document) -> None:
    """Keep what was fetched, with the note for whom: after a crash it is not fetched again."""
    page = stored.page
    pages.save(connection, page, stored.fragments)
    _link_work(connection, page, document)
    candidates.set_state(connection, candidate.id, CandidateState.PENDING, None, page.id)


def _link_work(connection: "Connection", page: Page, document: Document) -> None:
    """A page that says in its metadata which paper it is counts as that paper, not as its publisher."""
    if document.page_type != "paper" or not document.identifiers:
        return
    first = document.identifiers[0]
    known = works.by_identifier(connection, first.kind, first.value)
    if known is not None:
        works.link(connection, page.id, known.id)


def _page(candidate: Candidate, result: FetchResult, document: Document, now: datetime) -> Page:
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
    )
