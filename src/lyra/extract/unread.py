"""Bodies that ended their reader, remembered over restarts, so that none of them is read again and again."""

from lyra.clock import Clock
from lyra.storage import unread_bodies
from lyra.storage.database import Database


class UnreadBodies:
    """Counts by key (bytes and limits) how often a body was tried in vain."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def attempts(self, key: str) -> tuple[int, str]:
        """How often, and how the last one ended."""
        return await self._db.read(unread_bodies.attempts, key)

    async def note(self, key: str, reason: str, *, is_counted: bool = False) -> None:
        """Count a try; one that is counted already only gets its reason."""
        await self._db.write(unread_bodies.note, key, reason, self._clock.now(), 0 if is_counted else 1)

    async def forget(self, key: str) -> None:
        """It was read after all."""
        await self._db.write(unread_bodies.forget, key)
