"""Brier score, calibration error and bins against values worked out by hand."""

import pytest

from lyra.calibration.measure import brier_classes, expected_calibration_error, reliability_bins
from lyra.errors import CalibrationError
from lyra.model.calibration import ReliabilityBin


@pytest.mark.parametrize(
    ("row", "label", "expected"),
    [
        pytest.param([1.0, 0.0, 0.0], 0, 0.0, id="sure and right"),
        pytest.param([1.0, 0.0, 0.0], 1, 2.0, id="sure and wrong"),
        pytest.param([0.5, 0.2, 0.3], 2, 0.25 + 0.04 + 0.49, id="between"),
    ],
)
def test_multi_class_brier_is_the_squared_distance(row: list[float], label: int, expected: float) -> None:
    """From 0 for a sure and right answer to 2 for a sure and wrong one."""
    score = brier_classes([row], [label])

    assert score == pytest.approx(expected)


def test_calibration_error_weighs_bins_by_their_size() -> None:
    """Three answers at 0.95 of which two came true, one at 0.55 that did: (3·|.95-2/3| + .45) / 4."""
    error = expected_calibration_error([0.95, 0.95, 0.95, 0.55], [1, 1, 0, 1])

    assert error == pytest.approx((3 * (0.95 - 2 / 3) + 0.45) / 4)


def test_bins_cover_zero_to_one() -> None:
    """A confidence of exactly 1 belongs to the last bin; empty bins are there with count 0."""
    found = reliability_bins([0.0, 0.1, 0.9, 1.0], [0, 1, 1, 1], count=2)

    assert found == (
        ReliabilityBin(0.0, 0.5, 2, pytest.approx(0.05), 0.5),
        ReliabilityBin(0.5, 1.0, 2, pytest.approx(0.95), 1.0),
    )


def test_empty_bin_has_no_means() -> None:
    """Nothing predicted there: count 0 and no weight in the error."""
    found = reliability_bins([0.9], [1], count=2)

    assert found[0] == ReliabilityBin(0.0, 0.5, 0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("confidences", "outcomes"),
    [
        pytest.param([], [], id="empty"),
        pytest.param([0.5], [1, 0], id="lengths differ"),
        pytest.param([1.2], [1], id="above one"),
        pytest.param([float("nan")], [1], id="not a number"),
        pytest.param([0.5], [2], id="outcome not 0 or 1"),
    ],
)
def test_unfit_input_is_refused(confidences: list[float], outcomes: list[int]) -> None:
    """A score of nonsense would look like a score."""
    with pytest.raises(CalibrationError) as caught:
        expected_calibration_error(confidences, outcomes)

    assert caught.value.code == "CALIBRATION_ERROR"


def test_labels_must_fit_the_rows() -> None:
    """One label per row, and at least one row."""
    with pytest.raises(CalibrationError):
        brier_classes([[0.2, 0.3, 0.5]], [0, 1])
