"""Figures of a calibration: Brier and calibration error before and after a fit, and whether they grew worse. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.calibration.fits import brier_of, decisions, log_rows
from lyra.calibration.fitted import FittedCalibration
from lyra.calibration.scaling import softmax
from lyra.calibration.scores import expected_calibration_error, reliability_bins
from lyra.model.calibration import Evaluation, ReliabilityBin

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROUNDING = 1e-9
LabelledPredictions = Sequence[tuple[tuple[float, ...], int]]


@dataclass(frozen=True, slots=True)
class CalibrationFigures:
    """`brier_calibrated` is None where no fit speaks of the predictions; error and bins are of what is applied."""

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
    """What the pairs say of the predictions, as they are and with the fits."""
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
