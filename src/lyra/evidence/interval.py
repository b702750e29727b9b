"""How far a confidence may be off: the range that holds 95 % of its Beta distribution."""

from functools import lru_cache
from math import exp, lgamma, log

_SHARE = 0.95
_PLACES = 3
_HALVINGS = 40  # halving [0, 1] so often finds a place to 12 digits
_MAX_STEPS = 300
_SMALL_STEP = 1e-12


@lru_cache(maxsize=1024)
def credible_interval(alpha: float, beta: float) -> tuple[float, float]:
    """The range with as much probability below it as above it, 2.5 % each; rounded here, so that interfaces that show
    fewer places show the same."""
    tail = (1 - _SHARE) / 2
    return round(_quantile(tail, alpha, beta), _PLACES), round(_quantile(1 - tail, alpha, beta), _PLACES)


def _quantile(share: float, alpha: float, beta: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _share_below(middle, alpha, beta) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _share_below(place: float, alpha: float, beta: float) -> float:
    """The regularised incomplete beta function. The fraction converges fast below the mean only, so that a place above
    it is counted from the other end."""
    if place > (alpha + 1) / (alpha + beta + 2):
        return 1 - _share_below(1 - place, beta, alpha)
    log_weight = lgamma(alpha + beta) - lgamma(alpha) - lgamma(beta) + alpha * log(place) + beta * log(1 - place)
    return exp(log_weight) / alpha / _continued_fraction(place, alpha, beta)


def _continued_fraction(place: float, alpha: float, beta: float) -> float:
    """1 + d1/(1 + d2/(1 + …)) of DLMF 8.17.22, by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, _MAX_STEPS):
        half = step // 2
        if step % 2:
            term = -(alpha + half) * (alpha + beta + half) * place / ((alpha + step - 1) * (alpha + step))
        else:
            term = half * (beta - half) * place / ((alpha + step - 1) * (alpha + step))
        lower = 1 / (1 + term * lower)
        upper = 1 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1) < _SMALL_STEP:
            break
    return value
