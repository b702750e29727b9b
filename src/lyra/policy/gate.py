"""The gate: one request at a time to a domain, engine or API, so many in all, over all processes, each with a pause."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from lyra.clock import Chance, Clock
from lyra.ids import new_id
from lyra.model.job import LEASE_S, SEAT_PATIENCE_S, SEAT_POLL_S, Priority, Slot, SlotUse
from lyra.settings import Politeness
from lyra.storage import leases, slots
from lyra.storage.database import Database
from lyra.storage.leases import keep_renewed

if TYPE_CHECKING:
    from apsw import Connection

# How often a name held by another process is asked for.
_POLL_S = 0.25
# The longest wait at the gate; the caller learns when to ask again.
_LONGEST_WAIT_S = 120.0
_ENGINE_JITTER = 0.25
_SATURDAY = 5

# Requests a second that the user allows a registrable domain; none where the usual rate holds.
QpsOf = Callable[[str], float | None]


def pause_s(name: str, settings: Politeness, chance: Chance, qps_of: QpsOf | None = None) -> float:
    """Seconds between the end of a request and the next one to the same name (`domain:…`, `engine:…`, `api:…`)."""
    kind, _, domain = name.partition(":")
    if kind == "engine":
        return (1 / settings.engine_qps) * chance.uniform(1.0, 1.0 + _ENGINE_JITTER)
    if kind == "api":
        return 1 / settings.api_qps
    qps = usual_qps(domain, settings, qps_of)
    return max(1 / qps, chance.uniform(settings.pause_min_s, settings.pause_max_s))


def usual_qps(domain: str, settings: Politeness, qps_of: QpsOf | None) -> float:
    """Requests a second to a domain: the user's figure for it, else everybody's (SPEC §5)."""
    return (qps_of(domain) if qps_of else None) or settings.domain_qps


def priority_of(name: str) -> Priority:
    """Result pages and APIs go before pages where seats are scarce (SPEC §9)."""
    return Priority.PREFETCH if name.partition(":")[0] == "domain" else Priority.SERP


def quiet_hours_factor(name: str, local: datetime, settings: Politeness) -> float:
    """How much longer to pause after a request to this name at this time.

    At night, on weekends and holidays nobody looks after an overloaded server, nor after a CAPTCHA (SPEC §9). APIs are
    made for machines at any hour.
    """
    if name.startswith("api:"):
        return 1.0
    is_holiday = {f"{local:%m-%d}", f"{local:%Y-%m-%d}"} & set(settings.holidays)
    is_quiet = is_holiday or local.weekday() >= _SATURDAY or _is_night(local.hour, settings)
    return settings.quiet_factor if is_quiet else 1.0


def _is_night(hour: int, settings: Politeness) -> bool:
    begins, ends = settings.night_from, settings.night_until
    if begins <= ends:
        return begins <= hour < ends
    return hour >= begins or hour < ends


class KeyedLocks:
    """One lock for each name within this process, first come, first served; gone when nobody waits."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, name: str) -> asyncio.Lock:
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


class Turn:
    """The right to send, or `busy_for_s`: how long the name rests, in which case nothing may be sent."""

    def __init__(self, busy_for_s: float | None = None) -> None:
        self.busy_for_s = busy_for_s
        self.pause_s = 0.0
        self.is_used = True

    def pause_at_least(self, seconds: float | None) -> None:
        """Rest longer than usual afterwards: a crawl delay, or what the server asked for."""
        self.pause_s = max(self.pause_s, seconds or 0.0)

    def pass_on(self) -> None:
        """Nothing was sent after all: the next in line need not wait."""
        self.is_used = False


class Gate:
    """Gives turns. Names and one of the machine's `concurrency` seats of `network_client` are held together."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        chance: Chance,
        settings: Politeness,
        owner: str,
        concurrency: int,
        lease_s: float = LEASE_S,
        qps_of: QpsOf | None = None,
    ) -> None:
        self._qps_of = qps_of
        self._lease = timedelta(seconds=lease_s)
        self._db = db
        self._clock = clock
        self._chance = chance
        self._settings = settings
        self._owner = owner
        self._seats = concurrency
        # In one process the waiting line of a name is first come, first served, and only its head asks the database.
        self._locks = KeyedLocks()

    def limit(self, seats: int) -> None:
        """Let so many requests run at once from now on; those under way are not touched."""
        self._seats = seats

    @contextlib.asynccontextmanager
    async def turn(self, names: Sequence[str]) -> AsyncIterator[Turn]:
        """Wait for all names and a slot, then hold them; the first name decides the pause."""
        use = SlotUse(f"{self._owner}/{new_id('u')}", Slot.NETWORK_CLIENT, priority_of(names[0]))
        async with contextlib.AsyncExitStack() as stack:
            for name in names:
                await stack.enter_async_context(self._locks.of(name))
            busy_for_s = await self._wait(names, use)
            if busy_for_s is not None:
                yield Turn(busy_for_s)
                return
            turn = Turn()
            try:
                async with keep_renewed(self._clock, self._lease, lambda: self._renew(use)):
                    yield turn
            finally:
                pause = timedelta(seconds=self._pause_after(turn, names[0]))
                await self._db.write(_release, names, use, self._clock.now() + pause)

    def _pause_after(self, turn: Turn, name: str) -> float:
        if not turn.is_used:
            return 0.0
        usual_s = pause_s(name, self._settings, self._chance, self._qps_of)
        return max(usual_s * quiet_hours_factor(name, self._clock.now().astimezone(), self._settings), turn.pause_s)

    async def _wait(self, names: Sequence[str], use: SlotUse) -> float | None:
        """Return once the names and a seat are held, or how long the names still rest where that is too long.

        A seat is never held while waiting, so a slow domain does not keep others from being asked.
        """
        while True:
            now = self._clock.now()
            again_at = await self._db.write(_acquire, names, use, self._seats, now, now + self._lease)
            if again_at is None:
                return None
            remaining_s = (again_at - now).total_seconds()
            if remaining_s > _LONGEST_WAIT_S:
                return remaining_s
            await self._clock.sleep(min(remaining_s, _POLL_S))

    async def _renew(self, use: SlotUse) -> None:
        await self._db.write(leases.renew, use.id, self._clock.now() + self._lease)


def _acquire(
    connection: "Connection", names: Sequence[str], use: SlotUse, seats: int, now: datetime, until: datetime
) -> datetime | None:
    """Take all names and a seat, or nothing; answers when to ask again. Only who may send now waits for a seat."""
    for index, name in enumerate(names):
        is_taken, again_at = leases.acquire(connection, name, use.id, now, until)
        if not is_taken:
            _give_back(connection, names[:index], use, now)
            slots.release_seat(connection, use.id)
            return again_at
    if slots.take(connection, use, seats, now, until, now + timedelta(seconds=SEAT_PATIENCE_S)):
        return None
    _give_back(connection, names, use, now)
    return now + timedelta(seconds=SEAT_POLL_S)


def _release(connection: "Connection", names: Sequence[str], use: SlotUse, next_at: datetime) -> None:
    _give_back(connection, names, use, next_at)
    slots.release_seat(connection, use.id)


def _give_back(connection: "Connection", names: Sequence[str], use: SlotUse, next_at: datetime) -> None:
    for name in names:
        leases.release(connection, name, use.id, next_at)
