"""When a search stops, and when a task is idle: pure rules over values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.search_run import Novelty, StopReason, is_idle, stop_reason

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "q", TaskStatus.EXPLORING, NOON, Budget(max_pages=120, max_seconds=1200))
SEARCH = Search("s_1", TASK.id, "q", SearchOptions(), SearchStatus.RUNNING, NOON)
FRESH = Novelty(window=20, cycle=10, floor=0.10)
STALE = FRESH.after((False,) * 20)


class Standing:
    """A clock that stands still."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody sleeps here")


def test_a_search_with_room_goes_on() -> None:
    """Neither budget, limit, novelty nor silence stands against it."""
    assert stop_reason(TASK, SEARCH, FRESH, 30, 0, is_idle=False) is None


@pytest.mark.parametrize(
    ("task", "search", "novelty", "under_way", "stop"),
    [
        (replace(TASK, pages_used=120), SEARCH, FRESH, 0, StopReason("the task's budget of 120 pages is used up")),
        (replace(TASK, pages_used=117), SEARCH, FRESH, 3, StopReason("the task's budget of 120 pages is used up")),
        (
            replace(TASK, seconds_used=1200.0),
            SEARCH,
            FRESH,
            0,
            StopReason("the task's budget of 1200 seconds is used up"),
        ),
        (
            TASK,
            replace(SEARCH, pages_fetched=30),
            FRESH,
            0,
            StopReason("30 pages were fetched, the limit of this search"),
        ),
        (
            TASK,
            replace(SEARCH, pages_fetched=28),
            FRESH,
            2,
            StopReason("30 pages were fetched, the limit of this search"),
        ),
        (TASK, SEARCH, STALE, 0, StopReason("nothing new was found over two cycles")),
    ],
    ids=["pages", "pages under way", "seconds", "limit", "limit under way", "novelty"],
)
def test_every_limit_stops_with_its_reason(
    task: Task, search: Search, novelty: Novelty, under_way: int, stop: StopReason
) -> None:
    """SPEC §3: on exhaustion the search stops cleanly and says so."""
    assert stop_reason(task, search, novelty, 30, under_way, is_idle=False) == stop


@pytest.mark.parametrize(
    ("task", "search", "under_way"),
    [
        (replace(TASK, pages_used=119), SEARCH, 0),
        (replace(TASK, seconds_used=1199.9), SEARCH, 0),
        (TASK, replace(SEARCH, pages_fetched=29), 0),
        (TASK, replace(SEARCH, pages_fetched=27), 2),
    ],
)
def test_the_last_unit_of_a_limit_may_be_used(task: Task, search: Search, under_way: int) -> None:
    """120 pages are 120 pages, not 119."""
    assert stop_reason(task, search, FRESH, 30, under_way, is_idle=False) is None


def test_silence_pauses_and_does_not_end() -> None:
    """SPEC §13, idle: the rest waits for the next call."""
    stop = stop_reason(TASK, SEARCH, FRESH, 30, 0, is_idle=True)

    assert stop == StopReason("no client has called for a while; the next call continues it", is_pause=True)


def test_a_used_up_budget_ends_even_an_idle_search() -> None:
    """An end goes before a pause: nothing would be left to resume."""
    stop = stop_reason(replace(TASK, pages_used=120), SEARCH, FRESH, 30, 0, is_idle=True)

    assert stop == StopReason("the task's budget of 120 pages is used up")


@pytest.mark.parametrize(("silence_s", "idle"), [(0, False), (300, False), (300.001, True), (86_400, True)])
def test_a_task_is_idle_after_more_than_300_seconds_without_a_call(silence_s: float, idle: bool) -> None:
    """SPEC §3: an idle client for 300 s; the last call counts, not the creation."""
    task = replace(TASK, created_at=NOON - timedelta(days=1), last_call_at=NOON)

    assert is_idle(task, Standing(NOON + timedelta(seconds=silence_s)), 300) is idle


@pytest.mark.parametrize(("silence_s", "idle"), [(299, False), (301, True)])
def test_before_the_first_call_the_creation_counts(silence_s: float, idle: bool) -> None:
    """Creating the task was a call."""
    assert is_idle(TASK, Standing(NOON + timedelta(seconds=silence_s)), 300) is idle
