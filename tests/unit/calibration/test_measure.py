"""Figures of a calibration, and when they count as degraded."""

from datetime import UTC, datetime

import pytest

from lyra.calibration.fits import FittedCalibration
from lyra.calibration.measure import find_degradation, measure
from lyra.model.calibration import CalibrationFit, CalibrationSource, Evaluation, FitMethod

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
