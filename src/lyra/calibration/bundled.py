"""The calibration that ships on the readers' cards: for each language, one scaling for each of the two answers."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lyra.errors import CalibrationError
from lyra.model.edge import ReaderAnswer

METHOD = "two_answers"
_NOT_LANGUAGES = frozenset({"method", "version"})
_QUESTIONS = ("bears", "side")


@dataclass(frozen=True, slots=True)
class Line:
    """A logit before it becomes a chance: `scale · logit + bias` (Platt scaling)."""

    scale: float = 1.0
    bias: float = 0.0

    def chance(self, logit: float) -> float:
        return chance_of(self.scale * logit + self.bias)


@dataclass(frozen=True, slots=True)
class TwoLines:
    """The scalings of both answers."""

    bears: Line = Line()
    side: Line = Line()


@dataclass(frozen=True, slots=True)
class TwoChances:
    """How likely a text bears on a claim, and, if it does, how likely it is for it."""

    bears: float
    side: float

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Of supports, refutes, neutral."""
        return self.bears * self.side, self.bears * (1 - self.side), 1 - self.bears


class Calibrator:
    """Answers to chances. `version` is stored beside what it shaped; other parameters or weights, another version.

    A card's `calibration` reads `{"method": "two_answers", "en": {"bears": {"scale": 1.1, "bias": -0.4}, "side":
    {"scale": 0.9, "bias": 0.0}}, "ja": …}`; without a language of its own, English serves.
    """

    def __init__(self, by_reader: Mapping[str, Mapping[str, Any]], model_ids: Iterable[str] = ()) -> None:
        self.version = _version(by_reader, sorted(model_ids))
        self._lines = {
            reader: {name: _two_lines(name, one) for name, one in values.items() if name not in _NOT_LANGUAGES}
            for reader, values in by_reader.items()
        }

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[TwoChances]:
        """For each answer its two calibrated chances, by its reader's scaling for its language."""
        if len(answers) != len(languages):
            raise CalibrationError("Calibration needs one language for each answer.")
        return [
            TwoChances(lines.bears.chance(answer.bears), lines.side.chance(answer.side))
            for answer, lines in zip(answers, map(self._for, answers, languages), strict=True)
        ]

    def _for(self, answer: ReaderAnswer, language: str) -> TwoLines:
        lines = self._lines.get(answer.reader, {})
        return lines.get(language) or lines.get("en") or TwoLines()


def chance_of(logit: float) -> float:
    """The logistic function, whatever the size of the logit."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    raised = math.exp(logit)
    return raised / (1 + raised)


def _version(by_reader: Mapping[str, Mapping[str, Any]], model_ids: Sequence[str]) -> str:
    written = json.dumps([by_reader, list(model_ids)], sort_keys=True, ensure_ascii=False)
    return f"{METHOD}-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def _two_lines(language: str, values: object) -> TwoLines:
    if not isinstance(values, Mapping) or set(values) != set(_QUESTIONS):
        raise _unfit(language, "it must hold a scaling for each of bears and side")
    return TwoLines(*(_line(language, name, values[name]) for name in _QUESTIONS))


def _line(language: str, name: str, values: object) -> Line:
    if not isinstance(values, Mapping) or set(values) != {"scale", "bias"} or not all(map(_is_finite, values.values())):
        raise _unfit(language, f"{name} must hold the numbers scale and bias")
    if values["scale"] <= 0:
        raise _unfit(language, f"the scale of {name} must be above 0")
    return Line(float(values["scale"]), float(values["bias"]))


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _unfit(language: str, reason: str) -> CalibrationError:
    return CalibrationError(
        f"The model card's calibration for {language!r} is unfit: {reason}.",
        remedy="Reinstall lyra-mcp, or correct the card of the weights in models.directory.",
    )
