"""Platt scaling of a single probability: sigmoid(a · logit + b), with Platt's smoothed targets (1999). Pure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.errors import CalibrationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

_EDGE = 1e-6
_RIDGE = 1e-6
_STEPS = 100
_CLOSE = 1e-10
_LONGEST_STEP = 2.0


@dataclass(frozen=True, slots=True)
class Platt:
    """`a` 1 and `b` 0 leave a probability as it is."""

    a: float = 1.0
    b: float = 0.0

    def apply(self, probabilities: "ArrayLike") -> "NDArray[np.float64]":
        return _sigmoid(self.a * _logit(probabilities) + self.b)


def fit_platt(predictions: "ArrayLike", outcomes: "ArrayLike") -> Platt:
    """The fit to predicted probabilities and what came true (0 or 1); needs both outcomes among the samples."""
    import numpy as np

    logit, outcome = _logit(predictions), np.asarray(outcomes, np.float64)
    if logit.ndim != 1 or logit.shape != outcome.shape or not np.isin(outcome, (0.0, 1.0)).all():
        raise CalibrationError("A Platt fit needs one outcome, 0 or 1, for each prediction.")
    positives = float(outcome.sum())
    negatives = len(outcome) - positives
    if not positives or not negatives:
        raise CalibrationError(
            "A Platt fit needs samples of both outcomes.", remedy="Add samples that came out the other way."
        )
    target = np.where(outcome == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    design = np.stack([logit, np.ones_like(logit)], axis=1)
    found = np.array([1.0, 0.0])
    for _ in range(_STEPS):
        chance = _sigmoid(design @ found)
        gradient = design.T @ (chance - target)
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + _RIDGE * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _EDGE))
        found = found - step
        if float(np.abs(step).max()) < _CLOSE:
            break
    return Platt(float(found[0]), float(found[1]))


def _logit(probabilities: "ArrayLike") -> "NDArray[np.float64]":
    import numpy as np

    inner = np.clip(np.asarray(probabilities, np.float64), _EDGE, 1 - _EDGE)
    if not np.isfinite(inner).all():
        raise CalibrationError("Predictions must be numbers between 0 and 1.")
    logit: NDArray[np.float64] = np.log(inner / (1 - inner))
    return logit


def _sigmoid(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    chance: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values, -60, 60)))
    return chance
