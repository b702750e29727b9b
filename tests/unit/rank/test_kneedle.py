"""Where a ranked list is cut."""

import pytest

from lyra.rank.ranker import count_before_knee, find_knee

HYPERBOLA = [1 / (place + 1) for place in range(10)]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        pytest.param(HYPERBOLA, 2, id="hyperbola"),
        pytest.param([0.95, 0.9, 0.88, 0.3, 0.28, 0.25, 0.22, 0.2, 0.18, 0.17], 3, id="cliff after three"),
        pytest.param([1.0, 0.8, 0.6, 0.4, 0.2, 0.0], None, id="straight line"),
        pytest.param([0.5] * 8, None, id="flat"),
        pytest.param([0.9], None, id="one"),
        pytest.param([], None, id="none"),
    ],
)
def test_knee_is_where_the_curve_bends(scores: list[float], expected: int | None) -> None:
    """The hyperbola and the line are those of kneed 0.9 (convex, decreasing, S 1); the cliff is the paper's."""
    place = find_knee(scores)

    assert place == expected


def test_sensitivity_asks_for_a_sharper_bend() -> None:
    """A larger S waits longer before it calls a bend a knee."""
    scores = [1.0, 0.9, 0.3, 0.2, 0.1]

    places = (find_knee(scores, 1.0), find_knee(scores, 2.0))

    assert places == (2, None)


@pytest.mark.parametrize(
    ("scores", "kept"),
    [
        pytest.param([], 0, id="nothing"),
        pytest.param([0.9, 0.1], 2, id="fewer than the minimum"),
        pytest.param(HYPERBOLA, 3, id="knee below the minimum"),
        pytest.param([0.9, 0.89, 0.88, 0.87, 0.2, 0.18, 0.16, 0.15, 0.14, 0.13], 4, id="before the cliff"),
        pytest.param([0.5] * 80, 50, id="flat, more than the maximum"),
        pytest.param([1.0, 0.99, 0.98, 0.97, 0.5, 0.0], 6, id="concave to the end"),
    ],
)
def test_cut_keeps_between_minimum_and_maximum(scores: list[float], kept: int) -> None:
    """At least 3, at most 50, what lies before the knee; everything where there is none (EX §4.3.2)."""
    count = count_before_knee(scores, minimum=3, maximum=50, sensitivity=1.0)

    assert count == kept
