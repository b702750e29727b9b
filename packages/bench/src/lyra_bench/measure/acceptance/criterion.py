"""What a criterion is, and what comes of one: figures, their bars, met or not, and how they were measured."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lyra_bench.measure.acceptance.bench import Bench

Bar = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """Measured values by name; one that could not be measured here is None, and `missing` says why."""

    values: Mapping[str, float | None]
    missing: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the specification. `how` says what is measured, and where that is less than the line demands."""

    id: str
    title: str
    bars: Mapping[str, Bar]
    how: str
    measure: "Callable[[Bench], Awaitable[Figures]]"


def is_met(values: Mapping[str, float | None], bars: Mapping[str, Bar]) -> bool | None:
    """False where a figure misses its bar; None where none does, but one was not measured."""
    passed = [None if values.get(name) is None else _passes(values[name], bar) for name, bar in bars.items()]
    if any(one is False for one in passed):
        return False
    return None if None in passed else True


def _passes(value: float | None, bar: Bar) -> bool:
    assert value is not None
    return value >= bar[1] if bar[0] == ">=" else value <= bar[1]


def result_fields(
    criterion: Criterion, found: Figures, seconds: float, measured_at: str, *, is_quick: bool
) -> dict[str, Any]:
    """A criterion as the JSON shows it; one with a single figure has it without a name."""
    names = list(criterion.bars)
    values = {name: found.values.get(name) for name in names}
    bars = {name: f"{sign} {limit:g}" for name, (sign, limit) in criterion.bars.items()}
    is_single = len(names) == 1
    return {
        "title": criterion.title,
        "value": values[names[0]] if is_single else values,
        "bar": bars[names[0]] if is_single else bars,
        "met": is_met(values, criterion.bars),
        "how": criterion.how,
        **({"not_measured": dict(found.missing)} if found.missing else {}),
        **({"details": dict(found.details)} if found.details else {}),
        "seconds": round(seconds, 1),
        "measured_at": measured_at,
        "is_quick": is_quick,
    }


def share(part: int, whole: int) -> float | None:
    """None where there is nothing to divide by."""
    return round(part / whole, 4) if whole else None
