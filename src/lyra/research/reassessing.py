"""Claims that an older version assessed: assessed anew by the present rules, once, when the data is first opened.

A task is marked as done when all of it is written; what a crash leaves half done is done again, and the journal gets a
changed verdict once, for it compares with what is stored.
"""

import asyncio
import contextlib

from lyra.errors import LyraError
from lyra.evidence.copies import CopyIndex, DatedText, Originals
from lyra.evidence.origins import origins
from lyra.observe.log import get_logger
from lyra.research.assessing import Assessor
from lyra.research.digest import save_originals
from lyra.research.joining import fragments_read
from lyra.research.kit import Kit
from lyra.storage import claims, edges, pages, reassessments

_log = get_logger(__name__)
_AT_ONCE = 500
_TELL_EVERY_S = 5.0
_WHY = "assessed anew by the rules of this version: each independent source counts once"


class Reassessor:
    """Works through the tasks that wait, beside everything else; the event loop is never held."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._running: asyncio.Task[None] | None = None
        self._told_at = 0.0

    async def start(self, patience_s: float) -> None:
        """Begin, and wait so long for the end: most data is done by then, and the rest goes on in the background."""
        self._running = asyncio.create_task(self._guarded())
        await asyncio.wait({self._running}, timeout=patience_s)

    async def stop(self) -> None:
        """Leave off; what is not done waits for the next opening."""
        if self._running is not None:
            self._running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._running

    async def run(self) -> None:
        """Assess every claim that waits."""
        waiting = await self._kit.db.read(reassessments.pending)
        done, total = 0, sum(waiting.values())
        self._told_at = self._kit.clock.monotonic()
        for task_id, number in waiting.items():
            await self._assess(task_id, done, total)
            done += number

    async def _guarded(self) -> None:
        try:
            await self.run()
        except LyraError as exc:
            _log.warning("claims could not be assessed anew; the next start tries again", error=exc.message)

    async def _assess(self, task_id: str, done: int, total: int) -> None:
        await self._kit.db.write(save_originals, await self._originals(task_id))
        await self._kit.db.write(edges.set_origins, await self._origins(task_id))
        assessor = Assessor(self._kit, task_id)
        await assessor.join()
        ids = [claim.id for claim in await self._kit.db.read(claims.of_task, task_id)]
        for at in range(0, len(ids), _AT_ONCE):
            await assessor.assess(ids[at : at + _AT_ONCE], why=_WHY)
            self._tell(done + min(at + _AT_ONCE, len(ids)), total)
        await assessor.weigh_sources()
        await self._kit.db.write(reassessments.done, task_id)

    async def _originals(self, task_id: str) -> dict[str, Originals]:
        """Which texts of the task repeat others, by the present rules."""
        known = await self._kit.db.read(fragments_read, task_id)
        dates = await self._kit.db.read(pages.dates_of, {one.page_id for one in known})
        texts = [DatedText(one.id, one.text_content, dates[one.page_id]) for one in known]
        near_duplicate = self._kit.settings.evidence.near_duplicate
        found = await asyncio.to_thread(lambda: CopyIndex(near_duplicate).add_all(texts))
        copies = {one.id: Originals() for one in known if one.near_duplicate_of}
        return copies | found

    async def _origins(self, task_id: str) -> list[tuple[str, tuple[str, ...]]]:
        """What the words of stances name as their source, where nobody has looked yet."""
        waiting = await self._kit.db.read(edges.without_origins, task_id)
        return await asyncio.to_thread(lambda: [(one, origins(quote, text)) for one, quote, text in waiting])

    def _tell(self, done: int, total: int) -> None:
        """Say on stderr how far it is, where it takes long."""
        now = self._kit.clock.monotonic()
        if now - self._told_at >= _TELL_EVERY_S:
            self._told_at = now
            _log.warning("claims of an older version are being assessed anew", done=done, of=total)
