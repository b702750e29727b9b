"""How engines and sites fare: circuit breakers, averages and quotas, and their rows for `lyra engines`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock, day_of
from lyra.model.domain import PolicyChange, ServiceHealth
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.policy import adaptive, breaker
from lyra.settings import Politeness
from lyra.storage import domain_policies, service_health
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

_MAX_REASON_CHARS = 300
# The newest answer counts as in every pair of averages, more after a silence (SPEC §9).
_SHORT, _LONG = (adaptive.SHORT, 3600.0), (adaptive.LONG, 86_400.0)
DRIFTED = "The page has drifted"
UNSERVED = "The engine gave no result page"


@dataclass(frozen=True, slots=True)
class EngineHealthStore:
    """Reads and moves what is known of engines."""

    db: Database
    clock: Clock
    politeness: Politeness

    async def all(self) -> Mapping[str, ServiceHealth]:
        """What is known of each engine that was ever asked, as it is now."""
        known = await self.db.read(service_health.all, "engine")
        return {one.name.removeprefix("engine:"): breaker.current(one, self.clock.now()) for one in known}

    async def wait_s(self, engine: str) -> float:
        """Seconds until the engine may be asked; 0 where it may be asked now."""
        known = await self.db.read(service_health.get, f"engine:{engine}")
        return breaker.wait_s(known, self.clock.now()) if known else 0.0

    async def record(self, answer: EngineAnswer, elapsed_s: float = 0.0) -> None:
        """Move the circuit and the averages by an answer that a request brought."""
        await self.db.write(_record, answer, elapsed_s, self.clock.now(), self.politeness)

    async def count_request(self, engine: str, quota: int | None) -> bool:
        """Count a request against the day's quota; False where it is used up."""
        return await self.db.write(_count_request, engine, quota, self.clock.now())

    async def uncount_request(self, engine: str) -> None:
        """A request that was counted and never sent."""
        await self.db.write(_uncount_request, engine, self.clock.now())


def requests_left_today(health: ServiceHealth | None, quota: int | None, now: datetime) -> int | None:
    """Requests left today (UTC); none where there is no quota."""
    if quota is None:
        return None
    used = health.asked_today if health is not None and health.asked_day == day_of(now) else 0
    return max(0, quota - used)


def updated_averages(
    before: ServiceHealth, after: ServiceHealth, answer: EngineAnswer, elapsed_s: float
) -> ServiceHealth:
    """The averages after an answer: `after` is what the circuit breaker made of `before`."""
    silence_s = max(0.0, (after.updated_at - before.updated_at).total_seconds())
    is_sound = float(answer.outcome.is_answer)
    latency = before.latency_s if before.latency_s is not None else elapsed_s
    return replace(
        after,
        success_1h=_average(before.success_1h, is_sound, silence_s, _SHORT),
        success_24h=_average(before.success_24h, is_sound, silence_s, _LONG),
        captcha_24h=_average(before.captcha_24h, float(answer.challenge is not None), silence_s, _LONG),
        drift_24h=_average(before.drift_24h, float(_has_drifted(answer)), silence_s, _LONG),
        latency_s=_average(latency, elapsed_s, silence_s, _SHORT),
        asked_day=before.asked_day,
        asked_today=before.asked_today,
    )


def _average(old: float, new: float, silence_s: float, pace: tuple[float, float]) -> float:
    least, period_s = pace
    share = max(least, 1.0 - math.exp(-silence_s / period_s))
    return round(old + share * (new - old), 4)


def _has_drifted(answer: EngineAnswer) -> bool:
    """Whether a page came that the selectors do not fit; an error or timeout of the server does not count."""
    reason = answer.reason or ""
    return reason.startswith(DRIFTED) or (answer.outcome is SearchOutcome.FAILED and not reason.startswith(UNSERVED))


def _known(connection: "Connection", engine: str, now: datetime) -> ServiceHealth:
    name = f"engine:{engine}"
    return service_health.get(connection, name) or ServiceHealth(name, now)


def _record(
    connection: "Connection", answer: EngineAnswer, elapsed_s: float, now: datetime, politeness: Politeness
) -> None:
    before = _known(connection, answer.engine, now)
    outcome = answer.outcome.value
    if answer.outcome.is_answer:
        after = breaker.succeeded(before, now, outcome)
    else:
        reason = (answer.reason or "")[:_MAX_REASON_CHARS]
        after = breaker.failed(before, now, politeness, outcome, reason, answer.retry_after_s)
    health = updated_averages(before, after, answer, elapsed_s)
    service_health.save(connection, health)
    stored = breaker.current(before, now)  # an open circuit whose time was over let this trial through
    if health.state is not stored.state:
        domain_policies.note_change_of(connection, health.name, circuit_change(stored, health, now))


def circuit_change(before: ServiceHealth, after: ServiceHealth, now: datetime) -> PolicyChange:
    """What the journal says of a circuit that has opened or closed, with the figures behind it."""
    figures = {
        "failures": max(before.failures, after.failures),
        "success_1h": after.success_1h,
        "success_24h": after.success_24h,
    }
    if after.open_until is not None:
        figures["open_s"] = round((after.open_until - now).total_seconds(), 1)
    reason = f"{after.last_outcome}: {after.last_reason}" if after.last_reason else f"{after.last_outcome}"
    return PolicyChange(now, "circuit", before.state.value, after.state.value, reason, figures)


def _count_request(connection: "Connection", engine: str, quota: int | None, now: datetime) -> bool:
    known = _known(connection, engine, now)
    used = known.asked_today if known.asked_day == day_of(now) else 0
    if quota is not None and used >= quota:
        return False
    service_health.save(connection, replace(known, asked_day=day_of(now), asked_today=used + 1))
    return True


def _uncount_request(connection: "Connection", engine: str, now: datetime) -> None:
    known = _known(connection, engine, now)
    if known.asked_day == day_of(now):
        service_health.save(connection, replace(known, asked_today=max(0, known.asked_today - 1)))
