"""Claims that are assessed again: those of an older version, once, and those whose evidence has changed elsewhere.

A page that is read again, a work that is found retracted: both may take away votes in tasks that nobody is searching.
Of older data a task is marked as done when all of it is written; what a crash leaves half done is done again, and the
journal gets a changed verdict once, for it compares with what is stored.
"""

import asyncio
from collections.abc import Iterable

from lyra.clock import stamp
from lyra.errors import LyraError
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.notices import is_notice
from lyra.evidence.origins import origins
from lyra.model.page import Page, PageNotice
from lyra.observe.log import get_logger
from lyra.research.assessing import Assessor
from lyra.research.background import Background, ProgressLog
from lyra.research.graph_builder import save_originals
from lyra.research.joining import fragments_read
from lyra.research.page_notice import page_notice
from lyra.research.search_run import SearchParts
from lyra.storage import claims, edges, pages, reassessments, votes

_log = get_logger(__name__)
_AT_ONCE = 500
_WHY = "assessed anew by the rules of this version: each independent source counts once"


class Reassessor:
    """Works through the tasks that wait, beside everything else; the event loop is never held."""

    def __init__(self, parts: SearchParts) -> None:
        self._parts = parts
        self._background = Background()

    async def start(self, patience_s: float) -> None:
        """Begin, and wait so long for the end."""
        await self._background.start(self._guarded(), patience_s)

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

    async def _guarded(self) -> None:
        try:
            await self.run()
        except LyraError as exc:
            _log.warning("claims could not be assessed anew; the next start tries again", error=exc.message)

    async def _assess(self, task_id: str, progress: ProgressLog) -> None:
        await self._parts.db.write(save_originals, await self._originals(task_id))
        await self._parts.db.write(edges.set_origins, await self._origins(task_id))
        await assess_task(self._parts, task_id, _WHY, progress)
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
    await assessor.join()
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
        await assessor.join()
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
