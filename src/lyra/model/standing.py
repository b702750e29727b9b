"""How sources stand: a domain's trust and rest, an engine's health, a site's robots.txt."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.trust import TrustLevel


@dataclass(frozen=True, slots=True)
class DomainRecord:
    """What is remembered of a domain. `failures` counts refusals in a row.

    `trust_level` is None until something was decided about this domain here: the list of known domains holds.
    """

    domain: str
    updated_at: datetime
    trust_level: TrustLevel | None = None
    trust_reason: str = ""
    original_trust_level: TrustLevel | None = None
    blocked_at: datetime | None = None
    cause_id: str | None = None
    cooldown_until: datetime | None = None
    failures: int = 0
    last_outcome: str | None = None


@dataclass(frozen=True, slots=True)
class DomainStatus:
    """How a domain stands now. `origin` says who decided its level: override, learned, list, or none of them.

    `otherwise` is the level it would have without the user's override.
    """

    domain: str
    trust_level: TrustLevel
    reason: str
    origin: str
    otherwise: TrustLevel
    cooldown_until: datetime | None = None
    failures: int = 0
    last_outcome: str | None = None
    cause_id: str | None = None


class BreakerState(StrEnum):
    """A circuit breaker: closed lets requests through, half-open one, open none."""

    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class EngineHealth:
    """What is remembered of a search engine or academic API.

    Shares of its answers over about an hour and a day: sound, asking for a human, read only by structure.
    """

    engine: str
    updated_at: datetime
    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    open_until: datetime | None = None
    last_outcome: str | None = None
    last_reason: str | None = None
    success_1h: float = 1.0
    success_24h: float = 1.0
    captcha_24h: float = 0.0
    drift_24h: float = 0.0
    latency_s: float | None = None
    asked_day: str | None = None
    asked_today: int = 0


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """A site's robots.txt as it was answered."""

    origin: str
    body: str
    status_code: int
    fetched_at: datetime
