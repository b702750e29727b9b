"""How a parameter learns from what happens: two moving averages, limits, hysteresis. Pure.

§4.6: a short (0.3) and a long (0.1) exponential average; a parameter moves within its limits only, is tightened by one
threshold and relaxed by another, and does not change its direction within five minutes.
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
class AdaptiveParameter:
    """A parameter in force, when it last changed, and in which direction (1 up, -1 down, 0 never)."""

    name: str
    value: float
    turned_at: datetime | None = None
    direction: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """When a parameter is raised or lowered, by what factor, and how far; `lower_at` < `raise_at` is the hysteresis."""

    raise_at: float
    lower_at: float
    low: float
    high: float
    factor: float = 2.0
    min_samples: int = 1


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """A parameter that was changed, with the figures that caused it."""

    parameter: AdaptiveParameter
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


def adjust(parameter: AdaptiveParameter, trend: Trend, rule: Rule, now: datetime) -> ParameterChange | None:
    """Change the parameter as the rule says; None where it stays.

    It is raised as soon as the short average rises, and lowered only when both averages are low again.
    """
    if trend.samples < rule.min_samples:
        return None
    if trend.short >= rule.raise_at:
        direction, value = 1, min(rule.high, parameter.value * rule.factor)
        reason = f"the short average {trend.short:.2f} reached {rule.raise_at:.2f}"
    elif trend.short <= rule.lower_at and trend.long < rule.raise_at:
        direction, value = -1, max(rule.low, parameter.value / rule.factor)
        reason = f"the short average {trend.short:.2f} fell to {rule.lower_at:.2f}, the long one is {trend.long:.2f}"
    else:
        return None
    if value == parameter.value or _is_reversal_too_soon(parameter, direction, now):
        return None
    return ParameterChange(
        replace(parameter, value=value, turned_at=now, direction=direction), parameter.value, trend, reason
    )


def _is_reversal_too_soon(parameter: AdaptiveParameter, direction: int, now: datetime) -> bool:
    is_reversal = parameter.direction not in (0, direction)
    return is_reversal and parameter.turned_at is not None and now - parameter.turned_at < NO_REVERSAL
