"""A measured figure, or that it is not known and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Metric:
    """`value` is None where nothing was measured; `basis` is how many observations it rests on."""

    name: str
    help: str
    value: float | None
    basis: int = 0
    labels: Mapping[str, str] = field(default_factory=dict)
    why_unknown: str | None = None
