"""What counts as growth over a compressed day."""

import pytest

from lyra_bench.measure.day import Sample, figures_of

FLAT = [Sample(300.0, 90, 20, 2)] * 8


@pytest.mark.parametrize(
    ("last", "errors", "is_passed"),
    [
        pytest.param(Sample(300.0, 90, 20, 2), [], True, id="nothing-grew"),
        pytest.param(Sample(329.0, 95, 24, 2), [], True, id="within-what-comes-and-goes"),
        pytest.param(Sample(331.0, 90, 20, 2), [], False, id="memory"),
        pytest.param(Sample(300.0, 96, 20, 2), [], False, id="handles"),
        pytest.param(Sample(300.0, 90, 20, 3), [], False, id="files"),
        pytest.param(Sample(300.0, 90, 20, 2), ["search: x"], False, id="an-error"),
    ],
)
def test_the_last_quarter_is_compared_with_the_second(last: Sample, errors: list[str], is_passed: bool) -> None:
    """The first is for what is loaded once."""
    warming = [Sample(100.0, 30, 5, 0)] * 2

    figures = figures_of(10, [*warming, *FLAT[:4], last, last], errors)

    assert figures["is_passed"] is is_passed
    assert figures["second_quarter"] == {"memory_mb": 300.0, "handles": 90, "threads": 20, "temporary_files": 2}
