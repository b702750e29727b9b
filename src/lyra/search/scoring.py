"""Scores of a search: engines by weight, branches by UCB1, addresses by reciprocal rank. Pure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lyra.ids import derived_id
from lyra.model.domain import ServiceHealth
from lyra.model.search import Candidate, EngineAnswer, PageYield, SerpItem
from lyra.search.engine import Engine
from lyra.urls import canonical
from lyra.word_lists import word_lists

# Auer, Cesa-Bianchi, Fischer (2002); rewards here are shares of useful pages, well below 1, hence the small constant.
_EXPLORATION = 0.3
# A prior weighs as much as this many pages.
_PRIOR_PAGES = 5.0

# What derived queries have been worth before any is tried here; mirrors beyond Japanese and English begin small.
PRIORS: Mapping[str, float] = {
    "keywords": 0.5,
    "mirror:en": 0.45,
    "mirror:ja": 0.4,
    "synonym": 0.35,
    "page": 0.3,
    "normal-form": 0.3,
    "split": 0.2,
    "phrase": 0.2,
    "mirror:de": 0.1,
    "mirror:fr": 0.1,
    "mirror:zh": 0.1,
}
_UNKNOWN = 0.2
# Past yield moves a weight by half or double at most, and only as experience grows.
_LEAST_FACTOR, _MOST_FACTOR = 0.5, 2.0
_ENGINE_PRIOR_PAGES = 20.0
_LEAST_HEALTH = 0.3
_CATEGORIES = ("academic", "government", "news", "technical")
# Cormack, Clarke, Büttcher (2009): k = 60 is robust over collections.
_K = 60


def expected_share(family: str, known: PageYield) -> float:
    """The share of useful pages to be expected of a family of rules: the prior, moved by what was read."""
    prior = PRIORS.get(family, _UNKNOWN)
    return (known.useful + prior * _PRIOR_PAGES) / (known.read + _PRIOR_PAGES)


def upper_bound(mean: float, tried: float, total: float) -> float:
    """UCB1: the mean and a bonus for what was tried rarely."""
    return mean + _EXPLORATION * math.sqrt(2 * math.log(max(total, 1.0) + 1.0) / max(tried, 1.0))


def branch_value(family: str, yields: Mapping[str, PageYield]) -> float:
    """How promising the next query of a family is, given what all families have yielded."""
    known = yields.get(family, PageYield())
    total = sum(one.read for one in yields.values())
    return upper_bound(expected_share(family, known), known.read + _PRIOR_PAGES, total + _PRIOR_PAGES * len(PRIORS))


def page_value(score: float, branch: str | None, yields: Mapping[str, PageYield]) -> float:
    """An address's score, weighed by how its branch has fared in this search: an untried branch keeps it whole."""
    known = yields.get(branch or "", PageYield())
    if not known.read:
        return score
    total = sum(one.read for one in yields.values())
    bound = upper_bound(known.useful / known.read, known.read, total)
    return score * (0.5 + 0.5 * min(1.0, bound))


@dataclass(frozen=True, slots=True)
class EngineWeight:
    """An engine's weight for a question and how it came about.

    `skipped` says why it is not asked now, `wait_s` for how long.
    """

    engine: str
    weight: float
    base: float
    strength: float
    health: float
    yielded: float
    skipped: str | None = None
    wait_s: float | None = None

    @property
    def why(self) -> str:
        parts = f"base {self.base:g} × category {self.strength:g} × health {self.health:.2f} × yield {self.yielded:.2f}"
        return f"{parts}; {self.skipped}" if self.skipped else parts


def category_of(query: str) -> str:
    """academic, government, news, technical, else general: the first whose vocabulary the query shows."""
    lists = word_lists("lyra.search", "queries", "en", "ja")
    return next((name for name in _CATEGORIES if lists.pattern(name).search(query)), "general")


def health_factor(health: ServiceHealth | None) -> float:
    """Between 0.3 and 1: sound answers of the last hour and day, less what had drifted."""
    if health is None:
        return 1.0
    sound = 0.5 * health.success_1h + 0.5 * health.success_24h - 0.25 * health.drift_24h
    return max(_LEAST_HEALTH, min(1.0, sound))


def yield_factor(engine: str, yields: Mapping[str, PageYield]) -> float:
    """Between 0.5 and 2: an engine's share of useful pages against that of all, drawn to 1 while little is known."""
    read = sum(one.read for one in yields.values())
    useful = sum(one.useful for one in yields.values())
    if not read or not useful:
        return 1.0
    usual = useful / read
    own = yields.get(engine, PageYield())
    share = (own.useful + usual * _ENGINE_PRIOR_PAGES) / (own.read + _ENGINE_PRIOR_PAGES)
    return max(_LEAST_FACTOR, min(_MOST_FACTOR, share / usual))


def engine_weight(
    engine: Engine, category: str, health: ServiceHealth | None, yields: Mapping[str, PageYield], **skipped: object
) -> EngineWeight:
    """The engine's weight now."""
    strength, sound, yielded = engine.strength(category), health_factor(health), yield_factor(engine.id, yields)
    weight = round(engine.weight * strength * sound * yielded, 4)
    return EngineWeight(engine.id, weight, engine.weight, strength, sound, yielded, **skipped)  # type: ignore[arg-type]


def by_weight(engine_weights: Iterable[EngineWeight]) -> tuple[EngineWeight, ...]:
    """The weightiest first."""
    return tuple(sorted(engine_weights, key=lambda one: (-one.weight, one.engine)))


def fuse_answers(
    answers: Iterable[EngineAnswer],
    weights: Mapping[str, float],
    referers: Mapping[tuple[str, str], str],
    search_id: str,
) -> tuple[Candidate, ...]:
    """Every address once as a candidate of the search, best first: the sum over its places of weight / (60 + rank)."""
    places: dict[str, list[tuple[float, SerpItem, str]]] = {}
    for answer in answers:
        for item in answer.items:
            share = weights.get(answer.engine, 1.0) / (_K + item.rank)
            places.setdefault(canonical(item.url), []).append((share, item, answer.query))
    fused: list[Candidate] = []
    for url, found in places.items():
        _, best, query = max(found, key=lambda place: place[0])
        fused.append(
            Candidate(
                id=derived_id("r", search_id, url),
                search_id=search_id,
                url=url,
                title=best.title,
                snippet=best.snippet or max((item.snippet for _, item, _ in found), key=len),
                engine=best.engine,
                rank=best.rank,
                score=sum(share for share, _, _ in found),
                referer=referers.get((best.engine, query)),
                derived_query=query,
                date=best.date or next((item.date for _, item, _ in found if item.date), None),
            )
        )
    return tuple(sorted(fused, key=lambda one: (-one.score, one.url)))
