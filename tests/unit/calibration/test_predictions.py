"""Predictions and outcomes as given."""

import math
from pathlib import Path
from typing import Any

import pytest

from lyra.calibration.predictions import (
    MOST_AT_ONCE,
    read_pair,
    read_pairs,
    read_prediction_file,
    read_since,
    stance_index,
)
from lyra.errors import InvalidParams
from lyra.model.calibration import CalibrationSource

NLI, LLM = CalibrationSource.NLI_JUDGE, CalibrationSource.LLM_EXTRACT


@pytest.mark.parametrize(
    ("prediction", "actual", "expected"),
    [
        pytest.param(0.75, True, ((0.75, 0.25), 0), id="came true"),
        pytest.param(0.75, 0, ((0.75, 0.25), 1), id="0 is false"),
        pytest.param(1, "true", ((1.0, 0.0), 0), id="as words"),
        pytest.param([0.5, 0.25, 0.25], "neutral", ((0.5, 0.25, 0.25), 2), id="a stance"),
        pytest.param([0.5, 0.25, 0.24], "refutes", ((0.5 / 0.99, 0.25 / 0.99, 0.24 / 0.99), 1), id="rounded"),
    ],
)
def test_predictions_are_read(prediction: Any, actual: Any, expected: tuple[tuple[float, ...], int]) -> None:
    """One probability with true or false, three with a stance."""
    probabilities, truth = read_pair(NLI, prediction, actual)

    assert (probabilities, truth) == (pytest.approx(expected[0]), expected[1])


@pytest.mark.parametrize(
    ("source", "prediction", "actual", "message"),
    [
        pytest.param(
            NLI, [0.5, 0.25, 0.28], "supports", "The three probabilities add up to 1.030, not to 1.", id="sum too large"
        ),
        pytest.param(NLI, 1.2, True, "A prediction must be a number from 0 to 1, not 1.2.", id="above 1"),
        pytest.param(NLI, -0.1, True, "A prediction must be a number from 0 to 1, not -0.1.", id="below 0"),
        pytest.param(NLI, math.nan, True, "A prediction must be a number from 0 to 1, not nan.", id="NaN"),
        pytest.param(NLI, math.inf, True, "A prediction must be a number from 0 to 1, not inf.", id="infinite"),
        pytest.param(NLI, True, True, "A prediction must be a number from 0 to 1, not True.", id="a truth value"),
        pytest.param(
            NLI,
            [0.5, 0.5],
            "supports",
            "A prediction is one probability, or for nli_judge three: supports, refutes, neutral.",
            id="two probabilities",
        ),
        pytest.param(
            LLM,
            [0.5, 0.25, 0.25],
            "supports",
            "A prediction is one probability, or for nli_judge three: supports, refutes, neutral.",
            id="a stance of llm_extract",
        ),
        pytest.param(
            NLI,
            None,
            True,
            "A prediction is one probability, or for nli_judge three: supports, refutes, neutral.",
            id="nothing",
        ),
        pytest.param(
            NLI, [0.9, 0.9, 0.9], "supports", "The three probabilities add up to 2.700, not to 1.", id="no distribution"
        ),
        pytest.param(
            NLI, 0.5, "supports", "What came true of one probability is true or false, not 'supports'.", id="mismatch"
        ),
        pytest.param(
            NLI,
            [0.5, 0.3, 0.2],
            True,
            "What is true of a stance is supports, refutes or neutral, not 'True'.",
            id="mismatch the other way",
        ),
        pytest.param(NLI, 0.5, {}, "What came true of one probability is true or false, not '{}'.", id="an object"),
    ],
)
def test_unfit_predictions_are_refused(source: CalibrationSource, prediction: Any, actual: Any, message: str) -> None:
    """The error says what is wrong, and nothing is guessed."""
    with pytest.raises(InvalidParams) as caught:
        read_pair(source, prediction, actual)

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        pytest.param([], [], "There are 0 predictions and 0 labels.", id="empty"),
        pytest.param([0.5], [1, 0], "There are 1 predictions and 2 labels.", id="uneven"),
        pytest.param(
            [0.5] * (MOST_AT_ONCE + 1),
            [1] * (MOST_AT_ONCE + 1),
            "There are 100001 predictions; at most 100000 are evaluated at once.",
            id="too many",
        ),
        pytest.param([0.5, "x"], [1, 0], "Number 1: a prediction is one probability, or for nli_judge three: "
                     "supports, refutes, neutral.", id="a bad one is named"),
    ],
)  # fmt: skip
def test_unfit_lists_are_refused(predictions: list[Any], labels: list[Any], message: str) -> None:
    """Empty, uneven or huge lists, and the place of a bad value."""
    with pytest.raises(InvalidParams) as caught:
        read_pairs(NLI, predictions, labels)

    assert caught.value.message == message


@pytest.mark.parametrize(
    ("actual", "judged", "expected"),
    [("refutes", "supports", 1), (True, "neutral", 2), ("true", "supports", 0), ("supports", None, 0)],
)
def test_a_correction_names_the_stance_or_confirms_it(actual: Any, judged: str | None, expected: int) -> None:
    """`true` says that the edge was judged right."""
    assert stance_index(actual, judged) == expected


@pytest.mark.parametrize(("actual", "judged"), [(False, "supports"), (True, None), ("cites", "supports")])
def test_a_correction_that_says_only_wrong_is_refused(actual: Any, judged: str | None) -> None:
    """Which of the other two stances is right must be said."""
    with pytest.raises(InvalidParams) as caught:
        stance_index(actual, judged)

    assert caught.value.code == "INVALID_PARAMS"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-14", "2026-03-14T00:00:00+00:00"),
        ("2026-03-14T09:30:00Z", "2026-03-14T09:30:00+00:00"),
        ("2026-03-14T18:30:00+09:00", "2026-03-14T09:30:00+00:00"),
    ],
)
def test_times_are_read_in_utc_unless_they_say_otherwise(text: str, expected: str) -> None:
    """ISO 8601, a date or a time."""
    assert read_since(text).isoformat() == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("last week", id="words"),
        pytest.param("9999-12-31T23:59:59-09:00", id="after the calendar's end in UTC"),
        pytest.param("0001-01-01T00:00:00+09:00", id="before its beginning"),
    ],
)
def test_a_time_that_is_none_is_refused(text: str) -> None:
    """With the form it should have."""
    with pytest.raises(InvalidParams) as caught:
        read_since(text)

    assert caught.value.message == f"since is {text!r}, which is not a date."


def test_predictions_are_read_as_they_stand(tmp_path: Path) -> None:
    """What they mean is checked where they are used."""
    path = tmp_path / "gold.jsonl"
    path.write_text('{"prediction": 0.8, "label": true}\n{"prediction": [1, 0, 0], "label": "neutral"}\n', "utf-8")

    assert read_prediction_file(path) == ([0.8, [1, 0, 0]], [True, "neutral"])
