"""Looks through all libraries again and again while a server runs, so that changes are found without a manual step."""

import asyncio
import contextlib

from lyra.clock import Clock
from lyra.errors import LyraError, PipelineError
from lyra.library.indexer import Indexer
from lyra.observe.log import get_logger
from lyra.settings.processes import LibrarySettings
from lyra.storage import libraries
from lyra.storage.database import Database

_log = get_logger(__name__)
# A walk through many files or a slow disk shall not take more of the machine than this share.
_SHARE = 0.05


class LibraryWatch:
    """Scans in the background; the pause is the set one, longer where a scan takes long."""

    def __init__(self, db: Database, clock: Clock, indexer: Indexer, settings: LibrarySettings) -> None:
        self._db = db
        self._clock = clock
        self._indexer = indexer
        self._every_s = settings.scan_every_s
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the background, unless settings say that libraries are not watched."""
        if self._loop is None and self._every_s > 0:
            self._loop = asyncio.create_task(self._run(), name="library-watch")

    async def stop(self) -> None:
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
            self._loop = None

    async def scan_all(self) -> None:
        """Look through every library once; what goes wrong with one keeps nobody from the others."""
        for library in await self._db.read(libraries.all_):
            try:
                await self._indexer.scan(library)
            except PipelineError:  # another process is at it
                continue

    async def _run(self) -> None:
        while True:
            began = self._clock.monotonic()
            try:
                await self.scan_all()
            except LyraError as exc:  # a full disk or a busy database passes
                _log.warning("libraries not scanned", error=exc.message)
            took_s = self._clock.monotonic() - began
            await self._clock.sleep(max(self._every_s, took_s / _SHARE))
