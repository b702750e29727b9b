"""The escalation rule."""

import pytest

from lyra.fetch.ladder import next_rung
from lyra.model.page import FetchOutcome

LATER = ("http", "tor", "browser", "headful")


def test_first_rung_is_http() -> None:
    """Every fetch begins with the lightest way."""
    assert next_rung(()) == "http"


@pytest.mark.parametrize("outcome", [FetchOutcome.BLOCKED, FetchOutcome.TIMED_OUT, FetchOutcome.FAILED])
def test_another_way_is_tried_where_it_may_help(outcome: FetchOutcome) -> None:
    """A refusal of one way of asking may not concern the next."""
    assert next_rung(("http",), outcome, LATER) == "tor"


@pytest.mark.parametrize(
    "outcome",
    [
        FetchOutcome.OK,
        FetchOutcome.NOT_MODIFIED,
        FetchOutcome.NOT_FOUND,
        FetchOutcome.CHALLENGE,
        FetchOutcome.ROBOTS_DENIED,
        FetchOutcome.COOLING_DOWN,
        FetchOutcome.REFUSED_ADDRESS,
        FetchOutcome.UNSUPPORTED,
        FetchOutcome.TOO_LARGE,
    ],
)
def test_climbing_stops_where_it_changes_nothing(outcome: FetchOutcome) -> None:
    """A rule (robots, rest, address) is never climbed over, and a missing page is missing on every rung."""
    assert next_rung(("http",), outcome, LATER) is None


def test_no_rung_is_tried_twice() -> None:
    """Trying the same way again is forbidden (§4.3.5)."""
    assert next_rung(("http",), FetchOutcome.BLOCKED, ("http",)) is None


def test_three_rungs_are_the_most() -> None:
    """What three rungs could not open goes to a person."""
    assert next_rung(("http", "tor", "browser"), FetchOutcome.BLOCKED, LATER) is None
