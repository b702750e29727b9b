"""The 95 % interval of a confidence: by closed forms where α or β is 1, else by 400,000 random draws."""

import pytest

from lyra.evidence.interval import credible_interval


@pytest.mark.parametrize(
    ("alpha", "beta", "low", "high"),
    [
        (1.0, 1.0, 0.025, 0.975),
        (1.0, 3.0, 0.0084, 0.7076),
        (2.0, 2.0, 0.0943, 0.9057),  # the roots of 3x² - 2x³
        (5.0, 1.0, 0.4782, 0.9949),
        (200.0, 3.0, 0.9647, 0.9969),
        (3000.0, 2000.0, 0.5864, 0.6135),
    ],
)
def test_interval_leaves_2_5_percent_on_either_side(alpha: float, beta: float, low: float, high: float) -> None:
    """Without evidence nearly everything is possible; much evidence leaves little."""
    found = credible_interval(alpha, beta)

    assert (round(found[0], 4), round(found[1], 4)) == (low, high)


def test_interval_is_mirrored_with_the_evidence() -> None:
    """As much against as for: what was left of one is right of ½."""
    low, high = credible_interval(3.7, 1.9)

    assert credible_interval(1.9, 3.7) == pytest.approx((1 - high, 1 - low))
