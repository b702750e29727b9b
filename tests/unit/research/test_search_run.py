"""When a search has found enough, and why it stops."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lyra.model.edge import EvidenceRow, Relation
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.model.trust import TrustLevel
from lyra.research.search_run import (
    Novelty,
    SourceCount,
    StopReason,
    count_sources,
    final_status,
    harvest_rate,
    is_idle,
    satisfaction,
    stop_reason,
)


@pytest.mark.parametrize(
    ("sources", "has_primary", "score"),
    [(0, False, 0.0), (1, False, 0.7 / 3), (1, True, 0.7 / 3 + 0.3), (3, False, 0.7), (3, True, 1.0), (9, True, 1.0)],
)
def test_satisfaction_follows_the_formula(sources: int, has_primary: bool, score: float) -> None:
    """SPEC §3: min(1, sources/3·0.7 + 0.3 with a primary source)."""
    assert satisfaction(sources, has_primary=has_primary) == pytest.approx(score)


@pytest.mark.parametrize(
    ("sources", "has_primary", "has_secondary", "status"),
    [
        (0, False, False, SearchStatus.EXHAUSTED),
        (1, False, True, SearchStatus.PARTIAL),
        (1, True, False, SearchStatus.PARTIAL),
        (2, False, True, SearchStatus.PARTIAL),
        (2, True, True, SearchStatus.SATISFIED),
        (3, False, True, SearchStatus.SATISFIED),
    ],
)
def test_final_status(sources: int, has_primary: bool, has_secondary: bool, status: SearchStatus) -> None:
    """Three sources, or a primary with a secondary, satisfy; one or two are partial; none is exhausted."""
    assert final_status(sources, has_primary=has_primary, has_secondary=has_secondary) is status


@pytest.mark.parametrize(("useful", "pages", "rate"), [(0, 0, 0.0), (8, 15, 8 / 15), (3, 1, 3.0)])
def test_harvest_rate_of_nothing_is_nothing(useful: int, pages: int, rate: float) -> None:
    """Useful fragments a page read; no page, no harvest."""
    assert harvest_rate(useful, pages) == rate


def _novelty(*flags: bool) -> Novelty:
    return Novelty(window=20, cycle=10, floor=0.10).after(flags)


def test_novelty_looks_at_the_last_twenty_fragments() -> None:
    """Old fragments do not count: five of the last twenty are new."""
    novelty = _novelty(*[True] * 30, *[False] * 15, *[True] * 5)

    assert novelty.score(9) == 0.25


def test_novelty_is_of_the_whole_life_of_a_search() -> None:
    """A search that a person has set going again keeps what it had read: of the last twenty, eight were new."""
    resumed = Novelty(20, 10, 0.10, history=(False,) * 12, earlier=(False,) * 5 + (True,) * 8)

    assert resumed.score(9) == 0.4


@pytest.mark.parametrize(("pages_read", "score"), [(0, None), (3, 0.0)], ids=["nothing read", "nothing new"])
def test_novelty_without_a_fragment(pages_read: int, score: float | None) -> None:
    """Unknown before anything was read; 0 where every page that was read was known."""
    assert _novelty().score(pages_read) == score


def test_what_was_read_before_a_person_opened_pages_does_not_stop_their_reading() -> None:
    """Two poor cycles ended the search; set going again, it begins new ones."""
    ended = _novelty(*[False] * 20)
    resumed = Novelty(20, 10, 0.10, earlier=ended.history)

    assert (ended.is_stale, resumed.is_stale, resumed.after((False,) * 20).is_stale) == (True, False, True)


def _row(domain: str, relation: Relation, trust: TrustLevel, text: str = "") -> EvidenceRow:
    return EvidenceRow(
        "c_1", f"f_{domain}", f"p_{domain}", domain, relation, 0.9, source_trust_level=trust, duplicate_key=text
    )


@pytest.mark.parametrize(
    ("rows", "heard"),
    [
        ([], SourceCount(0, False, False)),
        ([_row("a.org", Relation.NEUTRAL, TrustLevel.LOW)], SourceCount(1, False, True)),
        (
            [
                _row("fdso.gov", Relation.SUPPORTS, TrustLevel.GOVERNMENT),
                _row("b.org", Relation.REFUTES, TrustLevel.UNVERIFIED),
            ],
            SourceCount(2, True, True),
        ),
        (
            [
                _row("fdso.gov", Relation.SUPPORTS, TrustLevel.GOVERNMENT, "same words"),
                _row("copy.org", Relation.SUPPORTS, TrustLevel.UNVERIFIED, "same words"),
            ],
            SourceCount(1, True, False),
        ),
    ],
    ids=["nobody", "gave a claim only", "primary and secondary", "copy of a primary"],
)
def test_who_gave_a_search_something_useful(rows: list[EvidenceRow], heard: SourceCount) -> None:
    """Sources of useful fragments, for, against or neither; a copy of a primary source is no secondary one."""
    assert count_sources(rows) == heard


@pytest.mark.parametrize(
    ("flags", "is_stale"),
    [
        ([False] * 10, False),
        ([False] * 20, True),
        ([True] + [False] * 19, False),
        ([False] * 10 + [True] + [False] * 9, False),
        ([True] * 10 + [False] * 20, True),
        ([False] * 20 + [True] * 9, True),
    ],
    ids=["one cycle", "two poor", "first at floor", "second at floor", "good then two poor", "open cycle ignored"],
)
def test_two_poor_cycles_in_a_row_are_stale(flags: list[bool], is_stale: bool) -> None:
    """Below 10 % over two whole cycles of ten stops a search; 10 % itself does not."""
    assert _novelty(*flags).is_stale is is_stale


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
