"""What is computed anew beside everything else: assessments of an older version, vectors of another embedder."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING

from lyra.clock import Clock, stamp
from lyra.errors import LyraError
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.notices import is_notice
from lyra.evidence.origins import origins
from lyra.ml.protocols import Embedder
from lyra.model.page import Page, PageNotice
from lyra.observe.log import get_logger
from lyra.research.assessing import Assessor, fragments_read
from lyra.research.graph_builder import mean, save_originals, sentence_vectors_of
from lyra.research.leases import hold_lease
from lyra.research.page_facts import page_notice
from lyra.research.search_run import SearchParts
from lyra.storage import claims, edges, embeddings, pages, reassessments, reembedding, votes
from lyra.storage.reembedding import KINDS, NEWEST, WaitingText
from lyra.storage.vectors import not_yet_embedded

if TYPE_CHECKING:
    import numpy as np
    from apsw import Connection
    from numpy.typing import NDArray

_log = get_logger(__name__)
_TELL_EVERY_S = 5.0


class BackgroundTask:
    """One piece of work in a task of its own."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None

    async def start(self, work: Coroutine[object, object, None], wait_s: float) -> None:
        """Begin, and wait so long for the end: most data is done by then, and the rest goes on in the background."""
        self._running = asyncio.create_task(work)
        await asyncio.wait({self._running}, timeout=wait_s)

    async def stop(self) -> None:
        """Leave off; what is not done waits for the next opening."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running


class ProgressLog:
    """Says on stderr how far the work is, where it takes long."""

    def __init__(self, clock: Clock, message: str, total: int) -> None:
        self._clock = clock
        self._message = message
        self._total = total
        self._done = 0
        self._told_at = clock.monotonic()

    def add(self, count: int) -> None:
        """So many more are done; said when the last time is five seconds ago."""
        self._done += count
        now = self._clock.monotonic()
        if now - self._told_at >= _TELL_EVERY_S:
            self._told_at = now
            _log.warning(self._message, done=self._done, of=self._total)


_AT_ONCE = 500
_REASSESSED = "assessed anew by the rules of this version: each independent source counts once"


class Reassessor:
    """Works through the tasks that wait, beside everything else; the event loop is never held."""

    def __init__(self, parts: SearchParts) -> None:
        self._parts = parts
        self._background = BackgroundTask()

    async def start(self, wait_s: float) -> None:
        """Begin, and wait so long for the end."""
        await self._background.start(self._run_logged(), wait_s)

    async def stop(self) -> None:
        """Leave off; what is not done waits for the next opening."""
        await self._background.stop()

    async def run(self) -> None:
        """Assess every claim that waits."""
        await look_at_older_data(self._parts)
        waiting = await self._parts.db.read(reassessments.pending)
        message = "claims of an older version are being assessed anew"
        progress = ProgressLog(self._parts.clock, message, sum(waiting.values()))
        for task_id in waiting:
            await self._assess(task_id, progress)
        await reassess(self._parts)

    async def _run_logged(self) -> None:
        try:
            await self.run()
        except LyraError as exc:
            _log.warning("claims could not be assessed anew; the next start tries again", error=exc.message)

    async def _assess(self, task_id: str, progress: ProgressLog) -> None:
        await self._parts.db.write(save_originals, await self._originals(task_id))
        await self._parts.db.write(edges.set_origins, await self._origins(task_id))
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

    async def _origins(self, task_id: str) -> list[tuple[str, tuple[str, ...]]]:
        """What the words of stances name as their source, where nobody has looked yet."""
        waiting = await self._parts.db.read(edges.without_origins, task_id)
        return await asyncio.to_thread(lambda: [(one, origins(quote, text)) for one, quote, text in waiting])


async def assess_task(parts: SearchParts, task_id: str, why: str, progress: ProgressLog) -> None:
    """Assess every claim of a task; `why` stands in the journal with what changed."""
    assessor = Assessor(parts, task_id)
    await assessor.group_pages()
    ids = [claim.id for claim in await parts.db.read(claims.of_task, task_id)]
    for at in range(0, len(ids), _AT_ONCE):
        some = ids[at : at + _AT_ONCE]
        await assessor.assess(some, why=why)
        progress.add(len(some))
    await assessor.weigh_sources()


async def reassess(parts: SearchParts) -> None:
    """Assess every claim whose evidence has changed since it was assessed."""
    for task_id, claim_ids in (await parts.db.read(votes.stale)).items():
        assessor = Assessor(parts, task_id)
        await assessor.group_pages()
        await assessor.assess(claim_ids)
        await assessor.weigh_sources()


async def look_at_older_data(parts: SearchParts) -> None:
    """Find out for pages and edges of an older Lyra what is found out today as they are stored; nothing otherwise."""
    while page_ids := await parts.db.read(votes.pages_not_looked_at, _AT_ONCE):
        for page_id in page_ids:
            page = await parts.db.read(pages.get, page_id)
            if page is not None:
                await parts.db.write(votes.note_page, page_id, await asyncio.to_thread(_notice, page))
    while texts := await parts.db.read(votes.texts_not_looked_at, _AT_ONCE):
        await parts.db.write(votes.note_notices, await asyncio.to_thread(_notices, texts))


def _notices(texts: Iterable[tuple[str, str]]) -> dict[str, bool]:
    return {edge_id: is_notice(text) for edge_id, text in texts}


def _notice(page: Page) -> PageNotice:
    return page_notice(page.title, page.text, updated=page.updated, read_on=stamp(page.fetched_at)[:10])


# A third of a second of work: who asks meanwhile waits no longer.
_EMBEDDED_AT_ONCE = 64
_LEASE = "reembedding"
_POLL_S = 5.0
_REEMBEDDED = "assessed anew with the vectors of another embedder"
_UNDER_WAY = (
    "The embedder has changed: texts are being embedded anew. Until then vector_search finds only those that are done; "
    "not_yet_embedded in its answer counts the others."
)


class Reembedder:
    """Works beside everything else, in one process at a time; `give_way` is entered when nobody urgent waits."""

    def __init__(
        self,
        parts: SearchParts,
        embedder: Embedder,
        give_way: Callable[[], contextlib.AbstractAsyncContextManager[None]],
    ) -> None:
        self._parts = parts
        self._embedder = embedder
        self._give_way = give_way
        self._background = BackgroundTask()
        self._trouble: str | None = None

    async def start(self, wait_s: float) -> None:
        """Begin where there is something to do, and wait so long for the end."""
        if await self._parts.db.read(_is_needed, self._embedder.model_id):
            await self._background.start(self._run_logged(), wait_s)

    async def stop(self) -> None:
        """Leave off; what is not done waits for the next opening."""
        await self._background.stop()

    def troubles(self) -> tuple[str, ...]:
        """That it is under way, or why it is not."""
        return (self._trouble,) if self._trouble else ()

    async def run(self) -> None:
        """Replace every vector of another model."""
        async with hold_lease(self._parts, _LEASE, _POLL_S):
            while await self._parts.db.read(_is_needed, self._embedder.model_id):
                await self._embed_all()
                await self._assess_all()
                await self._parts.db.write(reembedding.finish, self._embedder.model_id)

    async def _run_logged(self) -> None:
        self._trouble = _UNDER_WAY
        try:
            await self.run()
            self._trouble = None
        except LyraError as exc:
            self._trouble = f"Texts could not be embedded anew: {exc.message} The next start tries again."
            _log.warning("texts could not be embedded anew; the next start tries again", error=exc.message)

    async def _embed_all(self) -> None:
        total = await self._parts.db.read(_count, self._embedder.model_id)
        progress = ProgressLog(self._parts.clock, "the embedder has changed; texts are being embedded anew", total)
        for kind in KINDS:
            before = NEWEST
            while some := await self._waiting(kind, before):
                async with self._give_way():
                    pass  # not held: each part of the batch takes a seat of its own
                rows = await self._vectors(kind, some)
                await self._parts.db.write(reembedding.put, kind, rows, self._embedder.model_id)
                before = some[-1].seq
                progress.add(len(some))

    async def _waiting(self, kind: str, before: int) -> list[WaitingText]:
        return await self._parts.db.read(reembedding.waiting, kind, self._embedder.model_id, before, _EMBEDDED_AT_ONCE)

    async def _vectors(self, kind: str, some: Sequence[WaitingText]) -> "list[tuple[str, NDArray[np.float32]]]":
        if kind == "claim":
            rows = await self._embedder.embed([one.text for one in some])
            return [(one.id, row) for one, row in zip(some, rows, strict=True)]
        by_text = await sentence_vectors_of(self._parts.db, self._embedder, {one.text_hash: one.text for one in some})
        return [(one.id, mean(by_text[one.text_hash])) for one in some]

    async def _assess_all(self) -> None:
        """Which pages tell one story is seen by the vectors, so claims may stand differently."""
        waiting = await self._parts.db.read(reembedding.tasks_with_claims)
        message = "the embedder has changed; claims are being assessed anew"
        progress = ProgressLog(self._parts.clock, message, sum(waiting.values()))
        for task_id in waiting:
            await assess_task(self._parts, task_id, _REEMBEDDED, progress)


def _is_needed(connection: "Connection", model_id: str) -> bool:
    return any(embeddings.has_others(connection, kind, model_id) for kind in KINDS)


def _count(connection: "Connection", model_id: str) -> int:
    return sum(not_yet_embedded(connection, kind, model_id) for kind in KINDS)
