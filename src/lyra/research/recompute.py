"""Background work after an upgrade: assessments of an older version and vectors of another embedder, done again."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from lyra.clock import Clock, stamp
from lyra.errors import LyraError
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.naming import sources_named
from lyra.evidence.retractions import is_notice
from lyra.ml.protocols import Embedder
from lyra.model.named_page import NamedPage
from lyra.model.page import Page, PageNotice
from lyra.observe.log import get_logger
from lyra.research.assessing import Assessor, fragments_read
from lyra.research.leases import hold_lease
from lyra.research.page_facts import page_notice
from lyra.research.page_findings import save_originals
from lyra.research.page_vectors import mean_vector, sentence_vectors_of
from lyra.research.search_run import SearchParts
from lyra.storage import claims, edges, embeddings, pages, reassessments, reembedding, votes
from lyra.storage.reembedding import KINDS, NEWEST, WaitingText

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

_log = get_logger(__name__)
_REPORT_EVERY_S = 5.0
_AT_ONCE = 500
_REASSESSED = "assessed again by the rules of this version: each independent source counts once"
# A third of a second of work: who asks meanwhile waits no longer.
_EMBEDDED_AT_ONCE = 64
_LEASE = "reembedding"
_POLL_S = 5.0
_REEMBEDDED = "assessed again with the vectors of another embedder"
_UNDER_WAY = (
    "The embedder has changed: texts are being embedded again. Until then vector_search finds only those that are "
    "done; not_yet_embedded in its answer counts the others."
)


class BackgroundWork(ABC):
    """Work in an asyncio task of its own; where it fails, the next start tries again."""

    failed_message: str

    def __init__(self, parts: SearchParts) -> None:
        self._parts = parts
        self._task: asyncio.Task[None] | None = None
        self._failure: str | None = None

    async def start(self, wait_s: float) -> None:
        """Begin and wait at most `wait_s` for the end; what is not done by then continues in the background."""
        self._task = asyncio.create_task(self._run_logged())
        await asyncio.wait({self._task}, timeout=wait_s)

    async def stop(self) -> None:
        """End the work; what is not done waits for the next start."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    @abstractmethod
    async def run(self) -> None:
        """Do all of it."""

    async def _run_logged(self) -> None:
        try:
            await self.run()
        except LyraError as exc:
            self._failure = exc.message
            _log.warning(f"{self.failed_message}; the next start tries again", error=exc.message)


class ProgressLog:
    """Reports on stderr how far the work is, every five seconds."""

    def __init__(self, clock: Clock, message: str, total: int) -> None:
        self._clock = clock
        self._message = message
        self._total = total
        self._done = 0
        self._reported_at = clock.monotonic()

    def add(self, count: int) -> None:
        self._done += count
        now = self._clock.monotonic()
        if now - self._reported_at >= _REPORT_EVERY_S:
            self._reported_at = now
            _log.warning(self._message, done=self._done, of=self._total)


class Reassessor(BackgroundWork):
    """Assesses the claims of older versions; the event loop is never held.

    A task is marked as done when all of it is written. What a crash leaves half done is done again, and the journal
    gets a changed verdict once, for it compares with what is stored.
    """

    failed_message = "claims could not be assessed again"

    async def run(self) -> None:
        """Assess every claim that waits."""
        await complete_older_data(self._parts)
        waiting = await self._parts.db.read(reassessments.pending)
        message = "claims of an older version are being assessed again"
        progress = ProgressLog(self._parts.clock, message, sum(waiting.values()))
        for task_id in waiting:
            await self._assess(task_id, progress)
        await reassess(self._parts)

    async def _assess(self, task_id: str, progress: ProgressLog) -> None:
        await self._parts.db.write(save_originals, await self._originals(task_id))
        for page_id in await self._parts.db.read(edges.pages_without_origins, task_id):
            await self._parts.db.write(edges.set_origins, await self._origins(task_id, page_id))
        await assess_task(self._parts, task_id, _REASSESSED, progress)
        await self._parts.db.write(reassessments.done, task_id)

    async def _originals(self, task_id: str) -> dict[str, Originals]:
        """Which texts of the task repeat others, by the present rules."""
        known = await self._parts.db.read(fragments_read, task_id)
        dates = await self._parts.db.read(pages.dates_of, {one.page_id for one in known})
        texts = [DatedText(one.id, one.text_content, dates[one.page_id]) for one in known]
        near_duplicate = self._parts.settings.evidence.near_duplicate
        found = await asyncio.to_thread(lambda: CopyIndex(near_duplicate).add_all(texts))
        copies = {one.id: Originals() for one in known if one.near_duplicate_of}
        return copies | found

    async def _origins(self, task_id: str, page_id: str) -> list[tuple[str, tuple[str, ...]]]:
        """What the words of stances on a page name as their source, where that is not known yet."""
        waiting = await self._parts.db.read(edges.without_origins, task_id, page_id)
        page = await self._parts.db.read(pages.get, page_id)
        named = _named(page) if page else NamedPage()
        return await asyncio.to_thread(
            lambda: [(one, sources_named(quote, quote, text, named)) for one, quote, text in waiting]
        )


async def assess_task(parts: SearchParts, task_id: str, why: str, progress: ProgressLog) -> None:
    """Assess every claim of a task; `why` is noted in the journal with what changed."""
    assessor = Assessor(parts, task_id)
    await assessor.group_pages()
    ids = [claim.id for claim in await parts.db.read(claims.of_task, task_id)]
    for at in range(0, len(ids), _AT_ONCE):
        some = ids[at : at + _AT_ONCE]
        await assessor.assess(some, why=why)
        progress.add(len(some))
    await assessor.update_source_influence()


async def reassess(parts: SearchParts) -> None:
    """Assess every claim whose evidence has changed since it was assessed."""
    for task_id, claim_ids in (await parts.db.read(votes.claims_to_assess)).items():
        assessor = Assessor(parts, task_id)
        await assessor.group_pages()
        await assessor.assess(claim_ids)
        await assessor.update_source_influence()


async def complete_older_data(parts: SearchParts) -> None:
    """Find out for pages and edges of an older Lyra what is found out today as they are stored; nothing otherwise."""
    while page_ids := await parts.db.read(votes.unchecked_pages, _AT_ONCE):
        for page_id in page_ids:
            page = await parts.db.read(pages.get, page_id)
            if page is not None:
                await parts.db.write(votes.note_page, page_id, await asyncio.to_thread(_notice, page))
    while texts := await parts.db.read(votes.unchecked_texts, _AT_ONCE):
        notices = await asyncio.to_thread(lambda: {edge_id: is_notice(text) for edge_id, text in texts})
        await parts.db.write(votes.note_notices, notices)


def _named(page: Page) -> NamedPage:
    return NamedPage(page.title, page.final_url or page.url, page.text, page.site_name or "", page.authors)


def _notice(page: Page) -> PageNotice:
    return page_notice(page.title, page.text, updated=page.updated, read_on=stamp(page.fetched_at)[:10])


class Reembedder(BackgroundWork):
    """Embeds again what older weights have embedded: claims first, newest first, in one process at a time.

    The old vectors stay until every text has a new one and every claim was assessed by these; then all go at once.
    `give_way` is entered when nobody urgent waits.
    """

    failed_message = "texts could not be embedded again"

    def __init__(
        self,
        parts: SearchParts,
        embedder: Embedder,
        give_way: Callable[[], contextlib.AbstractAsyncContextManager[None]],
    ) -> None:
        super().__init__(parts)
        self._embedder = embedder
        self._give_way = give_way

    async def start(self, wait_s: float) -> None:
        """Begin only where vectors of another model are stored."""
        if await self._parts.db.read(_is_needed, self._embedder.model_id):
            await super().start(wait_s)

    def troubles(self) -> tuple[str, ...]:
        """That it is under way, or why it is not."""
        if self._failure is not None:
            return (f"Texts could not be embedded again: {self._failure} The next start tries again.",)
        is_done = self._task is None or (self._task.done() and not self._task.cancelled())
        return () if is_done else (_UNDER_WAY,)

    async def run(self) -> None:
        """Replace every vector of another model."""
        async with hold_lease(self._parts, _LEASE, _POLL_S):
            while await self._parts.db.read(_is_needed, self._embedder.model_id):
                await self._embed_all()
                await self._assess_all()
                await self._parts.db.write(reembedding.finish, self._embedder.model_id)

    async def _embed_all(self) -> None:
        total = await self._parts.db.read(reembedding.count_waiting, self._embedder.model_id)
        progress = ProgressLog(self._parts.clock, "the embedder has changed; texts are being embedded again", total)
        for kind in KINDS:
            before = NEWEST
            while some := await self._parts.db.read(
                reembedding.waiting, kind, self._embedder.model_id, before, _EMBEDDED_AT_ONCE
            ):
                async with self._give_way():
                    pass  # not held: each part of the batch takes a seat of its own
                rows = await self._vectors(kind, some)
                await self._parts.db.write(reembedding.put, kind, rows, self._embedder.model_id)
                before = some[-1].seq
                progress.add(len(some))

    async def _vectors(self, kind: str, some: Sequence[WaitingText]) -> "list[tuple[str, NDArray[np.float32]]]":
        if kind == "claim":
            rows = await self._embedder.embed([one.text for one in some])
            return [(one.id, row) for one, row in zip(some, rows, strict=True)]
        by_text = await sentence_vectors_of(self._parts.db, self._embedder, {one.text_hash: one.text for one in some})
        return [(one.id, mean_vector(by_text[one.text_hash])) for one in some]

    async def _assess_all(self) -> None:
        """Vectors decide which pages tell one story, so verdicts may change."""
        waiting = await self._parts.db.read(reembedding.tasks_with_claims)
        message = "the embedder has changed; claims are being assessed again"
        progress = ProgressLog(self._parts.clock, message, sum(waiting.values()))
        for task_id in waiting:
            await assess_task(self._parts, task_id, _REEMBEDDED, progress)


def _is_needed(connection: "Connection", model_id: str) -> bool:
    return any(embeddings.has_others(connection, kind, model_id) for kind in KINDS)
