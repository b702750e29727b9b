"""What was learned of a domain, and what it was asked on a day."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


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
