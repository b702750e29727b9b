"""Scaling of logits before the softmax: one temperature, a scale and a bias for each class, or Platt's method. Pure.

All are fitted by Newton's method on the mean cross-entropy, which is convex in scale and bias; a weak pull towards
"leave as is" keeps few or one-sided samples from running away (Guo et al., 2017, with a ridge).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.errors import CalibrationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RIDGE = 1e-3
_PLATT_RIDGE = 1e-9  # the smoothed targets already keep a fit from running away
_EDGE = 1e-6
_STEPS = 100
_CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Scaling:
    """Class-wise `scale · logit + bias`; a temperature T is the scale 1/T for every class without bias."""

    scale: tuple[float, ...]
    bias: tuple[float, ...]

    def apply(self, logits: "ArrayLike") -> "NDArray[np.float64]":
        """Probabilities, one row per row of logits."""
        import numpy as np

        return softmax(np.asarray(logits, np.float64) * np.array(self.scale) + np.array(self.bias))


def softmax(logits: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    raised = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    chances: NDArray[np.float64] = raised / raised.sum(axis=1, keepdims=True)
    return chances


def fit_temperature(logits: "ArrayLike", labels: "ArrayLike", ridge: float = RIDGE) -> Scaling:
    """The one temperature that makes the labels most likely; a logit of -inf is a class that its row does not have."""
    import numpy as np

    rows = np.asarray(logits, np.float64)
    is_absent = np.isneginf(rows)
    rows, truth = _checked(np.where(is_absent, 0.0, rows), labels)
    if is_absent[np.arange(len(rows)), truth].any():
        raise CalibrationError("A fit needs labels that name a class of their row.")
    offset = np.where(is_absent, -np.inf, 0.0)
    target = np.eye(rows.shape[1])[truth]
    found = _newton(rows[:, :, None], target, start=np.array([1.0]), offset=offset, ridge=ridge)
    scale = max(float(found[0]), 1e-3)
    return Scaling((scale,) * rows.shape[1], (0.0,) * rows.shape[1])


def fit_vector(logits: "ArrayLike", labels: "ArrayLike", ridge: float = RIDGE) -> Scaling:
    """The class-wise scale and bias that make the labels most likely."""
    import numpy as np

    rows, truth = _checked(logits, labels)
    classes = rows.shape[1]
    design = np.concatenate([rows[:, :, None] * np.eye(classes), np.tile(np.eye(classes), (len(rows), 1, 1))], axis=2)
    start = np.concatenate([np.ones(classes), np.zeros(classes)])
    found = _newton(design, np.eye(classes)[truth], start=start, offset=np.zeros_like(rows), ridge=ridge)
    return Scaling(tuple(map(float, found[:classes])), tuple(map(float, found[classes:])))


def fit_platt(predictions: "ArrayLike", outcomes: "ArrayLike") -> tuple[float, float]:
    """`a` and `b` of sigmoid(a · logit + b) for single probabilities, with Platt's smoothed targets (1999).

    Needs both outcomes (0 and 1) among the samples.
    """
    import numpy as np

    chance, outcome = np.asarray(predictions, np.float64), np.asarray(outcomes, np.float64)
    if chance.ndim != 1 or chance.shape != outcome.shape or not np.isin(outcome, (0.0, 1.0)).all():
        raise CalibrationError("A Platt fit needs one outcome, 0 or 1, for each prediction.")
    if not np.isfinite(chance).all():
        raise CalibrationError("Predictions must be numbers between 0 and 1.")
    positives = float(outcome.sum())
    negatives = len(outcome) - positives
    if not positives or not negatives:
        raise CalibrationError(
            "A Platt fit needs samples of both outcomes.", remedy="Add samples that came out the other way."
        )
    inner = np.clip(chance, _EDGE, 1 - _EDGE)
    smoothed = np.where(outcome == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    design = np.zeros((len(inner), 2, 2))
    design[:, 0] = np.stack([np.log(inner / (1 - inner)), np.ones_like(inner)], axis=1)
    target = np.stack([smoothed, 1 - smoothed], axis=1)
    found = _newton(design, target, start=np.array([1.0, 0.0]), offset=np.zeros_like(target), ridge=_PLATT_RIDGE)
    return float(found[0]), float(found[1])


def _newton(
    design: "NDArray[np.float64]",
    target: "NDArray[np.float64]",
    start: "NDArray[np.float64]",
    offset: "NDArray[np.float64]",
    ridge: float,
) -> "NDArray[np.float64]":
    """Minimise mean cross-entropy of softmax(design · parameters + offset) plus the ridge around `start`."""
    import numpy as np

    parameters = start.copy()

    def loss(at: "NDArray[np.float64]") -> float:
        logs = np.log(np.maximum(softmax(design @ at + offset), 1e-300))
        return float(-(logs * target).sum(axis=1).mean() + ridge / 2 * ((at - start) ** 2).sum())

    for _ in range(_STEPS):
        chance = softmax(design @ parameters + offset)
        gradient = np.einsum("nk,nkp->p", chance - target, design) / len(design) + ridge * (parameters - start)
        weighted = chance[:, :, None] * design
        mean = weighted.sum(axis=1)
        curvature = np.einsum("nkp,nkq->pq", weighted, design) - mean.T @ mean
        step = np.linalg.solve(curvature / len(design) + ridge * np.eye(len(start)), gradient)
        parameters = parameters - _damped(step, parameters, loss)
        if float(np.abs(step).max()) < _CLOSE:
            break
    return parameters


def _damped(
    step: "NDArray[np.float64]", parameters: "NDArray[np.float64]", loss: Callable[["NDArray[np.float64]"], float]
) -> "NDArray[np.float64]":
    """The step, halved until it does not make things worse."""
    now = loss(parameters)
    for _ in range(30):
        if loss(parameters - step) <= now:
            return step
        step = step / 2
    return step


def _checked(logits: "ArrayLike", labels: "ArrayLike") -> "tuple[NDArray[np.float64], NDArray[np.intp]]":
    import numpy as np

    rows, truth = np.asarray(logits, np.float64), np.asarray(labels, np.intp)
    if rows.ndim != 2 or len(rows) != len(truth) or not len(rows):
        raise CalibrationError("A fit needs one label for each row of logits, and at least one row.")
    if not np.isfinite(rows).all() or truth.min() < 0 or truth.max() >= rows.shape[1]:
        raise CalibrationError("A fit needs finite logits and labels that name a class.")
    return rows, truth
