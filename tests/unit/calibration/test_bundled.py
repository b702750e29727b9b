"""The calibration on a model's card."""

from typing import Any

import numpy as np
import pytest

from lyra.calibration.bundled import Calibrator
from lyra.errors import CalibrationError

CARD = {
    "method": "vector",
    "en": {"temperature": 2.0, "bias": [0.0, 0.0, 1.0]},
    "ja": {"scale": [1.0, 0.5, 1.0]},
}
LOGITS = np.array([[2.0, 4.0, 0.0]], np.float32)


def softmax(*logits: float) -> list[float]:
    raised = np.exp(logits)
    return [float(value) for value in raised / raised.sum()]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        pytest.param("en", softmax(1.0, 2.0, 1.0), id="temperature and bias"),
        pytest.param("ja", softmax(2.0, 2.0, 0.0), id="scale"),
        pytest.param("de", softmax(1.0, 2.0, 1.0), id="unknown language, as English"),
    ],
)
def test_each_language_has_its_own_scaling(language: str, expected: list[float]) -> None:
    """Probabilities are the softmax of scale · logits / temperature + bias of the language."""
    rows = Calibrator(CARD).apply(LOGITS, [language])

    assert rows.tolist() == [pytest.approx(expected)]


def test_languages_may_be_mixed_in_a_batch() -> None:
    """Each row goes by its own language, in order."""
    calibrator = Calibrator(CARD)

    rows = calibrator.apply(np.repeat(LOGITS, 3, axis=0), ["ja", "en", "ja"])

    assert rows.tolist() == [
        pytest.approx(softmax(2.0, 2.0, 0.0)),
        pytest.approx(softmax(1.0, 2.0, 1.0)),
        pytest.approx(softmax(2.0, 2.0, 0.0)),
    ]


def test_version_names_the_parameters() -> None:
    """Another fit is another version, because edges store which one shaped them."""
    other = CARD | {"ja": {"scale": [1.0, 0.6, 1.0]}}

    versions = [Calibrator(CARD).version, Calibrator(dict(CARD)).version, Calibrator(other).version]

    assert versions[0] == versions[1]
    assert versions[0] != versions[2]
    assert versions[0].startswith("vector-")


def test_card_without_calibration_is_called_so() -> None:
    """No calibration is the plain softmax, under a name that says it."""
    calibrator = Calibrator({})

    rows = calibrator.apply(LOGITS, ["en"])

    assert calibrator.version == "uncalibrated"
    assert rows.tolist() == [pytest.approx(softmax(2.0, 4.0, 0.0))]


def test_nothing_judged_nothing_calibrated() -> None:
    """An empty batch is an empty matrix."""
    rows = Calibrator(CARD).apply(np.zeros((0, 3), np.float32), [])

    assert rows.shape == (0, 3)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        pytest.param({}, "it must hold a temperature, a scale or a bias", id="empty"),
        pytest.param({"temprature": 2.0}, "it must hold a temperature, a scale or a bias", id="misspelt"),
        pytest.param({"temperature": 0}, "the temperature must be a number above 0", id="temperature 0"),
        pytest.param({"bias": [0.0, 1.0]}, "scale and bias must be lists of 3 numbers", id="two biases"),
        pytest.param(
            {"bias": [float("nan"), 0.0, 0.0]}, "scale and bias must be lists of 3 numbers", id="bias no number"
        ),
        pytest.param({"temperature": float("inf")}, "the temperature must be a number above 0", id="endless"),
        pytest.param({"scale": "1,1,1"}, "scale and bias must be lists of 3 numbers", id="text"),
    ],
)
def test_unfit_card_is_refused(values: dict[str, Any], reason: str) -> None:
    """A card that cannot be read is an error, never a silent return to uncalibrated."""
    with pytest.raises(CalibrationError) as caught:
        Calibrator({"method": "vector", "ja": values})

    assert caught.value.message == f"The model card's calibration for 'ja' is unfit: {reason}."


def test_languages_must_match_the_rows() -> None:
    """One language for each row of logits."""
    with pytest.raises(CalibrationError):
        Calibrator(CARD).apply(LOGITS, ["en", "ja"])
