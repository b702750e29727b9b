"""Scaling of logits."""

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from lyra.calibration.measure import brier_classes
from lyra.calibration.scaling import Scaling, fit_platt, fit_temperature, fit_vector
from lyra.errors import CalibrationError

AS_IT_IS = Scaling((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))


def drawn(scaling: Scaling, rows: int = 20_000) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Logits and labels of a world in which `scaling` gives the true probabilities."""
    random = np.random.default_rng(7)
    logits = random.normal(0, 3, (rows, 3))
    chances = scaling.apply(logits)
    labels = (chances.cumsum(axis=1) < random.random((rows, 1))).sum(axis=1)
    return logits, labels


def test_identity_is_the_softmax() -> None:
    """Scale 1 and bias 0 leave the model's own probabilities, however large the logits."""
    rows = AS_IT_IS.apply([[0.0, 0.0, 0.0], [1000.0, 0.0, 0.0], [np.log(2), 0.0, 0.0]])

    assert rows == pytest.approx(np.array([[1 / 3] * 3, [1.0, 0.0, 0.0], [0.5, 0.25, 0.25]]))


def test_temperature_of_an_overconfident_model_is_found() -> None:
    """Logits twice too large are halved."""
    logits, labels = drawn(Scaling((0.5,) * 3, (0.0,) * 3))

    found = fit_temperature(logits, labels)

    assert found.scale == pytest.approx((0.5,) * 3, abs=0.02)
    assert found.bias == (0.0, 0.0, 0.0)


def test_vector_scaling_finds_scale_and_bias() -> None:
    """A model that says "refutes" too readily gets a negative bias there; only differences of biases count."""
    logits, labels = drawn(Scaling((0.5, 0.8, 0.6), (0.2, -1.0, 0.3)))

    found = fit_vector(logits, labels)

    assert found.scale == pytest.approx((0.5, 0.8, 0.6), abs=0.03)
    assert np.diff(found.bias).tolist() == pytest.approx([-1.2, 1.3], abs=0.08)


def test_fit_improves_the_brier_score() -> None:
    """The purpose of it: at least 20 % better than raw on such a model (SPEC A18)."""
    logits, labels = drawn(Scaling((0.3,) * 3, (0.0, -1.0, 0.5)))

    improved = brier_classes(fit_vector(logits, labels).apply(logits), labels)

    assert improved < 0.8 * brier_classes(AS_IT_IS.apply(logits), labels)


def test_one_sided_samples_do_not_run_away() -> None:
    """All samples of one class, all right: the fit stays finite."""
    logits = np.tile([4.0, 0.0, 0.0], (20, 1))

    found = fit_vector(logits, np.zeros(20, int))

    assert np.isfinite([*found.scale, *found.bias]).all()
    assert max(map(abs, (*found.scale, *found.bias))) < 20


@pytest.mark.parametrize(
    ("logits", "labels"),
    [
        pytest.param(np.zeros((0, 3)), [], id="no rows"),
        pytest.param([[0.0, 1.0, 2.0]], [0, 1], id="lengths differ"),
        pytest.param([[0.0, 1.0, 2.0]], [3], id="unknown class"),
        pytest.param([[0.0, np.inf, 2.0]], [0], id="infinite logit"),
    ],
)
def test_unfit_samples_are_refused(logits: NDArray[np.float64], labels: list[int]) -> None:
    """A fit to nonsense is worse than none."""
    with pytest.raises(CalibrationError):
        fit_temperature(logits, labels)


def test_no_rows_in_no_rows_out() -> None:
    """An empty batch is an empty matrix."""
    rows = AS_IT_IS.apply(np.zeros((0, 3)))

    assert rows.shape == (0, 3)


def test_rows_with_two_and_three_classes_share_one_temperature() -> None:
    """A class written as -inf does not exist for its row: it gets no probability and does not sway the fit."""
    logits, labels = drawn(Scaling((0.5,) * 3, (0.0,) * 3))
    two = logits[:10_000].copy()
    two[:, 2] = -np.inf
    truth = (np.random.default_rng(8).random(10_000) > AS_IT_IS.apply(two / 2)[:, 0]).astype(int)

    found = fit_temperature(np.concatenate([two, logits[10_000:]]), np.concatenate([truth, labels[10_000:]]))

    assert found.scale == pytest.approx((0.5,) * 3, abs=0.02)
    assert found.apply(two)[:, 2].max() == 0.0


def test_a_label_must_be_a_class_of_its_row() -> None:
    """What cannot come true did not."""
    with pytest.raises(CalibrationError):
        fit_temperature([[0.0, 1.0, -np.inf], [1.0, 0.0, 0.0]], [2, 0])


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
def test_samples_unfit_for_platt_are_refused(predictions: list[float], outcomes: list[int]) -> None:
    """Nothing can be fitted to samples that all came out alike, or that are not samples."""
    with pytest.raises(CalibrationError):
        fit_platt(predictions, outcomes)
