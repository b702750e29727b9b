"""Warnings of a task: facts that a client should not overlook."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from lyra.model.handoff import HandoffSummary
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.research.searches import percent_left
from lyra.research.status import warnings

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TASK = Task("task_0123456789ab", "q", TaskStatus.EXPLORING, NOON, Budget(max_pages=100, max_seconds=1000))
NOBODY = HandoffSummary()


@pytest.mark.parametrize(
    ("pending", "high", "said"),
    [
        (0, 0, ()),
        (2, 1, ()),
        (3, 0, ("warning: 3 pages wait for a person",)),
        (4, 1, ("warning: 4 pages wait for a person",)),
        (5, 0, ("critical: 5 pages wait for a person (0 high priority)",)),
        (2, 2, ("critical: 2 pages wait for a person (2 high priority)",)),
    ],
)
def test_auth_alerts_follow_their_thresholds(pending: int, high: int, said: tuple[str, ...]) -> None:
    """SPEC §2: three pending warn; five pending or two of high priority are critical."""
    auth = HandoffSummary(pending_count=pending, high_priority_count=high)

    assert warnings(TASK, auth, ()) == said


@pytest.mark.parametrize(
    ("pages", "seconds", "percent"),
    [(0, 0.0, 100), (50, 0.0, 50), (0, 750.0, 25), (99, 0.0, 1), (100, 0.0, 0), (130, 0.0, 0), (33, 0.0, 67)],
)
def test_the_scarcer_of_pages_and_seconds_is_what_is_left(pages: int, seconds: float, percent: int) -> None:
    """In whole percent, never below nothing."""
    assert percent_left(replace(TASK, pages_used=pages, seconds_used=seconds)) == percent


@pytest.mark.parametrize(("pages", "said"), [(79, ()), (80, ("budget: 20 % left",)), (100, ("budget: 0 % left",))])
def test_a_low_budget_is_told_from_twenty_percent_on(pages: int, said: tuple[str, ...]) -> None:
    """Early enough for the client to extend it."""
    assert warnings(replace(TASK, pages_used=pages), NOBODY, ()) == said


def test_failed_searches_are_named_with_their_reason() -> None:
    """A failed search is never silent; the others are no warning."""
    failed = Search("s_1", TASK.id, "q", SearchOptions(), SearchStatus.FAILED, NOON, reason="No engine answered.")
    partial = replace(failed, id="s_2", status=SearchStatus.PARTIAL)

    assert warnings(TASK, NOBODY, (failed, partial)) == ("search s_1 failed: No engine answered.",)


def test_a_task_that_a_person_holds_back_says_so() -> None:
    """Its searches are still called running; without a word a client would wait for them in vain."""
    held = replace(TASK, status=TaskStatus.PAUSED, reason="a person has paused the task", held_at=TASK.created_at)

    assert warnings(held, NOBODY, ()) == ("paused: a person has paused the task",)
