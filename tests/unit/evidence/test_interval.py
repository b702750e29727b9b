"""The 95 % interval of a confidence: by closed forms where α or β is 1, else by 400,000 random draws."""

import pytest

from lyra.evidence.interval import credible_interval


@pytest.mark.parametrize(
    ("alpha", "beta", "low", "high"),
    [
        (1.0, 1.0, 0.025, 0.975),
        (1.0, 3.0, 0.008, 0.708),
        (2.0, 2.0, 0.094, 0.906),  # the roots of 3x² - 2x³
        (5.0, 1.0, 0.478, 0.995),
        (200.0, 3.0, 0.965, 0.997),
        (3000.0, 2000.0, 0.586, 0.614),
    ],
)
def test_interval_leaves_2_5_percent_on_either_side(alpha: float, beta: float, low: float, high: float) -> None:
    """Without evidence nearly everything is possible; much evidence leaves little."""
    assert credible_interval(alpha, beta) == (low, high)


def test_interval_is_mirrored_with_the_evidence() -> None:
    """As much against as for: what was left of one is right of ½."""
    low, high = credible_interval(3.7, 1.9)

    assert credible_interval(1.9, 3.7) == pytest.approx((1 - high, 1 - low))
