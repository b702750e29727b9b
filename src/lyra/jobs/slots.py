"""Slots held while work is done: seats in the database, so that the limits hold over all processes of this machine."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta

from lyra.clock import Clock
from lyra.ids import new_id
from lyra.model.job import LEASE_S, SEAT_PATIENCE_S, SEAT_POLL_S, Slot, SlotUse
from lyra.storage import slots
from lyra.storage.database import Database
from lyra.storage.leases import keep_renewed


def capacities(network_client: int, cpu_nlp: int = 0) -> dict[Slot, int]:
    """Seats of each slot; the two that exclude each other share one. `cpu_nlp` 0 is one a core."""
    return {
        Slot.GPU: 1,
        Slot.BROWSER_HEADFUL: 1,
        Slot.NETWORK_CLIENT: network_client,
        Slot.CPU_NLP: cpu_nlp or os.cpu_count() or 1,
    }


class Slots:
    """Gives seats, by priority and then in the order of asking.

    A process that dies leaves its seats taken for `lease_s`; one that lives renews them.
    """

    def __init__(
        self, db: Database, clock: Clock, owner: str, seats: Mapping[Slot, int], lease_s: float = LEASE_S
    ) -> None:
        self._lease = timedelta(seconds=lease_s)
        self._db = db
        self._clock = clock
        self._owner = owner
        self._seats = dict(seats)
        self._left = asyncio.Event()

    def use(self, slot: Slot, priority: int) -> SlotUse:
        """A use of a slot, not yet held."""
        return SlotUse(f"{self._owner}/{new_id('u')}", slot, priority)

    def seats(self, slot: Slot) -> int:
        """How many may hold the slot at once."""
        return self._seats[slot]

    @contextlib.asynccontextmanager
    async def hold(self, slot: Slot, priority: int) -> AsyncIterator[None]:
        """Wait for a seat, hold it while the block runs, and give it back."""
        use = self.use(slot, priority)
        try:
            while not await self._take(use):
                await self._wait_for_slot()
            async with keep_renewed(self._clock, self._lease, lambda: self._take(use)):
                yield
        finally:
            await asyncio.shield(self._db.write(slots.release_seat, use.id))
            self._left.set()

    async def _take(self, use: SlotUse) -> bool:
        now = self._clock.now()
        return await self._db.write(
            slots.take,
            use,
            self._seats[use.slot],
            now,
            now + self._lease,
            now + timedelta(seconds=SEAT_PATIENCE_S),
        )

    async def _wait_for_slot(self) -> None:
        """Here at once, in other processes soon."""
        self._left.clear()
        waiting = asyncio.create_task(self._left.wait())
        pause = asyncio.create_task(self._clock.sleep(SEAT_POLL_S))
        try:
            await asyncio.wait({waiting, pause}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()
            pause.cancel()
