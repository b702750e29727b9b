"""The one loop that asks until something is there."""

from collections.abc import Iterator

import pytest

from lyra.clock import wait_until


class SteppedClock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.mark.parametrize(
    ("answers", "limit_s", "expected"),
    [
        pytest.param(["a"], 0.0, ("a", 0.0), id="at once, even without time"),
        pytest.param([None, None, "b"], 10.0, ("b", 2.0), id="the third time"),
        pytest.param([None, None, None, "c"], 2.0, (None, 2.0), id="too late"),
    ],
)
async def test_it_asks_until_there_is_an_answer(
    answers: list[str | None], limit_s: float, expected: tuple[str | None, float]
) -> None:
    """The answer, and the time that had passed by then."""
    clock = SteppedClock()
    given: Iterator[str | None] = iter(answers)

    async def probe() -> str | None:
        return next(given)

    found = await wait_until(probe, clock, every_s=1.0, limit_s=limit_s)  # type: ignore[arg-type]

    assert (found, clock.now_s) == expected
