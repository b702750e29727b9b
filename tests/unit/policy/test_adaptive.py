"""How a parameter learns: averages, limits, hysteresis, and no swinging back."""

from datetime import UTC, datetime, timedelta

import pytest

from lyra.policy.adaptive import AdaptiveParameter, ParameterChange, Rule, Trend, adjust, observe

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
RULE = Rule(raise_at=0.3, lower_at=0.05, low=1.0, high=8.0)
QUIET = Trend(0.0, 0.0, 10)


def test_averages_weigh_the_newest_by_three_and_one_tenths() -> None:
    """§4.6: the short average reacts with 0.3, the long one with 0.1."""
    found = observe(observe(Trend(0.0, 0.0), 1.0), 1.0)

    assert (round(found.short, 4), round(found.long, 4), found.samples) == (0.51, 0.19, 2)


def test_knob_is_turned_up_with_the_figures_that_did_it() -> None:
    """A change says from what to what and why."""
    trend = Trend(0.3, 0.1, 1)

    assert adjust(AdaptiveParameter("pause", 1.0), trend, RULE, NOW) == ParameterChange(
        AdaptiveParameter("pause", 2.0, NOW, 1), 1.0, trend, "the short average 0.30 reached 0.30"
    )


@pytest.mark.parametrize(
    ("value", "trend"),
    [
        (8.0, Trend(0.9, 0.9, 9)),
        (1.0, QUIET),
        (2.0, Trend(0.2, 0.2, 9)),
        (2.0, Trend(0.05, 0.3, 9)),
        (2.0, Trend(0.0, 0.0, 0)),
    ],
    ids=["at-the-upper-limit", "at-the-lower-limit", "between-the-marks", "long-average-not-calm", "no-samples"],
)
def test_knob_stays(value: float, trend: Trend) -> None:
    """Limits bind, and between the two marks nothing moves."""
    assert adjust(AdaptiveParameter("pause", value), trend, RULE, NOW) is None


@pytest.mark.parametrize(("minutes", "is_turned"), [(4, False), (5, True)])
def test_knob_is_not_turned_round_within_five_minutes(minutes: int, is_turned: bool) -> None:
    """What was tightened is relaxed after five minutes of calm at the earliest."""
    parameter = AdaptiveParameter("pause", 4.0, NOW - timedelta(minutes=minutes), 1)

    assert (adjust(parameter, QUIET, RULE, NOW) is not None) is is_turned


def test_same_direction_needs_no_waiting() -> None:
    """Trouble that goes on is answered at once."""
    change = adjust(AdaptiveParameter("pause", 2.0, NOW, 1), Trend(0.6, 0.2, 3), RULE, NOW)

    assert change is not None
    assert (change.parameter.value, change.before) == (4.0, 2.0)
