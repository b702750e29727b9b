"""What follows how requests end, once a minute and over all processes (§4.6): how many run at once, and how many may go
the heavy ways.

When many requests time out or get no answer, the line is the bottleneck, not the sources: fewer at once, until they end
well. A server that answers with an error says nothing of the line.
When Tor, or a browser with a window, seldom opens a page anywhere, fewer pages are tried that way.
"""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import StorageError
from lyra.model.domain import PolicyChange
from lyra.observe.log import get_logger
from lyra.policy.adaptive import AdaptiveParameter, ParameterChange, Rule, Trend, adjust, observe
from lyra.storage import adaptive_parameters, clock_repair, domain_policies, metrics
from lyra.storage.adaptive_parameters import ParameterRecord
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

EVERY = timedelta(seconds=60)
_log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AdaptiveLimit:
    """A parameter that is turned every minute. Its value divides what is allowed: 1 is all of it, 4 a quarter.

    `rungs` are those whose requests count, none named being all; `about` names what the averages are of.
    """

    name: str
    subject: str
    about: str
    rule: Rule
    rungs: tuple[str, ...] = ()


NETWORK = AdaptiveLimit(
    "network_pressure",
    "slot:network_client",
    "unanswered requests",
    Rule(raise_at=0.3, lower_at=0.05, low=1.0, high=4.0, min_samples=3),
)
_SELDOM_HELPS = Rule(raise_at=0.7, lower_at=0.4, low=1.0, high=4.0, min_samples=3)
TOR = AdaptiveLimit("tor_pressure", "rung:tor", "pages not served over Tor", _SELDOM_HELPS, ("tor",))
HEADFUL = AdaptiveLimit(
    "headful_pressure", "rung:headful", "pages not served to a window", _SELDOM_HELPS, ("headful", "undetected")
)
LIMITS = (NETWORK, TOR, HEADFUL)


def seats_under(pressure: float, seats: int) -> int:
    """Requests at once that are left of `seats`; never none."""
    return max(1, round(seats / pressure))


class Pressure:
    """Reads the journal every minute and passes to `limit` how many requests may run at once."""

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
        values = await self._db.write(_tick, self._clock.now())
        allowed = seats_under(values[NETWORK.name], self._seats)
        self._limit(allowed)
        return allowed

    async def _run(self) -> None:
        while True:
            try:
                await self.tick()
            except StorageError as exc:  # a full disk or a busy database passes
                _log.warning("pressure not measured", error=exc.message)
            await self._clock.sleep(EVERY.total_seconds())


def _tick(connection: "Connection", now: datetime) -> Mapping[str, float]:
    """One process of all does it once a minute; the others take over what it found."""
    clock_repair.shorten_long_waits(connection, now)  # the clock may have been set right while this process ran
    return {limit.name: _adjusted(connection, limit, now) for limit in LIMITS}


def _adjusted(connection: "Connection", limit: AdaptiveLimit, now: datetime) -> float:
    record = adaptive_parameters.get(connection, limit.name) or ParameterRecord(limit.name, 1.0, 0.0, 0.0, now - EVERY)
    if now - record.updated_at < EVERY:
        return record.value
    newest, sent, failed = metrics.traffic_after(connection, record.event_id, limit.rungs)
    trend = Trend(record.short, record.long, record.samples)
    parameter = AdaptiveParameter(limit.name, record.value, record.turned_at, record.direction)
    change = None
    if sent:
        trend = observe(trend, failed / sent)
        change = adjust(parameter, trend, limit.rule, now)
    if change is not None:
        parameter = change.parameter
        domain_policies.note_change_of(connection, limit.subject, _change_record(limit, change, sent, failed, now))
    adaptive_parameters.save(
        connection,
        ParameterRecord(
            limit.name,
            parameter.value,
            trend.short,
            trend.long,
            now,
            trend.samples,
            newest,
            parameter.turned_at,
            parameter.direction,
        ),
    )
    return parameter.value


def _change_record(
    limit: AdaptiveLimit, change: ParameterChange, sent: int, failed: int, now: datetime
) -> PolicyChange:
    figures = {
        "short": round(change.trend.short, 3),
        "long": round(change.trend.long, 3),
        "samples": change.trend.samples,
        "sent": sent,
        "failed": failed,
    }
    reason = f"{limit.about}: {change.reason}"
    return PolicyChange(now, limit.name, f"{change.before:g}", f"{change.parameter.value:g}", reason, figures)
