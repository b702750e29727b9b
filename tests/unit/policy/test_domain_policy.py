"""What a domain teaches: how long to pause, where to begin, whether Tor helps, and what shares allow."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lyra.model.domain import DomainHabit, PolicyChange, RequestCounts
from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy.domain_policy import RungAdvice, RungShares, advise, update_habit

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
NEW = DomainHabit("fdso.gov", NOW)
STICKY = timedelta(minutes=15)
NONE = RequestCounts()
SHARES = RungShares()


def answer(
    rung: str, outcome: FetchOutcome, status_code: int | None = None, challenge: str | None = None
) -> FetchResult:
    return FetchResult("https://fdso.gov/a", outcome, status_code=status_code, rung=rung, challenge=challenge)


OK = answer("http", FetchOutcome.OK, 200)
REFUSED = answer("http", FetchOutcome.BLOCKED, 403)


def learn(habit: DomainHabit, *steps: tuple[FetchResult, tuple[str, ...]]) -> tuple[DomainHabit, list[PolicyChange]]:
    changes: list[PolicyChange] = []
    for result, climbed in steps:
        habit, found = update_habit(habit, result, climbed, NOW, STICKY)
        changes += found
    return habit, changes


def test_refusal_lengthens_the_pause_and_says_why() -> None:
    """The first refusal doubles the pause, with the averages in the journal."""
    habit, changes = learn(NEW, (REFUSED, ()))

    assert habit.pause_factor == 2.0
    assert changes == [
        PolicyChange(
            NOW, "pause_factor", "1", "2", "refusals: the short average 0.30 reached 0.30",
            {"short": 0.3, "long": 0.1, "samples": 1},
        )
    ]  # fmt: skip


def test_climb_counts_as_one_refusal() -> None:
    """Three rungs refused one page: that is one refusal, not three."""
    refused = [(REFUSED, ()), (answer("tor", FetchOutcome.BLOCKED, 403), ("http",))]

    habit, _ = learn(NEW, *refused)

    assert (habit.samples, habit.pause_factor) == (1, 2.0)


def test_log_in_is_no_refusal() -> None:
    """A page behind a log-in says nothing about how the domain takes our asking."""
    habit, changes = learn(NEW, (answer("http", FetchOutcome.CHALLENGE, 200, "login"), ()))

    assert (habit.refusal_short, habit.last_challenge, changes) == (0.0, "login", [])


def test_rung_that_opened_two_pages_is_begun_with_for_a_day() -> None:
    """One page may be an exception; two make a habit, which is written down."""
    headless = answer("headless", FetchOutcome.OK, 200)

    habit, changes = learn(NEW, (REFUSED, ()), (headless, ("http",)), (REFUSED, ()), (headless, ("http",)))

    assert advise(habit, NONE, NONE, SHARES, NOW).first == "headless"
    assert (changes[-1].parameter, changes[-1].before, changes[-1].after) == ("first_rung", None, "headless")
    assert advise(habit, NONE, NONE, SHARES, NOW + timedelta(days=1)).first is None


def test_tor_is_remembered_for_as_long_as_its_circuit() -> None:
    """Sticky for 15 minutes, then the direct way is tried again."""
    tor = answer("tor", FetchOutcome.OK, 200)

    habit, _ = learn(NEW, (tor, ("http",)), (tor, ("http",)))

    assert habit.rung_until == NOW + STICKY


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (answer("headless", FetchOutcome.CHALLENGE, 403, "cloudflare"), "headless ended in challenge"),
        (OK, "plain HTTP is served again"),
    ],
    ids=["it-fails", "no-longer-needed"],
)
def test_rung_is_forgotten_when_it_fails_or_is_needless(result: FetchResult, reason: str) -> None:
    """The memory holds no longer than it helps."""
    known = replace(NEW, rung="headless", rung_hits=3, rung_until=NOW + timedelta(hours=1), rung_reason="x")

    habit, changes = learn(known, (result, ()))

    assert (habit.rung, changes[-1].parameter, changes[-1].reason) == (None, "first_rung", reason)


def test_tor_that_seldom_helps_is_barred_for_a_day() -> None:
    """§4.3: where Tor does not help, back to the direct way at once."""
    failed = answer("tor", FetchOutcome.BLOCKED, 403)

    habit, changes = learn(NEW, (failed, ("http",)), (failed, ("http",)))

    assert habit.tor_barred_until == NOW + timedelta(days=1)
    assert (changes[-1].parameter, changes[-1].after, changes[-1].figures["short"]) == ("tor", "barred", 0.245)
    assert advise(habit, NONE, NONE, SHARES, NOW).barred == {"tor": "it seldom helped with this domain"}


@pytest.mark.parametrize(
    ("overall", "own", "barred"),
    [
        ({}, {}, {}),
        ({"http": 18, "tor": 2}, {"http": 9, "tor": 1}, {}),
        ({"http": 18, "tor": 4}, {"http": 18}, {"tor": "its share of requests would pass 20%"}),
        ({"http": 90}, {"http": 3, "tor": 1}, {"tor": "its share of requests would pass 20%"}),
        ({"http": 17, "wayback": 2}, {}, {}),
        ({"http": 16, "wayback": 3}, {}, {"wayback": "its share of pages would pass 15%"}),
    ],
    ids=["first-of-the-day", "room-for-both", "overall-full", "domain-full", "archive-has-room", "archive-full"],
)
def test_shares_bound_tor_and_the_archive(overall: dict[str, int], own: dict[str, int], barred: dict[str, str]) -> None:
    """At most a fifth over Tor, of all and of one domain, and 15 % from the archive; a single one is always allowed."""
    assert advise(NEW, RequestCounts(overall), RequestCounts(own), SHARES, NOW) == RungAdvice(barred=barred)


def test_share_of_nothing_switches_a_rung_off() -> None:
    """A share of zero means never."""
    assert set(advise(NEW, NONE, NONE, RungShares(0.0, 0.0), NOW).barred) == {"tor", "wayback"}
