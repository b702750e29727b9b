"""kill −9 in real processes on the simulated web; the bench does a hundred, the suite a few."""

import pytest

from lyra_bench.measure.faults import measure_faults


@pytest.mark.timeout(300)  # four processes start one after another
async def test_two_kills_lose_and_double_nothing() -> None:
    """The graph, the budget and the ends of jobs are those of an undisturbed run."""
    figures = await measure_faults(2, searches=1, seed=3)

    assert figures["kills"] == 2
    assert {name: figures[name] for name in ("is_passed", "lost", "doubled", "broken")} == {
        "is_passed": True,
        "lost": 0,
        "doubled": 0,
        "broken": [],
    }
    assert sum(figures["killed_in"].values()) == 2
