"""Predictions and labels in a file."""

from pathlib import Path

from lyra.calibration.predictions import read_prediction_file


def test_predictions_are_read_as_they_stand(tmp_path: Path) -> None:
    """What they mean is checked where they are used."""
    path = tmp_path / "gold.jsonl"
    path.write_text('{"prediction": 0.8, "label": true}\n{"prediction": [1, 0, 0], "label": "neutral"}\n', "utf-8")

    assert read_prediction_file(path) == ([0.8, [1, 0, 0]], [True, "neutral"])
