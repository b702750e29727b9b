"""Pages of deleted tasks that a search held: deleted as soon as it has ended, and not only with the next start."""

import asyncio
import contextlib

from lyra.clock import Clock
from lyra.errors import StorageError
from lyra.observe.log import get_logger
from lyra.research.cleanup import Cleaner

_log = get_logger(__name__)
# Leases are renewed three times before they lapse; whether a search has ended need not be known sooner.
_LOOKS_PER_LEASE = 3


class HeldPages:
    """Looks again and again whether a held page can go; the last time when its process ends."""

    def __init__(self, cleaner: Cleaner, clock: Clock, lease_s: float) -> None:
        self._cleaner = cleaner
        self._clock = clock
        self._every_s = lease_s / _LOOKS_PER_LEASE
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the background."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name="held-pages")

    async def stop(self) -> None:
        if self._loop is None:
            return
        self._loop.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._loop
        self._loop = None
        await self._look()

    async def _run(self) -> None:
        while True:
            await self._clock.sleep(self._every_s)
            await self._look()

    async def _look(self) -> None:
        try:
            await self._cleaner.delete_held()
        except StorageError as exc:  # a full disk or a busy database passes; the next look or start does it
            _log.warning("held pages not deleted", error=exc.message)
