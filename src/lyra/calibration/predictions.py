"""Predictions, outcomes and times as a caller or a file gives them, checked."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.jsonl import bad_row, json_lines
from lyra.model.calibration import STANCES, CalibrationSource

MOST_AT_ONCE = 100_000
_SUM_SLACK = 0.02

Prediction = float | Sequence[float]
Actual = bool | float | str


def read_pair(
    source: CalibrationSource, prediction: Prediction, actual: Actual, where: str = ""
) -> tuple[tuple[float, ...], int]:
    """Probabilities and the place of what came true: (true, false), or (supports, refutes, neutral) of a stance."""
    if isinstance(prediction, int | float):
        chance = _probability(prediction, where)
        return (chance, 1 - chance), _truth(actual, where)
    is_triple = isinstance(prediction, list | tuple) and len(prediction) == len(STANCES)
    if source is not CalibrationSource.NLI_JUDGE or not is_triple:
        raise _wrong(where, "a prediction is one probability, or for nli_judge three: supports, refutes, neutral")
    chances = tuple(_probability(each, where) for each in prediction)
    total = sum(chances)
    if abs(total - 1) > _SUM_SLACK:
        raise _wrong(where, f"the three probabilities add up to {total:.3f}, not to 1")
    return tuple(each / total for each in chances), _stance(actual, where)


def read_pairs(
    source: CalibrationSource, predictions: Sequence[Prediction], labels: Sequence[Actual]
) -> list[tuple[tuple[float, ...], int]]:
    """Many of them; an error names the first bad one."""
    if not predictions or len(predictions) != len(labels):
        raise InvalidParams(
            f"There are {len(predictions)} predictions and {len(labels)} labels.",
            remedy="Give two lists of the same length, at least 1.",
        )
    if len(predictions) > MOST_AT_ONCE:
        raise InvalidParams(
            f"There are {len(predictions)} predictions; at most {MOST_AT_ONCE} are evaluated at once.",
            remedy="Evaluate a random part of them.",
            details={"limit": MOST_AT_ONCE},
        )
    return [
        read_pair(source, prediction, label, f"number {place}: ")
        for place, (prediction, label) in enumerate(zip(predictions, labels, strict=True))
    ]


def stance_index(actual: Actual, judged: str | None) -> int:
    """Which stance a correction names; `True` confirms the one that was judged."""
    if actual in (True, "true") and judged in STANCES:
        return STANCES.index(judged)
    return _stance(actual, "")


def read_since(text: str) -> datetime:
    """A date or time in ISO 8601 as UTC, which it is taken for where it names no zone."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # the first and last hours of the calendar have no UTC in every zone
        raise InvalidParams(
            f"since is {text[:40]!r}, which is not a date.", remedy="Write it as 2026-01-31 or 2026-01-31T09:30:00Z."
        ) from None


def _probability(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise _wrong(where, f"a prediction must be a number from 0 to 1, not {str(value)[:20]}")
    return float(value)


def _truth(actual: Actual, where: str) -> int:
    if actual in (True, "true"):  # 1 and 1.0 are equal to True
        return 0
    if actual in (False, "false"):
        return 1
    raise _wrong(where, f"what came true of one probability is true or false, not {str(actual)[:20]!r}")


def _stance(actual: Actual, where: str) -> int:
    if not isinstance(actual, str) or actual not in STANCES:
        raise _wrong(where, f"what is true of a stance is supports, refutes or neutral, not {str(actual)[:20]!r}")
    return STANCES.index(actual)


def _wrong(where: str, reason: str) -> InvalidParams:
    message = f"{where}{reason}."
    return InvalidParams(message[0].upper() + message[1:], remedy="Correct the prediction or what came true.")


def read_prediction_file(path: Path) -> tuple[list[Any], list[Any]]:
    """Rows `prediction label`: a probability and true or false, or three probabilities and a stance."""
    predictions, labels = [], []
    for number, row in json_lines(path):
        if "prediction" not in row or "label" not in row:
            raise bad_row(path, number, "it needs 'prediction' and 'label'")
        predictions.append(row["prediction"])
        labels.append(row["label"])
    if not predictions:
        raise InvalidParams(f"{path} has no rows.", remedy="Give a file with one prediction a line.")
    return predictions, labels
