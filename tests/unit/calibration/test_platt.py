"""Platt scaling of single probabilities."""

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from lyra.calibration.scaling import fit_platt
from lyra.errors import CalibrationError


def applied(fit: tuple[float, float], predictions: ArrayLike) -> NDArray[np.float64]:
    chance = np.asarray(predictions, np.float64)
    return 1 / (1 + np.exp(-(fit[0] * np.log(chance / (1 - chance)) + fit[1])))


def test_known_distortion_is_found() -> None:
    """Predictions whose log-odds are twice too large and shifted by one are undone."""
    random = np.random.default_rng(11)
    truth = random.normal(0, 2, 40_000)
    outcomes = random.random(40_000) < 1 / (1 + np.exp(-truth))
    predictions = 1 / (1 + np.exp(-(2 * truth + 1)))

    found = fit_platt(predictions, outcomes)

    assert found == (pytest.approx(0.5, abs=0.02), pytest.approx(-0.5, abs=0.04))
    assert np.square(applied(found, predictions) - outcomes).mean() < np.square(predictions - outcomes).mean()


def test_separable_samples_do_not_run_away() -> None:
    """Platt's smoothed targets keep a perfect little sample from promising certainty."""
    found = fit_platt([0.9, 0.9, 0.1, 0.1], [1, 1, 0, 0])

    assert applied(found, [0.9, 0.1]).tolist() == pytest.approx([0.75, 0.25])


@pytest.mark.parametrize(
    ("predictions", "outcomes"),
    [
        pytest.param([0.9, 0.8], [1, 1], id="one outcome only"),
        pytest.param([], [], id="empty"),
        pytest.param([0.9], [1, 0], id="lengths differ"),
        pytest.param([0.9, 0.1], [1, 3], id="not an outcome"),
        pytest.param([float("nan"), 0.1], [1, 0], id="not a number"),
    ],
)
def test_unfit_samples_are_refused(predictions: list[float], outcomes: list[int]) -> None:
    """Nothing can be fitted to samples that all came out alike, or that are not samples."""
    with pytest.raises(CalibrationError):
        fit_platt(predictions, outcomes)
