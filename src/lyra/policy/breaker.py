"""A circuit breaker: an engine that fails twice in a row is left alone for a while, then tried once. Pure."""

from dataclasses import replace
from datetime import datetime, timedelta

from lyra.model.domain import BreakerState, ServiceHealth
from lyra.settings import Politeness

# §4.3: a circuit stays open for 30 minutes (`cooldown_min_s`) to 120 minutes.
_LONGEST_S = 7200.0
# No rest is longer, whatever a server asks for; a clock that was ahead may have noted one.
_LONGEST_REST_S = 86_400.0


def current(health: ServiceHealth, now: datetime) -> ServiceHealth:
    """The state at a moment: an open circuit whose time is over lets one trial through."""
    if health.state is BreakerState.OPEN and (health.open_until is None or now >= health.open_until):
        return replace(health, state=BreakerState.HALF_OPEN, open_until=None, updated_at=now)
    return health


def wait_s(health: ServiceHealth, now: datetime) -> float:
    """Seconds until a request may be sent; 0 where the circuit is closed or half open."""
    latest = current(health, now)
    if latest.state is not BreakerState.OPEN or latest.open_until is None:
        return 0.0
    return min((latest.open_until - now).total_seconds(), _LONGEST_REST_S)


def succeeded(health: ServiceHealth, now: datetime, outcome: str) -> ServiceHealth:
    """After an answer, even an empty one: closed, and the row of failures is over."""
    return ServiceHealth(health.name, now, last_outcome=outcome)


def failed(
    health: ServiceHealth,
    now: datetime,
    settings: Politeness,
    outcome: str,
    reason: str | None,
    retry_after_s: float | None = None,
) -> ServiceHealth:
    """After a refusal, failure or time-out: `cooldown_after` in a row, a failed trial or a Retry-After open it."""
    latest = current(health, now)
    failures = latest.failures + 1
    noted = replace(latest, failures=failures, last_outcome=outcome, last_reason=reason, updated_at=now)
    if latest.state is BreakerState.CLOSED and failures < settings.cooldown_after and not retry_after_s:
        return noted
    rest = timedelta(seconds=open_s(failures, retry_after_s, settings))
    return replace(noted, state=BreakerState.OPEN, open_until=now + rest)


def open_s(failures: int, retry_after_s: float | None, settings: Politeness) -> float:
    """Seconds the circuit stays open: doubled with every further failure, Retry-After heeded, at most two hours."""
    doublings = min(max(0, failures - settings.cooldown_after), 8)
    longest = max(settings.cooldown_min_s, min(settings.cooldown_max_s, _LONGEST_S))
    grown = min(settings.cooldown_min_s * 2.0**doublings, longest)
    return max(grown, min(retry_after_s or 0.0, longest))
