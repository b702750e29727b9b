"""Figures of a calibration: Brier, calibration error, reliability bins, and whether they grew worse. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.calibration.fits import FittedCalibration, brier_of, decisions, log_rows
from lyra.calibration.scaling import softmax
from lyra.errors import CalibrationError
from lyra.model.calibration import Evaluation, ReliabilityBin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

BINS = 10


def brier_classes(probabilities: "ArrayLike", labels: "ArrayLike") -> float:
    """Multi-class Brier score: mean squared distance to the true class's corner; 0 is perfect, 2 the worst."""
    import numpy as np

    rows, truth = np.asarray(probabilities, np.float64), np.asarray(labels, np.intp)
    if rows.ndim != 2 or len(rows) != len(truth) or not len(rows):
        raise CalibrationError("A Brier score needs one label for each row of probabilities, and at least one row.")
    return float(((rows - np.eye(rows.shape[1])[truth]) ** 2).sum(axis=1).mean())


def reliability_bins(confidences: "ArrayLike", outcomes: "ArrayLike", count: int = BINS) -> tuple[ReliabilityBin, ...]:
    """The reliability diagram: equal-width bins with their mean confidence and share of true outcomes."""
    import numpy as np

    confidence, outcome = _paired(confidences, outcomes)
    places = np.minimum((confidence * count).astype(np.intp), count - 1)
    return tuple(_bin(place, count, confidence[places == place], outcome[places == place]) for place in range(count))


def expected_calibration_error(confidences: "ArrayLike", outcomes: "ArrayLike", count: int = BINS) -> float:
    """Expected calibration error: the bins' gap between confidence and accuracy, weighted by their size."""
    found = reliability_bins(confidences, outcomes, count)
    total = sum(each.count for each in found)
    return sum(each.count * abs(each.confidence - each.accuracy) for each in found) / total


def _bin(place: int, count: int, confidence: "NDArray[np.float64]", outcome: "NDArray[np.float64]") -> ReliabilityBin:
    size = len(confidence)
    means = (float(confidence.mean()), float(outcome.mean())) if size else (0.0, 0.0)
    return ReliabilityBin(place / count, (place + 1) / count, size, *means)


def _paired(confidences: "ArrayLike", outcomes: "ArrayLike") -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    import numpy as np

    confidence, outcome = np.asarray(confidences, np.float64), np.asarray(outcomes, np.float64)
    if confidence.ndim != 1 or confidence.shape != outcome.shape or not len(confidence):
        raise CalibrationError("Confidences and outcomes must be two lists of the same length, at least 1.")
    if not (np.isfinite(confidence).all() and confidence.min() >= 0 and confidence.max() <= 1):
        raise CalibrationError("Confidences must lie between 0 and 1.")
    if not np.isin(outcome, (0.0, 1.0)).all():
        raise CalibrationError("Outcomes must be 0 or 1.")
    return confidence, outcome


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDING = 1e-9
LabelledPredictions = Sequence[tuple[tuple[float, ...], int]]


@dataclass(frozen=True, slots=True)
class CalibrationFigures:
    """`brier_calibrated` is None where no fit applies to the predictions; error and bins are of what is applied."""

    brier: float
    brier_calibrated: float | None
    improvement_ratio: float
    ece: float
    bins: tuple[ReliabilityBin, ...]

    @property
    def brier_applied(self) -> float:
        return self.brier if self.brier_calibrated is None else self.brier_calibrated


@dataclass(frozen=True, slots=True)
class Degradation:
    """The last two evaluations of a source, where the newer is worse; `worsening` is the share by which Brier grew."""

    latest: Evaluation
    previous: Evaluation
    worsening: float


def to_arrays(pairs: LabelledPredictions) -> "tuple[NDArray[np.float64], NDArray[np.intp]]":
    """Log-probabilities and truth of checked pairs."""
    import numpy as np

    return log_rows([probabilities for probabilities, _ in pairs]), np.array([truth for _, truth in pairs], np.intp)


def measure(pairs: LabelledPredictions, languages: Sequence[str], fitted: FittedCalibration) -> CalibrationFigures:
    """The figures of the predictions, as they are and with the fits."""
    logs, truth = to_arrays(pairs)
    before = brier_of(softmax(logs), truth)
    applied = fitted.apply_logs(logs, languages)
    after = brier_of(applied, truth) if fitted.touches(logs, languages) else None
    gain = (before - after) / before if after is not None and before else 0.0
    confidence, outcome = decisions(logs, applied, truth)
    return CalibrationFigures(
        before, after, gain, expected_calibration_error(confidence, outcome), reliability_bins(confidence, outcome)
    )


def find_degradation(newest: Sequence[Evaluation], limit: float) -> Degradation | None:
    """Whether the latest evaluation (the first) is at least `limit` worse than the one before (SPEC §7)."""
    if len(newest) < 2:
        return None
    latest, previous = newest[0], newest[1]
    grown = latest.brier_applied - previous.brier_applied
    worsening = grown / previous.brier_applied if previous.brier_applied else float(grown > 0)
    return Degradation(latest, previous, worsening) if worsening >= limit - _ROUNDING else None
