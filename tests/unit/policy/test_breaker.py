"""The circuit breaker of engines."""

from datetime import UTC, datetime, timedelta

import pytest

from lyra.model.domain import BreakerState, ServiceHealth
from lyra.policy import breaker
from lyra.settings import Politeness

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
FRESH = ServiceHealth("engine:mojeek", NOW)
DEFAULT = Politeness()


def failed(health: ServiceHealth, now: datetime = NOW, retry_after_s: float | None = None) -> ServiceHealth:
    return breaker.failed(health, now, DEFAULT, "blocked", "Status 403", retry_after_s)


def test_one_failure_leaves_it_closed() -> None:
    """A single mishap is not a fault."""
    once = failed(FRESH)

    assert once == ServiceHealth("engine:mojeek", NOW, BreakerState.CLOSED, 1, None, "blocked", "Status 403")
    assert breaker.wait_s(once, NOW) == 0.0


def test_second_failure_opens_it_for_thirty_minutes() -> None:
    """Two failures in a row open the circuit (§4.3)."""
    open_ = failed(failed(FRESH))

    assert open_ == ServiceHealth(
        "engine:mojeek", NOW, BreakerState.OPEN, 2, NOW + timedelta(minutes=30), "blocked", "Status 403"
    )
    assert breaker.wait_s(open_, NOW + timedelta(minutes=10)) == 1200.0


def test_time_makes_it_half_open() -> None:
    """When its time is over, one trial may pass."""
    later = NOW + timedelta(minutes=30)
    trial = breaker.current(failed(failed(FRESH)), later)

    assert (trial.state, trial.open_until, breaker.wait_s(trial, later)) == (BreakerState.HALF_OPEN, None, 0.0)


def test_success_closes_it() -> None:
    """One success ends the row, and what was remembered of the fault goes with it."""
    later = NOW + timedelta(hours=1)

    assert breaker.succeeded(failed(failed(FRESH)), later, "empty") == ServiceHealth(
        "engine:mojeek", later, last_outcome="empty"
    )


def test_failed_trial_opens_it_for_twice_as_long() -> None:
    """An engine that is still unwell rests longer."""
    later = NOW + timedelta(minutes=30)
    again = failed(failed(failed(FRESH)), later)

    assert (again.state, again.failures, again.open_until) == (BreakerState.OPEN, 3, later + timedelta(minutes=60))


@pytest.mark.parametrize(
    ("failures", "retry_after_s", "expected_s"),
    [
        (2, None, 1800.0),
        (3, None, 3600.0),
        (4, None, 7200.0),
        (50, None, 7200.0),
        (2, 2400.0, 2400.0),
        (2, 1e6, 7200.0),
    ],
)
def test_open_time_lies_between_30_and_120_minutes(
    failures: int, retry_after_s: float | None, expected_s: float
) -> None:
    """The bounds of the specification hold whatever happens."""
    assert breaker.open_s(failures, retry_after_s, DEFAULT) == expected_s


def test_retry_after_opens_it_at_once() -> None:
    """An engine that says when to come back is not asked before."""
    assert failed(FRESH, retry_after_s=60.0).open_until == NOW + timedelta(minutes=30)
