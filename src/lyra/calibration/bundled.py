"""The calibration that ships on a stance model's card: one scaling for each language, and a default."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lyra.calibration.scaling import Scaling, identity
from lyra.errors import CalibrationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLASSES = 3
UNCALIBRATED = "uncalibrated"
_NOT_LANGUAGES = frozenset({"method", "version"})


class Calibrator:
    """Logits to probabilities (supports, refutes, neutral). `version` is stored beside what it shaped.

    The card's `calibration` reads `{"method": "vector", "en": {"temperature": 1.3, "bias": [0.1, -0.2, 0.1]},
    "ja": {"scale": [0.9, 0.8, 0.9]}, "default": …}`: a language's probabilities are the softmax of
    `scale · logits / temperature + bias`, each part optional. Without a default, English serves the other languages.
    """

    def __init__(self, calibration: Mapping[str, Any]) -> None:
        self.version = _version(calibration)
        self._scalings = {
            language: _scaling(language, values)
            for language, values in calibration.items()
            if language not in _NOT_LANGUAGES
        }
        self._fallback = self._scalings.get("default") or self._scalings.get("en") or identity(CLASSES)

    def apply(self, logits: "NDArray[np.floating]", languages: Sequence[str]) -> "NDArray[np.float64]":
        """Calibrated probabilities, one row per row of logits, each by its language's scaling."""
        import numpy as np

        if len(logits) != len(languages):
            raise CalibrationError("Calibration needs one language for each row of logits.")
        rows = np.zeros((len(logits), CLASSES))
        for language in set(languages):
            at = np.array([each == language for each in languages], bool)
            rows[at] = self._scalings.get(language, self._fallback).apply(np.asarray(logits)[at])
        return rows


def _version(calibration: Mapping[str, Any]) -> str:
    """The method and a digest of the parameters: another fit has another version."""
    if not calibration:
        return UNCALIBRATED
    written = json.dumps(calibration, sort_keys=True, ensure_ascii=False)
    return f"{calibration.get('method', 'scaling')}-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def _scaling(language: str, values: object) -> Scaling:
    if not isinstance(values, Mapping) or not values or not set(values) <= {"temperature", "scale", "bias"}:
        raise _unfit(language, "it must hold a temperature, a scale or a bias")
    temperature = values.get("temperature", 1.0)
    scale, bias = values.get("scale", [1.0] * CLASSES), values.get("bias", [0.0] * CLASSES)
    if not _are_numbers([temperature], 1) or temperature <= 0:
        raise _unfit(language, "the temperature must be a number above 0")
    if not _are_numbers(scale, CLASSES) or not _are_numbers(bias, CLASSES):
        raise _unfit(language, f"scale and bias must be lists of {CLASSES} numbers")
    return Scaling(tuple(value / temperature for value in scale), tuple(map(float, bias)))


def _are_numbers(values: object, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) for value in values
        )
    )


def _unfit(language: str, reason: str) -> CalibrationError:
    return CalibrationError(
        f"The model card's calibration for {language!r} is unfit: {reason}.",
        remedy="Reinstall lyra-mcp, or correct the card of the weights in models.directory.",
    )
