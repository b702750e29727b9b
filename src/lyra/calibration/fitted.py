"""A version in force: for each language that has one, the fit applied on top of the bundled calibration. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lyra.calibration.fits import apply_fit, covered_rows, log_rows
from lyra.calibration.scaling import softmax
from lyra.model.calibration import CalibrationFit, FittedVersion

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
        """Whether a fit speaks of any row."""
        return any(bool(covered_rows(fit, logs[_places(name, languages)]).any()) for name, fit in self.fits.items())


def split_version_name(name: str) -> tuple[str, int]:
    """The bundled calibration and the fitted version that `FittedCalibration.named` joined."""
    bundled, mark, version = name.rpartition(_MARK)
    return (bundled, int(version)) if mark and version.isdigit() else (name, 0)


def _places(language: str, languages: Sequence[str]) -> "NDArray[np.bool_]":
    import numpy as np

    return np.array([each == language for each in languages], bool)
