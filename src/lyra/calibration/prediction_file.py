"""Predictions and labels from a file, for `lyra calibrate evaluate`."""

from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams
from lyra.jsonl import bad_row, json_lines


def read_predictions(path: Path) -> tuple[list[Any], list[Any]]:
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
