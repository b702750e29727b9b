"""Which branch of a search is followed next: UCB1 on harvest, with a prior where nothing is known yet. Pure."""

import math
from collections.abc import Mapping

from lyra.model.search import PageYield

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


def expected(family: str, known: PageYield) -> float:
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
    return upper_bound(expected(family, known), known.read + _PRIOR_PAGES, total + _PRIOR_PAGES * len(PRIORS))


def page_value(score: float, branch: str | None, yields: Mapping[str, PageYield]) -> float:
    """An address's score, weighed by how its branch has fared in this search: an untried branch keeps it whole."""
    known = yields.get(branch or "", PageYield())
    if not known.read:
        return score
    total = sum(one.read for one in yields.values())
    bound = upper_bound(known.useful / known.read, known.read, total)
    return score * (0.5 + 0.5 * min(1.0, bound))
