"""Phase 6: fetch what was found worth it, best first and politely, and read each page whole."""

import asyncio
from datetime import datetime, timedelta

from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments
from lyra.ids import bytes_hash, derived_id
from lyra.model.handoff import Handoff
from lyra.model.page import Document, FetchOutcome, FetchRequest, FetchResult, Page, StoredPage
from lyra.model.search import Candidate, CandidateState
from lyra.research.digest import Digest
from lyra.research.kit import Kit
from lyra.research.run import SearchRun, Stop
from lyra.storage import candidates, handoffs, pages, units, works
from lyra.urls import canonical, registrable_domain

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
        self._turn = asyncio.Lock()
        self.stop: Stop | None = None

    async def work(self) -> None:
        while (candidate := await self._next()) is not None:
            try:
                await self._visit(candidate)
            finally:
                self._in_hand.pop(candidate.id, None)

    async def _next(self) -> Candidate | None:
        """The best candidate that nobody has taken; a domain that is being asked comes last."""
        async with self._turn:
            self.stop = self.stop or await self._run.should_stop(under_way=len(self._in_hand))
            if self.stop is not None:
                return None
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
        known = await self._kit.db.read(pages.by_url, candidate.url)
        if known is not None and self._kit.clock.now() - known.fetched_at < _FRESH:
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
            await self._take(candidate, result)
        else:
            await self._give_up(candidate, result)

    async def _reuse(self, candidate: Candidate, page: Page) -> None:
        """A page that is known and fresh is read again without a request; this task's claims come from it anew."""
        fragments = await self._kit.db.read(pages.fragments_of, page.id)
        flags = await self._digest.read(StoredPage(page, fragments))
        await self._kit.db.write(candidates.set_state, candidate.id, CandidateState.REUSED, None, page.id)
        await self._run.read(flags)

    async def _take(self, candidate: Candidate, result: FetchResult) -> None:
        try:
            document = await asyncio.to_thread(
                read_document,
                result.body,
                content_type=result.header("content-type"),
                url=result.final_url or candidate.url,
            )
        except InvalidParams as exc:
            await self._kit.db.write(candidates.set_state, candidate.id, CandidateState.FAILED, exc.message)
            await self._run.read(())
            return
        page = _page(candidate, result, document, self._kit.clock.now())
        stored = StoredPage(page, to_fragments(page.id, document))
        await self._kit.db.write(pages.save, page, stored.fragments)
        await self._link_work(page, document)
        flags = await self._digest.read(stored)
        await self._kit.db.write(units.note_fetched, self._run.task.id, candidate.id, page.id)
        await self._run.read(flags)

    async def _link_work(self, page: Page, document: Document) -> None:
        """A page that says in its metadata which paper it is counts as that paper, not as its publisher."""
        if document.page_type != "paper" or not document.identifiers:
            return
        first = document.identifiers[0]
        known = await self._kit.db.read(works.by_identifier, first.kind, first.value)
        if known is not None:
            await self._kit.db.write(works.link, page.id, known.id)

    async def _give_up(self, candidate: Candidate, result: FetchResult) -> None:
        """Blocked and failed stay apart; what only a person can open waits for one."""
        state = CandidateState.BLOCKED if result.outcome in _REFUSED else CandidateState.FAILED
        reason = f"{result.outcome.value}: {result.reason or 'no reason given'}"
        await self._kit.db.write(candidates.set_state, candidate.id, state, reason)
        if result.outcome is FetchOutcome.CHALLENGE:
            await self._kit.db.write(handoffs.file, self._handoff(candidate, result))
        await self._run.read(())

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
