"""How a parameter learns from what happens: two moving averages, limits, hysteresis, and no swinging back. Pure.

§4.6: a short (0.3) and a long (0.1) exponential average; a parameter moves within its limits only, is tightened by one
threshold and relaxed by another, and is not turned round within five minutes.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

SHORT = 0.3
LONG = 0.1
NO_REVERSAL = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Trend:
    """A quantity between 0 and 1 over time; `samples` says how much it rests on."""

    short: float
    long: float
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Knob:
    """A parameter in force, when it was last turned, and in which direction (1 up, -1 down, 0 never)."""

    name: str
    value: float
    turned_at: datetime | None = None
    direction: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """When a knob is turned up or down, by what factor, and how far; `lower_at` < `raise_at` is the hysteresis."""

    raise_at: float
    lower_at: float
    low: float
    high: float
    factor: float = 2.0
    min_samples: int = 1


@dataclass(frozen=True, slots=True)
class KnobChange:
    """A knob that was turned, with the figures that turned it."""

    knob: Knob
    before: float
    trend: Trend
    reason: str


def observe(trend: Trend, value: float) -> Trend:
    """The trend after one more observation."""
    return Trend(
        short=SHORT * value + (1 - SHORT) * trend.short,
        long=LONG * value + (1 - LONG) * trend.long,
        samples=trend.samples + 1,
    )


def adjust(knob: Knob, trend: Trend, rule: Rule, now: datetime) -> KnobChange | None:
    """Turn the knob as the rule says; None where it stays.

    It is turned up as soon as the short average rises, and down only when short and long have both calmed.
    """
    if trend.samples < rule.min_samples:
        return None
    if trend.short >= rule.raise_at:
        direction, value = 1, min(rule.high, knob.value * rule.factor)
        reason = f"the short average {trend.short:.2f} reached {rule.raise_at:.2f}"
    elif trend.short <= rule.lower_at and trend.long < rule.raise_at:
        direction, value = -1, max(rule.low, knob.value / rule.factor)
        reason = f"the short average {trend.short:.2f} fell to {rule.lower_at:.2f}, the long one is {trend.long:.2f}"
    else:
        return None
    if value == knob.value or _swings_back(knob, direction, now):
        return None
    return KnobChange(replace(knob, value=value, turned_at=now, direction=direction), knob.value, trend, reason)


def _swings_back(knob: Knob, direction: int, now: datetime) -> bool:
    is_reversal = knob.direction not in (0, direction)
    return is_reversal and knob.turned_at is not None and now - knob.turned_at < NO_REVERSAL
