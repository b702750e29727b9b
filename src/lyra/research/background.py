"""Work that goes on beside everything else: begun with some patience, told of on stderr, left off when asked."""

import asyncio
import contextlib
from collections.abc import Coroutine

from lyra.clock import Clock
from lyra.observe.log import get_logger

_log = get_logger(__name__)
_TELL_EVERY_S = 5.0


class Background:
    """One piece of work in a task of its own."""

    def __init__(self) -> None:
        self._running: asyncio.Task[None] | None = None

    async def start(self, work: Coroutine[object, object, None], patience_s: float) -> None:
        """Begin, and wait so long for the end: most data is done by then, and the rest goes on in the background."""
        self._running = asyncio.create_task(work)
        await asyncio.wait({self._running}, timeout=patience_s)

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
