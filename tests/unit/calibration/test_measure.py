"""Scores and figures of a calibration."""

from datetime import UTC, datetime

import pytest

from lyra.calibration.fits import FittedCalibration
from lyra.calibration.measure import (
    brier_classes,
    expected_calibration_error,
    find_degradation,
    measure,
    reliability_bins,
)
from lyra.errors import CalibrationError
from lyra.model.calibration import CalibrationFit, CalibrationSource, Evaluation, FitMethod, ReliabilityBin

COLD = FittedCalibration(4, {"en": CalibrationFit(FitMethod.TEMPERATURE, {"temperature": 0.5})})


def evaluation(brier: float, calibrated: float | None = None) -> Evaluation:
    return Evaluation(
        id=f"eval_{brier}_{calibrated}",
        source=CalibrationSource.NLI_JUDGE,
        brier_score=brier,
        brier_score_calibrated=calibrated,
        improvement_ratio=0.0,
        expected_calibration_error=0.1,
        samples_evaluated=10,
        bins=(),
        calibration_version=1,
        evaluated_at=datetime(2026, 3, 14, tzinfo=UTC),
    )


def test_single_probabilities_have_the_usual_brier_score() -> None:
    """0.8 that came true and 0.6 that did not: (0.04 + 0.36) / 2; each bin's gap weighs by its size."""
    found = measure([((0.8, 0.2), 0), ((0.6, 0.4), 1)], ["en", "en"], FittedCalibration())

    assert (found.brier, found.brier_calibrated, found.improvement_ratio) == (pytest.approx(0.2), None, 0.0)
    assert found.ece == pytest.approx((0.2 + 0.6) / 2)
    assert [(each.lower, each.count) for each in found.bins if each.count] == [(0.6, 1), (0.8, 1)]


def test_stances_are_scored_on_the_same_scale() -> None:
    """Half the multi-class score: (0.2² + 0.1² + 0.1²) / 2."""
    found = measure([((0.8, 0.1, 0.1), 0)], ["ja"], FittedCalibration())

    assert found.brier == pytest.approx(0.03)


def test_a_fit_is_measured_beside_the_predictions_as_given() -> None:
    """Temperature ½ squares the odds: 0.8 becomes 16/17."""
    found = measure([((0.8, 0.2), 0)], ["en"], COLD)

    assert found.brier_calibrated == pytest.approx((1 / 17) ** 2)
    assert found.improvement_ratio == pytest.approx(1 - (1 / 17) ** 2 / 0.04)
    assert found.brier_applied == found.brier_calibrated


@pytest.mark.parametrize(
    ("latest", "previous", "worsening"),
    [
        pytest.param(evaluation(0.21), evaluation(0.20), 0.05, id="at 5 %"),
        pytest.param(evaluation(0.30), evaluation(0.20), 0.5, id="far above"),
        pytest.param(evaluation(0.1, 0.3), evaluation(0.9, 0.2), 0.5, id="the calibrated score counts"),
        pytest.param(evaluation(0.1), evaluation(0.0), 1.0, id="from perfect to not"),
    ],
)
def test_degradation_from_five_per_cent_on(latest: Evaluation, previous: Evaluation, worsening: float) -> None:
    """The latest evaluation against the one before (SPEC §7)."""
    found = find_degradation([latest, previous], 0.05)

    assert found is not None
    assert (found.latest, found.previous, found.worsening) == (latest, previous, pytest.approx(worsening))


@pytest.mark.parametrize(
    "newest",
    [
        pytest.param([], id="none"),
        pytest.param([evaluation(0.9)], id="only one"),
        pytest.param([evaluation(0.209), evaluation(0.20)], id="4.5 % worse"),
        pytest.param([evaluation(0.1), evaluation(0.2)], id="better"),
        pytest.param([evaluation(0.0), evaluation(0.0)], id="perfect twice"),
    ],
)
def test_no_degradation(newest: list[Evaluation]) -> None:
    """Nothing to compare, or not worse enough."""
    assert find_degradation(newest, 0.05) is None


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
