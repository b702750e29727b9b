"""What is remembered of domains, engines and sites: trust, cooldown, health, learned policy, site search."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lyra.model.page import FetchOutcome
from lyra.model.trust import TrustLevel, TrustOrigin


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
    last_outcome: FetchOutcome | None = None


@dataclass(frozen=True, slots=True)
class DomainStatus:
    """The current status of a domain. `origin` says who decided its level.

    `otherwise` is the level it would have without the user's override.
    """

    domain: str
    trust_level: TrustLevel
    reason: str
    origin: TrustOrigin
    otherwise: TrustLevel
    cooldown_until: datetime | None = None
    failures: int = 0
    last_outcome: FetchOutcome | None = None
    cause_id: str | None = None


class BreakerState(StrEnum):
    """A circuit breaker: closed lets requests through, half-open one, open none."""

    CLOSED = "closed"
    HALF_OPEN = "half_open"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ServiceHealth:
    """How a domain, search engine or API answers: its circuit breaker and its cooldown, which ends at `open_until`.

    `name` is `domain:…`, `engine:…` or `api:…`; `failures` counts those in a row. Shares of answers over about an hour
    and a day: sound, asking for a human, read only by structure. `last_outcome` is a `FetchOutcome` of a domain and a
    `SearchOutcome` of an engine or API.
    """

    name: str
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


@dataclass(frozen=True, slots=True)
class DomainHabit:
    """How a domain treats us. Shares are moving averages: `_short` reacts at once, `_long` remembers.

    `pause_factor` lengthens the pause between requests. `rung` is where fetches begin until `rung_until`,
    once it has worked `rung_hits` times where lighter ones did not.
    """

    domain: str
    updated_at: datetime
    samples: int = 0
    success_short: float = 1.0
    success_long: float = 1.0
    refusal_short: float = 0.0
    refusal_long: float = 0.0
    tor_samples: int = 0
    tor_short: float = 0.5
    tor_long: float = 0.5
    pause_factor: float = 1.0
    pause_changed_at: datetime | None = None
    pause_direction: int = 0
    rung: str | None = None
    rung_reason: str | None = None
    rung_until: datetime | None = None
    rung_hits: int = 0
    tor_barred_until: datetime | None = None
    last_challenge: str | None = None
    last_challenge_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """Requests by rung on one day, over all domains or to one."""

    by_rung: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.by_rung.values())

    def of(self, rung: str) -> int:
        return self.by_rung.get(rung, 0)


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """One entry of the journal of changes: the parameter, from what to what, why, and the figures."""

    changed_at: datetime
    parameter: str
    before: str | None
    after: str | None
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DomainPolicySummary:
    """How a domain is asked now, and how that came about; `pause_s` is the least time between two requests.

    `qps` is the rate that it begins with: the user's own for the domain where `is_own_qps`, else everybody's.
    """

    habit: DomainHabit
    today: RequestCounts
    pause_s: float
    qps: float
    is_own_qps: bool
    first_rung: str
    first_reason: str
    barred: Mapping[str, str]
    changes: tuple[PolicyChange, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchForm:
    """How a site is asked: the words go into `parameter`, `hidden` fields go along."""

    action: str
    parameter: str
    method: str = "GET"
    hidden: tuple[tuple[str, str], ...] = ()
    needs_browser: bool = False


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """What is remembered of a site's search; `skipped_on` is the day (UTC) on which it is left alone."""

    domain: str
    updated_at: datetime
    form: SearchForm | None = None
    successes: int = 0
    failures: int = 0
    failures_in_row: int = 0
    skipped_on: str | None = None
    last_reason: str | None = None
