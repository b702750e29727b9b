"""How long a domain rests after it has refused us: a pure rule, and the domain's record in the database."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.model.domain import BreakerState, PolicyChange, ServiceHealth
from lyra.model.page import FetchOutcome
from lyra.policy import breaker
from lyra.settings import Politeness
from lyra.storage import domain_policies, service_health
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

# A server may ask for patience, not for eternity.
_LONGEST_REQUESTED_S = 86_400.0
_CONCERN_ONE_PAGE = frozenset({"login", "consent"})
# A block page may come with the status of a page.
_REFUSALS = frozenset({200, 202, 403, 429, 999})


def is_refusal(outcome: FetchOutcome, status_code: int | None, challenge: str | None = None) -> bool:
    """Whether the visitor was refused; a log-in, a paywall or a missing page concerns only that page.

    Silence counts as a refusal too (§4.3): many guards let a connection hang.
    """
    if outcome is FetchOutcome.CHALLENGE:
        return challenge not in _CONCERN_ONE_PAGE
    if outcome is FetchOutcome.TIMED_OUT:
        return True
    return outcome is FetchOutcome.BLOCKED and status_code in _REFUSALS


def was_served(outcome: FetchOutcome) -> bool:
    """Whether the server served us, which ends a row of refusals."""
    return outcome in (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND)


def rest_s(failures: int, retry_after_s: float | None, settings: Politeness) -> float:
    """Seconds of rest after the n-th refusal in a row: `min(base·2^(failures//3), max)`, and never less than asked.

    Below `cooldown_after` refusals a domain rests only where the server itself said when to come back.
    """
    asked = requested_s(retry_after_s)
    if failures < settings.cooldown_after and asked == 0.0:
        return 0.0
    # Past 2^32 the exponent only matters to arithmetic: the maximum has long been reached.
    grown = min(settings.cooldown_min_s * 2.0 ** min(failures // 3, 32), settings.cooldown_max_s)
    return max(grown, settings.cooldown_min_s, asked)


def requested_s(retry_after_s: float | None) -> float:
    """The pause that a server asked for, within reason."""
    return min(max(0.0, retry_after_s or 0.0), _LONGEST_REQUESTED_S)


def breaker_state(failures: int, cooldown_until: datetime | None, now: datetime, settings: Politeness) -> BreakerState:
    """The domain's circuit: open while it rests, half open until an answer shows whether that was enough."""
    if cooldown_until is not None and now < cooldown_until:
        return BreakerState.OPEN
    return BreakerState.HALF_OPEN if failures >= settings.cooldown_after else BreakerState.CLOSED


class Cooldown:
    """Remembers, for all processes, which domains and APIs have refused us and until when they rest."""

    def __init__(self, db: Database, clock: Clock, settings: Politeness) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings

    async def remaining_s(self, name: str) -> float:
        """Seconds that `domain:…` or `api:…` still rests; 0 where it may be asked."""
        health = await self._db.read(service_health.get, name)
        return 0.0 if health is None else max(0.0, breaker.wait_s(health, self._clock.now()))

    async def note(
        self,
        domain: str,
        outcome: FetchOutcome,
        status_code: int | None,
        retry_after_s: float | None,
        challenge: str | None = None,
    ) -> float:
        """Count how a request ended; answers how long the domain rests because of it, in seconds."""
        is_refused = is_refusal(outcome, status_code, challenge)
        now = self._clock.now()
        return await self._db.write(_note, domain, outcome, is_refused, retry_after_s, now, self._settings)

    async def note_answer(self, name: str, outcome: FetchOutcome, rest_s: float = 0.0) -> None:
        """An API has answered, or is overloaded and rests for so long; an answer changes only what was failing."""
        known = await self._db.read(service_health.get, name)
        if not rest_s and (known is None or not known.failures):
            return
        await self._db.write(_note_answer, name, outcome, rest_s, self._clock.now())


def _note(
    connection: "Connection",
    domain: str,
    outcome: FetchOutcome,
    is_refused: bool,
    retry_after_s: float | None,
    now: datetime,
    settings: Politeness,
) -> float:
    name = f"domain:{domain}"
    before = service_health.get(connection, name) or ServiceHealth(name, now)
    failures, rest = before.failures, 0.0
    if is_refused:
        failures += 1
        rest = rest_s(failures, retry_after_s, settings)
    elif was_served(outcome):
        failures = 0
    elif outcome is FetchOutcome.FAILED:
        rest = requested_s(retry_after_s)
    service_health.save(connection, _with_cooldown(before, outcome, failures, rest, now))
    if rest:
        change = cooldown_event(before.open_until, outcome, rest, failures, retry_after_s, now)
        domain_policies.note_change(connection, domain, change, None)
    return rest


def _note_answer(connection: "Connection", name: str, outcome: FetchOutcome, rest_s: float, now: datetime) -> None:
    before = service_health.get(connection, name) or ServiceHealth(name, now)
    failures = before.failures + 1 if rest_s else 0
    service_health.save(connection, _with_cooldown(before, outcome, failures, rest_s, now))


def _with_cooldown(
    before: ServiceHealth, outcome: FetchOutcome, failures: int, rest_s: float, now: datetime
) -> ServiceHealth:
    return replace(
        before,
        state=BreakerState.OPEN if rest_s else BreakerState.CLOSED,
        failures=failures,
        open_until=now + timedelta(seconds=rest_s) if rest_s else None,
        last_outcome=outcome.value,
        updated_at=now,
    )


def cooldown_event(
    resting_until: datetime | None,
    outcome: FetchOutcome,
    rest: float,
    failures: int,
    retry_after_s: float | None,
    now: datetime,
) -> PolicyChange:
    """What the journal says of a rest, with the figures that caused it."""
    left_s = max(0.0, (resting_until - now).total_seconds()) if resting_until else 0.0
    figures = {"failures": failures, "retry_after_s": round(retry_after_s or 0.0, 1)}
    in_a_row = f"refusals in a row: {failures}" if failures else ""
    asked = f"the server asked for {retry_after_s:.0f} s" if retry_after_s else ""
    reason = "; ".join(filter(None, (outcome.value, in_a_row, asked)))
    return PolicyChange(now, "cooldown_s", f"{left_s:.0f}", f"{rest:.0f}", reason, figures)
