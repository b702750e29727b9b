"""How many requests run at once follows how they end: once a minute, over all processes (§4.6).

When many requests time out or fail, the line is the bottleneck, not the sources: fewer at once, until they end well.
"""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import StorageError
from lyra.model.event import Event
from lyra.observe.log import get_logger
from lyra.policy.adaptive import Change, Knob, Rule, Trend, adjust, observe
from lyra.storage import journal, knobs, metrics
from lyra.storage.database import Database
from lyra.storage.knobs import KnobRecord

if TYPE_CHECKING:
    from apsw import Connection

NAME = "network_pressure"
EVERY = timedelta(seconds=60)
# The value divides the seats: 1 is all of them, 4 a quarter.
RULE = Rule(raise_at=0.3, lower_at=0.05, low=1.0, high=4.0, min_samples=3)
_log = get_logger(__name__)


def seats_under(pressure: float, seats: int) -> int:
    """Requests at once that are left of `seats`; never none."""
    return max(1, round(seats / pressure))


class Pressure:
    """Looks at the journal every minute and tells `limit` how many requests may run at once."""

    def __init__(self, db: Database, clock: Clock, seats: int, limit: Callable[[int], None]) -> None:
        self._db = db
        self._clock = clock
        self._seats = seats
        self._limit = limit
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin in the background."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run(), name="pressure")

    async def stop(self) -> None:
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
            self._loop = None

    async def tick(self) -> int:
        """Take what happened since the last minute into account; answers the requests that may run at once."""
        value = await self._db.write(_tick, self._clock.now())
        allowed = seats_under(value, self._seats)
        self._limit(allowed)
        return allowed

    async def _run(self) -> None:
        while True:
            try:
                await self.tick()
            except StorageError as exc:  # a full disk or a busy database passes
                _log.warning("pressure not measured", error=exc.message)
            await self._clock.sleep(EVERY.total_seconds())


def _tick(connection: "Connection", now: datetime) -> float:
    """One process of all does it once a minute; the others take over what it found."""
    record = knobs.get(connection, NAME) or KnobRecord(NAME, 1.0, 0.0, 0.0, now - EVERY)
    if now - record.updated_at < EVERY:
        return record.value
    newest, sent, failed = metrics.traffic_after(connection, record.event_id)
    trend = Trend(record.short, record.long, record.samples)
    if sent:
        trend = observe(trend, failed / sent)
    change = adjust(Knob(NAME, record.value, record.turned_at, record.direction), trend, RULE, now) if sent else None
    knob = change.knob if change else Knob(NAME, record.value, record.turned_at, record.direction)
    if change is not None:
        journal.append(connection, (_event(change, sent, failed, now),))
    knobs.save(
        connection,
        KnobRecord(
            NAME, knob.value, trend.short, trend.long, now, trend.samples, newest, knob.turned_at, knob.direction
        ),
    )
    return knob.value


def _event(change: Change, sent: int, failed: int, now: datetime) -> Event:
    figures = {
        "short": round(change.trend.short, 3),
        "long": round(change.trend.long, 3),
        "samples": change.trend.samples,
        "sent": sent,
        "failed": failed,
    }
    details = {
        "parameter": NAME,
        "before": f"{change.before:g}",
        "after": f"{change.knob.value:g}",
        "reason": f"failed requests: {change.reason}",
        "figures": figures,
    }
    return Event("policy_change", now, "slot:network_client", details)
