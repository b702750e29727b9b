"""Waiting lines within one process: one lock a name, gone when nobody waits."""

import asyncio
from weakref import WeakValueDictionary


class Lines:
    """First come, first served, for each name on its own."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, name: str) -> asyncio.Lock:
        """The lock that whoever wants the name has to take."""
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock
