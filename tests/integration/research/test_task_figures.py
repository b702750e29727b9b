"""Figures of a task that take long to count."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from lyra.model.search import SearchTally
from lyra.model.task import TaskTotals
from lyra.research import task_figures
from lyra.research.task_figures import KEPT_S, CountedFigures, TaskFigures

TOTALS = TaskTotals(0, 0, 0, 0, 0, 0, 0, (), 0.0, 0.0, 0.0)
TALLY = SearchTally(0, 0, 0)


class CountingDatabase:
    """Counts the reads, each of which gives its number."""

    def __init__(self) -> None:
        self.reads = 0

    async def read(self, _: Callable[..., Any], task_id: str) -> CountedFigures:
        self.reads += 1
        number = self.reads
        await asyncio.sleep(0)
        return CountedFigures(TOTALS, TALLY, (f"{task_id} {number}", "known.example"), ())


class TurnedClock:
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


async def without_known(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name != "known.example")


async def counted(figures: TaskFigures, task_id: str, state: int) -> str:
    """Which count it was."""
    (name,) = (await figures.of(task_id, state)).unverified_domains
    return name


def made() -> tuple[TaskFigures, CountingDatabase, TurnedClock]:
    db, clock = CountingDatabase(), TurnedClock()
    return TaskFigures(db, clock, without_known), db, clock  # type: ignore[arg-type]


async def test_many_who_ask_at_once_are_counted_for_once() -> None:
    """Fifty people who look at one task cost one count."""
    figures, db, _ = made()

    found = await asyncio.gather(*(counted(figures, "task", 7) for _ in range(50)))

    assert (set(found), db.reads) == ({"task 1"}, 1)


async def test_another_state_is_counted_anew() -> None:
    """As soon as the journal has a line more, however soon that is."""
    figures, _, _ = made()

    found = [await counted(figures, "task", state) for state in (7, 7, 8)]

    assert found == ["task 1", "task 1", "task 2"]


async def test_nothing_is_kept_for_long() -> None:
    """What the journal does not tell is seen after five seconds."""
    figures, _, clock = made()

    first = await counted(figures, "task", 7)
    clock.seconds += KEPT_S + 0.1

    assert (first, await counted(figures, "task", 7)) == ("task 1", "task 2")


async def test_tasks_are_kept_apart_and_not_without_end() -> None:
    """Each has figures of its own; of very many the earlier are forgotten."""
    figures, db, _ = made()

    for number in range(task_figures._MOST_KEPT + 1):
        await counted(figures, f"task {number}", 7)
    again = await counted(figures, "task 0", 7)

    assert (again, db.reads) == (f"task 0 {db.reads}", task_figures._MOST_KEPT + 2)
