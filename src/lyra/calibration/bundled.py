"""The calibration that ships on the readers' cards: for each language, one scaling for each of the two answers."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lyra.errors import CalibrationError
from lyra.model.edge import ReaderAnswer

METHOD = "two_answers"
# On a card: how the answer counts where an earlier reader was asked, too.
AVERAGED = "averaged"
# So much of what the earlier reader says counts then, where the card does not say.
EARLIER_SHARE = 0.3
_NOT_LANGUAGES = frozenset({"method", "version", AVERAGED})
_QUESTIONS = ("bears", "side")
_SHARE = "earlier_share"
_LEAST_CHANCE = 1e-9


@dataclass(frozen=True, slots=True)
class LinearScaling:
    """A logit before it becomes a chance: `scale · logit + bias` (Platt scaling)."""

    scale: float = 1.0
    bias: float = 0.0

    def chance(self, logit: float) -> float:
        return logistic(self.scale * logit + self.bias)


@dataclass(frozen=True, slots=True)
class AnswerScalings:
    """The scalings of both answers."""

    bears: LinearScaling = LinearScaling()
    side: LinearScaling = LinearScaling()


@dataclass(frozen=True, slots=True)
class Averaging:
    """How much of an earlier reader's probabilities counts, and the scalings of the average by language."""

    earlier_share: float = EARLIER_SHARE
    scalings: Mapping[str, AnswerScalings] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CalibratedAnswer:
    """How likely a text bears on a claim, and, if it does, how likely it is for it."""

    bears: float
    side: float

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Of supports, refutes, neutral."""
        return self.bears * self.side, self.bears * (1 - self.side), 1 - self.bears


class BundledCalibration:
    """Answers to chances. `version` is stored beside what it shaped; other parameters or weights, another version.

    A card's `calibration` reads `{"method": "two_answers", "en": {"bears": {"scale": 1.1, "bias": -0.4}, "side":
    {"scale": 0.9, "bias": 0.0}}, "ja": …}`; without a language of its own, English serves. Of a reader that is asked
    after another one, `averaged` may hold `earlier_share` and scalings of the average by language: the average of two
    readers is too modest.
    """

    def __init__(self, by_reader: Mapping[str, Mapping[str, Any]], model_ids: Iterable[str] = ()) -> None:
        self.version = _version(by_reader, sorted(model_ids))
        self._lines = {
            reader: {name: _parse_scalings(name, one) for name, one in values.items() if name not in _NOT_LANGUAGES}
            for reader, values in by_reader.items()
        }
        self._averaging = {
            reader: _parse_averaging(values[AVERAGED]) for reader, values in by_reader.items() if AVERAGED in values
        }

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        """For each answer its two calibrated chances, by its reader's scaling for its language."""
        if len(answers) != len(languages):
            raise CalibrationError("Calibration needs one language for each answer.")
        return [self._chances(answer, language) for answer, language in zip(answers, languages, strict=True)]

    def _chances(self, answer: ReaderAnswer, language: str) -> CalibratedAnswer:
        lines = self._for(answer, language)
        own = CalibratedAnswer(lines.bears.chance(answer.bears), lines.side.chance(answer.side))
        if answer.earlier is None:
            return own
        averaging = self._averaging.get(answer.reader, Averaging())
        mean = _mean_of(own, self._chances(answer.earlier, language), averaging.earlier_share)
        return _scaled(mean, averaging.scalings.get(language) or averaging.scalings.get("en"))

    def _for(self, answer: ReaderAnswer, language: str) -> AnswerScalings:
        lines = self._lines.get(answer.reader, {})
        return lines.get(language) or lines.get("en") or AnswerScalings()


def _mean_of(own: CalibratedAnswer, earlier: CalibratedAnswer, share: float) -> CalibratedAnswer:
    """The chances whose probabilities are the weighted mean of those of both."""
    supports, refutes, _ = (
        (1 - share) * one + share * other for one, other in zip(own.probabilities, earlier.probabilities, strict=True)
    )
    bears = supports + refutes
    return CalibratedAnswer(bears, supports / bears if bears > 0 else 0.5)


def _scaled(mean: CalibratedAnswer, scalings: AnswerScalings | None) -> CalibratedAnswer:
    """The average with its chances scaled as logits."""
    if scalings is None:
        return mean
    return CalibratedAnswer(scalings.bears.chance(_logit(mean.bears)), scalings.side.chance(_logit(mean.side)))


def _logit(chance: float) -> float:
    """Of a chance, however near to 0 or 1."""
    inside = min(max(chance, _LEAST_CHANCE), 1 - _LEAST_CHANCE)
    return math.log(inside / (1 - inside))


def logistic(logit: float) -> float:
    """The logistic function, whatever the size of the logit."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    raised = math.exp(logit)
    return raised / (1 + raised)


def _version(by_reader: Mapping[str, Mapping[str, Any]], model_ids: Sequence[str]) -> str:
    written = json.dumps([by_reader, list(model_ids)], sort_keys=True, ensure_ascii=False)
    return f"{METHOD}-{hashlib.sha256(written.encode()).hexdigest()[:8]}"


def _parse_averaging(values: object) -> Averaging:
    if not isinstance(values, Mapping):
        raise _invalid(AVERAGED, "it must hold a share and scalings by language")
    share = values.get(_SHARE, EARLIER_SHARE)
    if not _is_finite(share) or not 0 <= share <= 1:
        raise _invalid(AVERAGED, f"{_SHARE} must lie between 0 and 1")
    return Averaging(float(share), {name: _parse_scalings(name, one) for name, one in values.items() if name != _SHARE})


def _parse_scalings(language: str, values: object) -> AnswerScalings:
    if not isinstance(values, Mapping) or set(values) != set(_QUESTIONS):
        raise _invalid(language, "it must hold a scaling for each of bears and side")
    return AnswerScalings(*(_parse_scaling(language, name, values[name]) for name in _QUESTIONS))


def _parse_scaling(language: str, name: str, values: object) -> LinearScaling:
    if not isinstance(values, Mapping) or set(values) != {"scale", "bias"} or not all(map(_is_finite, values.values())):
        raise _invalid(language, f"{name} must hold the numbers scale and bias")
    if values["scale"] <= 0:
        raise _invalid(language, f"the scale of {name} must be above 0")
    return LinearScaling(float(values["scale"]), float(values["bias"]))


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _invalid(language: str, reason: str) -> CalibrationError:
    return CalibrationError(
        f"The model card's calibration for {language!r} is unfit: {reason}.",
        remedy="Reinstall lyra-mcp, or correct the card of the weights in models.directory.",
    )
