"""Fits on top of a model's own calibration: how one is applied, undone, scored and chosen. Pure.

Predictions are rows of log-probabilities of three classes. A single probability (true, false) has no third class, which
is written as -inf. Temperature fits both kinds; Platt's method is for single probabilities, and its form for several
classes, vector scaling, for stances.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lyra.calibration.scaling import RIDGE, Scaling, fit_platt, fit_temperature, fit_vector, softmax
from lyra.errors import CalibrationError
from lyra.model.calibration import CalibrationFit, CalibrationSource, FitMethod, FittedVersion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLASSES = 3
METHODS = {
    CalibrationSource.NLI_JUDGE: (FitMethod.TEMPERATURE, FitMethod.VECTOR),
    CalibrationSource.LLM_EXTRACT: (FitMethod.TEMPERATURE, FitMethod.PLATT),
}
# People report mistakes more readily than hits: from one-sided samples any model looks hopeless, or perfect.
LEAST_OF_EACH = 5
# "Leave as is" weighs as much as this many samples, and a fit must be better by one standard error: of the values
# tried, these were worth most over honest, overconfident and biased judges with 50 to 200 samples.
_PRIOR_SAMPLES = 10
_STANDARD_ERRORS = 1.0
_EDGE = 1e-9
_TINIEST = 1e-300
_HALVINGS = 80
_SCALE_RANGE = (0.05, 20.0)
_BIAS_RANGE = (-10.0, 10.0)


@dataclass(frozen=True, slots=True)
class FitTrial:
    """The result of trying to fit: the fit to adopt, or why none is. Scores are on samples the fit had not seen."""

    fit: CalibrationFit | None
    brier_before: float
    brier_after: float | None
    reason: str


def log_rows(
    predictions: "Sequence[Sequence[float]] | NDArray[np.float64]", least: float = _EDGE
) -> "NDArray[np.float64]":
    """Rows of log-probabilities from (true, false) or (supports, refutes, neutral); none is taken below `least`."""
    import numpy as np

    rows = [(*each, *([0.0] * (CLASSES - len(each)))) for each in predictions]
    widths = np.array([len(each) for each in predictions], np.intp)
    logs: NDArray[np.float64] = np.log(np.clip(np.array(rows, np.float64).reshape(-1, CLASSES), least, 1.0))
    logs[np.arange(CLASSES) >= widths[:, None]] = -np.inf
    return logs


def has_three_classes(logs: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    """Which rows have all three classes."""
    import numpy as np

    return np.asarray(np.isfinite(logs).all(axis=1), bool)


def covered_rows(fit: CalibrationFit, logs: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    """The rows a fit applies to; the others it leaves as they are."""
    import numpy as np

    is_stance = has_three_classes(logs)
    if fit.method is FitMethod.TEMPERATURE:
        return np.ones(len(logs), bool)
    return is_stance if fit.method is FitMethod.VECTOR else ~is_stance


def apply_fit(fit: CalibrationFit | None, logs: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Probabilities, one row per row of log-probabilities."""
    rows = softmax(logs)
    if fit is not None and len(rows):
        at = covered_rows(fit, logs)
        rows[at] = scaling_of(fit).apply(logs[at])
    return rows


def undo_fit(fit: CalibrationFit, probabilities: Sequence[float]) -> tuple[float, ...]:
    """The probabilities to which the fit was applied.

    The softmax lost its normaliser; it is the one with which the probabilities found add up to 1.
    """
    import numpy as np

    logs = log_rows([probabilities], least=_TINIEST)
    if not covered_rows(fit, logs)[0]:
        return tuple(probabilities)
    width, scaling = len(probabilities), scaling_of(fit)
    scale, shifted = np.array(scaling.scale[:width]), logs[0, :width] - np.array(scaling.bias[:width])
    low, high = float((scale * np.log(1 / width) - shifted).min()), float((-shifted).min())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_too_much = np.exp((shifted + middle) / scale).sum() > 1
        low, high = (low, middle) if is_too_much else (middle, high)
    row = np.exp((shifted + low) / scale)
    return tuple(float(value) for value in row / row.sum())


def scaling_of(fit: CalibrationFit) -> Scaling:
    """The fit as a scale and a bias of log-probabilities."""
    values = fit.parameters
    if fit.method is FitMethod.TEMPERATURE:
        return Scaling((1 / values["temperature"],) * CLASSES, (0.0,) * CLASSES)
    if fit.method is FitMethod.PLATT:  # sigmoid(a · logit + b) is the softmax of (a · log p + b, a · log(1 - p))
        return Scaling((values["a"],) * CLASSES, (values["b"], 0.0, 0.0))
    return Scaling(tuple(values["scale"]), tuple(values["bias"]))


def brier_of(probabilities: "NDArray[np.float64]", truth: "NDArray[np.intp]") -> float:
    """Half the multi-class Brier score: for a single probability the usual one, and for stances on the same 0 to 1."""
    return float(_errors(probabilities, truth).mean())


def _errors(probabilities: "NDArray[np.float64]", truth: "NDArray[np.intp]") -> "NDArray[np.float64]":
    import numpy as np

    errors: NDArray[np.float64] = ((probabilities - np.eye(CLASSES)[truth]) ** 2).sum(axis=1) / 2
    return errors


def decisions(
    logs: "NDArray[np.float64]", probabilities: "NDArray[np.float64]", truth: "NDArray[np.intp]"
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Confidence and outcome of each row: a single probability as it is, a stance by its likeliest class."""
    import numpy as np

    is_stance = has_three_classes(logs)
    top = probabilities.argmax(axis=1)
    confidence = np.where(is_stance, probabilities.max(axis=1, initial=0.0), probabilities[:, 0])
    outcome = np.where(is_stance, top == truth, truth == 0).astype(np.float64)
    return np.clip(confidence, 0.0, 1.0), outcome


def fit_by(method: FitMethod, logs: "NDArray[np.float64]", truth: "NDArray[np.intp]") -> CalibrationFit:
    """Fit by one method to the rows it applies to; CalibrationError where they do not suffice or the fit is extreme."""
    import numpy as np

    ridge = max(RIDGE, _PRIOR_SAMPLES / max(len(logs), 1))
    if method is FitMethod.TEMPERATURE:
        found = fit_temperature(logs, truth, ridge)
        fit = CalibrationFit(method, {"temperature": 1 / found.scale[0]})
    elif method is FitMethod.PLATT:
        single = ~has_three_classes(logs)
        a, b = fit_platt(np.exp(logs[single, 0]), truth[single] == 0)
        fit = CalibrationFit(method, {"a": a, "b": b})
    else:
        stance = has_three_classes(logs)
        found = fit_vector(logs[stance], truth[stance], ridge)
        fit = CalibrationFit(method, {"scale": list(found.scale), "bias": list(found.bias)})
    _check_bounds(fit)
    return fit


def _check_bounds(fit: CalibrationFit) -> None:
    """A fit must keep the order of probabilities and stay reversible."""
    scaling = scaling_of(fit)
    least, most = _SCALE_RANGE
    low, high = _BIAS_RANGE
    if not all(least <= value <= most for value in scaling.scale) or not all(low <= b <= high for b in scaling.bias):
        raise CalibrationError("The samples give no sensible fit.", remedy="Add more samples, right and wrong ones.")


def try_fits(
    source: CalibrationSource,
    logs: "NDArray[np.float64]",
    truth: "NDArray[np.intp]",
    current: CalibrationFit | None,
    *,
    folds: int,
    min_improvement: float,
) -> FitTrial:
    """The best of the source's methods, if on samples it has not seen it beats what is applied now.

    Each fold in turn is predicted by a fit to the others; the fit to adopt is then made from all samples.
    """
    now = _errors(apply_fit(current, logs), truth)
    before = float(now.mean())
    _, outcome = decisions(logs, apply_fit(None, logs), truth)
    scarce = int(min(outcome.sum(), len(outcome) - outcome.sum()))
    if scarce < LEAST_OF_EACH:
        which = "right" if outcome.mean() < 0.5 else "wrong"
        return FitTrial(None, before, None, f"only {scarce} samples are {which}; {LEAST_OF_EACH} are needed")
    unseen = {method: _unseen_errors(method, logs, truth, folds) for method in METHODS[source]}
    tried = {method: errors for method, errors in unseen.items() if errors is not None}
    if not tried:
        return FitTrial(None, before, None, "no method gave a sensible fit")
    best = min(tried, key=lambda method: float(tried[method].mean()))
    after = float(tried[best].mean())
    gains = now - tried[best]
    standard_error = float(gains.std(ddof=1)) / len(gains) ** 0.5
    if before - after <= max(min_improvement * before, _STANDARD_ERRORS * standard_error):
        return FitTrial(None, before, after, "the fit is not clearly better on samples it has not seen")
    return FitTrial(fit_by(best, logs, truth), before, after, "better on samples it has not seen")


def _unseen_errors(
    method: FitMethod, logs: "NDArray[np.float64]", truth: "NDArray[np.intp]", folds: int
) -> "NDArray[np.float64] | None":
    """Each sample's error when predicted by a fit to the other folds; None where a fold could not be fitted."""
    import numpy as np

    fold = np.arange(len(logs)) % folds
    rows = np.zeros_like(logs)
    try:
        for each in range(folds):
            rows[fold == each] = apply_fit(fit_by(method, logs[fold != each], truth[fold != each]), logs[fold == each])
        fit_by(method, logs, truth)
    except CalibrationError:
        return None
    return _errors(rows, truth)


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MARK = "+v"


@dataclass(frozen=True, slots=True)
class FittedCalibration:
    """Version 0 has no fit and changes nothing."""

    version: int = 0
    fits: Mapping[str, CalibrationFit] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[FittedVersion]) -> "FittedCalibration":
        found = tuple(rows)
        return cls(found[0].version, {row.language: row.fit for row in found}) if found else cls()

    def named(self, bundled: str) -> str:
        """What is stored beside a judgement: the bundled calibration and, where there is one, the fitted version."""
        return f"{bundled}{_MARK}{self.version}" if self.version else bundled

    def apply(self, probabilities: "NDArray[np.float64]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """Rows (supports, refutes, neutral), each by its language's fit; the others stay as they are."""
        return self.apply_logs(log_rows(probabilities), languages) if self.fits else probabilities

    def apply_logs(self, logs: "NDArray[np.float64]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """The same from log-probabilities, where a class may be absent."""
        rows = softmax(logs)
        for language, fit in self.fits.items():
            at = _places(language, languages)
            rows[at] = apply_fit(fit, logs[at])
        return rows

    def touches(self, logs: "NDArray[np.float64]", languages: Sequence[str]) -> bool:
        """Whether a fit applies to any row."""
        return any(bool(covered_rows(fit, logs[_places(name, languages)]).any()) for name, fit in self.fits.items())


def split_version_name(name: str) -> tuple[str, int]:
    """The bundled calibration and the fitted version that `FittedCalibration.named` joined."""
    bundled, mark, version = name.rpartition(_MARK)
    return (bundled, int(version)) if mark and version.isdigit() else (name, 0)


def _places(language: str, languages: Sequence[str]) -> "NDArray[np.bool_]":
    import numpy as np

    return np.array([each == language for each in languages], bool)
