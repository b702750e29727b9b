"""A version in force: by language, named, and harmless where it has nothing to say."""

import numpy as np
import pytest

from lyra.calibration.fits import FittedCalibration, log_rows, split_version_name
from lyra.model.calibration import CalibrationFit, FitMethod

HOT = CalibrationFit(FitMethod.TEMPERATURE, {"temperature": 2.0})
VECTOR = CalibrationFit(FitMethod.VECTOR, {"scale": [1.0, 1.0, 1.0], "bias": [0.0, 0.0, 0.0]})
ROWS = np.array([[0.64, 0.32, 0.04], [0.64, 0.32, 0.04]])


def test_each_language_has_its_own_fit() -> None:
    """A fit of Japanese samples leaves English judgements alone."""
    rows = FittedCalibration(1, {"ja": HOT}).apply(ROWS, ["en", "ja"])

    assert rows == pytest.approx(np.array([[0.64, 0.32, 0.04], [0.5110, 0.3613, 0.1277]]), abs=1e-4)


def test_version_0_changes_nothing() -> None:
    """The bundled calibration alone: not one bit differs."""
    assert FittedCalibration().apply(ROWS, ["en", "ja"]) is ROWS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("vector-705aaa71", ("vector-705aaa71", 0), id="bundled alone"),
        pytest.param("vector-705aaa71+v12", ("vector-705aaa71", 12), id="with a fitted version"),
        pytest.param("", ("", 0), id="unknown"),
        pytest.param("odd+vx", ("odd+vx", 0), id="not a number"),
    ],
)
def test_names_are_joined_and_split(name: str, expected: tuple[str, int]) -> None:
    """An edge's calibration_version tells both parts."""
    assert split_version_name(name) == expected
    assert FittedCalibration(expected[1]).named(expected[0]) == name


@pytest.mark.parametrize(
    ("fits", "expected"),
    [
        pytest.param({}, False, id="no fit"),
        pytest.param({"ja": HOT}, False, id="another language"),
        pytest.param({"en": HOT}, True, id="temperature"),
        pytest.param({"en": VECTOR}, False, id="a vector has no say on single probabilities"),
    ],
)
def test_whether_a_fit_speaks_of_predictions(fits: dict[str, CalibrationFit], expected: bool) -> None:
    """Where none does, there is no calibrated score to show."""
    assert FittedCalibration(1, fits).touches(log_rows([(0.8, 0.2)]), ["en"]) is expected
