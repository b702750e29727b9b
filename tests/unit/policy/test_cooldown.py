"""How long a domain rests."""

from datetime import UTC, datetime, timedelta

import pytest

from lyra.model.page import FetchOutcome
from lyra.policy.cooldown import breaker_state, is_refusal, requested_s, rest_s, was_served
from lyra.settings import Politeness

DEFAULT = Politeness()
NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("failures", "expected_s"),
    [(1, 0.0), (2, 1800.0), (3, 3600.0), (5, 3600.0), (6, 7200.0), (9, 14_400.0), (12, 14_400.0), (10_000, 14_400.0)],
)
def test_rest_doubles_with_every_third_refusal(failures: int, expected_s: float) -> None:
    """`min(base·2^(failures//3), max)`, from the second refusal on, never under thirty minutes (§4.3)."""
    assert rest_s(failures, None, DEFAULT) == expected_s


@pytest.mark.parametrize(
    ("failures", "retry_after_s", "expected_s"),
    [(1, 60.0, 1800.0), (1, 5400.0, 5400.0), (3, 60.0, 3600.0), (2, 1e9, 86_400.0), (1, 0.0, 0.0), (1, -5.0, 0.0)],
    ids=["short", "long", "grown", "endless", "zero", "negative"],
)
def test_retry_after_is_never_undercut(failures: int, retry_after_s: float, expected_s: float) -> None:
    """What the server asks for is a lower bound at the very first refusal, within a day."""
    assert rest_s(failures, retry_after_s, DEFAULT) == expected_s


def test_settings_decide_base_and_threshold() -> None:
    """A demonstration may shorten the rest by documented settings."""
    gentle = Politeness(cooldown_after=1, cooldown_min_s=2.0, cooldown_max_s=5.0)

    assert [rest_s(n, None, gentle) for n in (1, 3, 6)] == [2.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("outcome", "status", "expected"),
    [
        (FetchOutcome.BLOCKED, 403, True),
        (FetchOutcome.BLOCKED, 429, True),
        (FetchOutcome.BLOCKED, 401, False),
        (FetchOutcome.BLOCKED, 402, False),
        (FetchOutcome.BLOCKED, 451, False),
        (FetchOutcome.CHALLENGE, 200, True),
        (FetchOutcome.TIMED_OUT, None, True),
        (FetchOutcome.FAILED, 503, False),
        (FetchOutcome.NOT_FOUND, 404, False),
    ],
)
def test_only_refusals_of_the_visitor_count(outcome: FetchOutcome, status: int, expected: bool) -> None:
    """A paywalled page says nothing about how the domain takes our visits."""
    assert is_refusal(outcome, status) is expected


@pytest.mark.parametrize(("challenge", "expected"), [("login", False), ("consent", False), ("cloudflare", True)])
def test_walls_of_one_page_are_no_refusal_of_the_domain(challenge: str, expected: bool) -> None:
    """A page behind a log-in closes nothing but itself."""
    assert is_refusal(FetchOutcome.CHALLENGE, 200, challenge) is expected


@pytest.mark.parametrize(
    ("failures", "rest_s", "expected"),
    [(0, None, "closed"), (1, None, "closed"), (2, 60, "open"), (2, -1, "half_open"), (2, None, "half_open")],
)
def test_circuit_follows_refusals_and_rest(failures: int, rest_s: float | None, expected: str) -> None:
    """Open while the domain rests, half open until an answer has come, closed otherwise."""
    until = None if rest_s is None else NOW + timedelta(seconds=rest_s)

    assert breaker_state(failures, until, NOW, DEFAULT).value == expected


def test_served_answers_end_the_row() -> None:
    """Even "not found" shows that the server speaks to us."""
    welcome = {outcome for outcome in FetchOutcome if was_served(outcome)}

    assert welcome == {FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND}


def test_requested_pause_is_bounded_by_a_day() -> None:
    """A server cannot silence a domain for years."""
    assert requested_s(31_536_000.0) == 86_400.0
