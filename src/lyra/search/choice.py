"""Which engines a question goes to: base weight, strength for its category, health and past yield. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.model.domain import EngineHealth
from lyra.model.search import PageYield
from lyra.search.engine import Engine
from lyra.word_lists import word_lists

# Past yield moves a weight by half or double at most, and only as experience grows.
_LEAST_FACTOR, _MOST_FACTOR = 0.5, 2.0
_PRIOR_PAGES = 20.0
_LEAST_HEALTH = 0.3
_CATEGORIES = ("academic", "government", "news", "technical")


@dataclass(frozen=True, slots=True)
class Standing:
    """An engine's weight for a question and how it came about.

    `skipped` says why it is not asked now, `wait_s` for how long.
    """

    engine: str
    weight: float
    base: float
    strength: float
    health: float
    learnt: float
    skipped: str | None = None
    wait_s: float | None = None

    @property
    def why(self) -> str:
        parts = f"base {self.base:g} × category {self.strength:g} × health {self.health:.2f} × yield {self.learnt:.2f}"
        return f"{parts}; {self.skipped}" if self.skipped else parts


def category_of(query: str) -> str:
    """academic, government, news, technical, else general: the first whose vocabulary the query shows."""
    lists = word_lists("lyra.search", "queries", "en", "ja")
    return next((name for name in _CATEGORIES if lists.pattern(name).search(query)), "general")


def health_factor(health: EngineHealth | None) -> float:
    """Between 0.3 and 1: sound answers of the last hour and day, less what had drifted."""
    if health is None:
        return 1.0
    sound = 0.5 * health.success_1h + 0.5 * health.success_24h - 0.25 * health.drift_24h
    return max(_LEAST_HEALTH, min(1.0, sound))


def learnt_factor(engine: str, yields: Mapping[str, PageYield]) -> float:
    """Between 0.5 and 2: an engine's share of useful pages against that of all, drawn to 1 while little is known."""
    read = sum(one.read for one in yields.values())
    useful = sum(one.useful for one in yields.values())
    if not read or not useful:
        return 1.0
    usual = useful / read
    own = yields.get(engine, PageYield())
    share = (own.useful + usual * _PRIOR_PAGES) / (own.read + _PRIOR_PAGES)
    return max(_LEAST_FACTOR, min(_MOST_FACTOR, share / usual))


def standing(
    engine: Engine, category: str, health: EngineHealth | None, yields: Mapping[str, PageYield], **skipped: object
) -> Standing:
    """The engine's weight now."""
    strength, sound, learnt = engine.strength(category), health_factor(health), learnt_factor(engine.id, yields)
    weight = round(engine.weight * strength * sound * learnt, 4)
    return Standing(engine.id, weight, engine.weight, strength, sound, learnt, **skipped)  # type: ignore[arg-type]


def by_weight(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """The weightiest first."""
    return tuple(sorted(standings, key=lambda one: (-one.weight, one.engine)))
