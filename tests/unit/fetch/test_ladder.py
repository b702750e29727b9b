"""The escalation rule."""

from typing import Any

import pytest

from lyra.fetch.ladder import RUNGS, LadderStep, next_rung
from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy.domain_policy import RungAdvice


def attempt(rung: str, outcome: FetchOutcome, status_code: int | None = None, *args: str, **fields: Any) -> FetchResult:
    challenge = args[0] if args else None
    return FetchResult("https://x.org/", outcome, status_code=status_code, challenge=challenge, rung=rung, **fields)


def after(*results: FetchResult, rungs: tuple[str, ...] = RUNGS, first: str | None = None) -> str | None:
    return next_rung(results, rungs, RungAdvice(first)).rung


def test_first_rung_is_http() -> None:
    """Every fetch begins with the lightest way, and says so."""
    assert next_rung(()) == LadderStep("http", "the lightest way first")


def test_remembered_rung_is_the_first() -> None:
    """What has worked for a domain is begun with, with the reason."""
    advice = RungAdvice("headless", "remembered for this domain: twice")

    assert next_rung((), RUNGS, advice) == LadderStep("headless", "remembered for this domain: twice")


def test_lighter_ways_remain_where_the_remembered_one_is_missing() -> None:
    """A browser that is gone must not leave a domain without any way."""
    gone = [attempt(rung, FetchOutcome.UNAVAILABLE) for rung in ("headless", "headful", "undetected")]

    assert after(*gone, rungs=RUNGS[:5], first="headless") == "http"


@pytest.mark.parametrize(
    ("result", "rung"),
    [
        (attempt("http", FetchOutcome.OK), None),
        (attempt("http", FetchOutcome.NOT_MODIFIED, 304), None),
        (attempt("http", FetchOutcome.OK, 200, page_state="needs_javascript"), "headless"),
        (attempt("headless", FetchOutcome.OK, 200, page_state="needs_javascript"), None),
        (attempt("http", FetchOutcome.OK, 200, page_state="paywall"), None),
        (attempt("http", FetchOutcome.BLOCKED, 403), "tor"),
        (attempt("http", FetchOutcome.BLOCKED, 429), "tor"),
        (attempt("http", FetchOutcome.BLOCKED, 429, retry_after_s=10.0), "tor"),
        (attempt("http", FetchOutcome.BLOCKED, 429, retry_after_s=11.0), "wayback"),
        (attempt("http", FetchOutcome.BLOCKED, 401, "login"), None),
        (attempt("http", FetchOutcome.BLOCKED, 402), "wayback"),
        (attempt("http", FetchOutcome.BLOCKED, 451), None),
        (attempt("http", FetchOutcome.CHALLENGE, 403, "cloudflare"), "headless"),
        (attempt("headless", FetchOutcome.CHALLENGE, 403, "cloudflare"), "headful"),
        (attempt("http", FetchOutcome.CHALLENGE, 403, "recaptcha"), None),
        (attempt("http", FetchOutcome.CHALLENGE, 200, "login"), None),
        (attempt("http", FetchOutcome.TIMED_OUT), "tor"),
        (attempt("http", FetchOutcome.FAILED), "tor"),
        (attempt("http", FetchOutcome.FAILED, 500), "wayback"),
        (attempt("http", FetchOutcome.FAILED, 503), "headless"),
        (attempt("http", FetchOutcome.FAILED, was_sent=False), "wayback"),
        (attempt("headless", FetchOutcome.FAILED), "http"),
        (attempt("http", FetchOutcome.NOT_FOUND, 404), "wayback"),
        (attempt("http", FetchOutcome.COOLING_DOWN, was_sent=False), "wayback"),
        (attempt("http", FetchOutcome.ROBOTS_DENIED, was_sent=False), None),
        (attempt("http", FetchOutcome.REFUSED_ADDRESS, was_sent=False), None),
        (attempt("http", FetchOutcome.UNSUPPORTED, 200), None),
        (attempt("http", FetchOutcome.TOO_LARGE, 200), None),
        (attempt("wayback", FetchOutcome.NOT_FOUND, 404), None),
    ],
    ids=str,
)  # fmt: skip
def test_outcome_decides_where_to_go_on(result: FetchResult, rung: str | None) -> None:
    """Another way where that may help; a rule is never climbed over, and a person's task goes to a person at once."""
    assert after(result) == rung


@pytest.mark.parametrize(
    ("results", "rung"),
    [
        pytest.param(
            [attempt("http", FetchOutcome.CHALLENGE, 403, "cloudflare"),
             attempt("headless", FetchOutcome.CHALLENGE, 403, "cloudflare")],
            "undetected", id="a check that headless did not pass",
        ),
        pytest.param(
            [attempt("http", FetchOutcome.FAILED, 503), attempt("headless", FetchOutcome.BLOCKED, 403)],
            "undetected", id="a refusal in headless",
        ),
        pytest.param(
            [attempt("headless", FetchOutcome.CHALLENGE, 403, "cloudflare"),
             attempt("headful", FetchOutcome.CHALLENGE, 403, "cloudflare")],
            "undetected", id="a check that a window did not pass",
        ),
        pytest.param(
            [attempt("http", FetchOutcome.BLOCKED, 403), attempt("tor", FetchOutcome.BLOCKED, 403)],
            "headless", id="no browser tried yet",
        ),
        pytest.param(
            [attempt("http", FetchOutcome.CHALLENGE, 403, "cloudflare"), attempt("headless", FetchOutcome.TIMED_OUT)],
            "tor", id="nothing was recognised",
        ),
    ],
)  # fmt: skip
def test_last_attempt_goes_to_the_browser_with_the_fewest_traces(results: list[FetchResult], rung: str) -> None:
    """Where a site has met a browser with a check or a refusal, and three rungs are all it may have."""
    assert after(*results) == rung


def test_no_rung_is_tried_twice() -> None:
    """Trying the same way again is forbidden (§4.3.5)."""
    assert after(attempt("http", FetchOutcome.BLOCKED, 403), rungs=("http",)) is None


def test_unavailable_rung_is_passed_without_counting() -> None:
    """What a machine lacks says nothing about the page, so three other rungs may still be tried."""
    attempts = [
        attempt("http", FetchOutcome.BLOCKED, 403),
        attempt("tor", FetchOutcome.UNAVAILABLE, was_sent=False),
        attempt("headless", FetchOutcome.BLOCKED, 403),
    ]

    assert after(*attempts) == "undetected"


def test_after_three_live_rungs_only_the_archive_is_asked() -> None:
    """What three rungs could not open waits for a person; a copy may still be read meanwhile."""
    attempts = [attempt(rung, FetchOutcome.BLOCKED, 403) for rung in ("http", "tor", "headless")]

    assert next_rung(attempts) == LadderStep(
        "wayback", "three rungs could not open the page: refused by status 403; another way may be let in"
    )


def test_barred_rung_is_passed_and_named() -> None:
    """A share that is used up bars Tor, and the journal says so."""
    advice = RungAdvice(barred={"tor": "its share of requests would pass 20%"})

    assert next_rung([attempt("http", FetchOutcome.BLOCKED, 403)], RUNGS, advice) == LadderStep(
        "headless",
        "refused by status 403; another way may be let in; not tor: its share of requests would pass 20%",
    )


def test_named_rungs_are_tried_in_their_order() -> None:
    """A request may say which rungs it wants; others are not climbed."""
    rungs = ("headful", "headless")

    assert (after(rungs=rungs), after(attempt("headful", FetchOutcome.BLOCKED, 403), rungs=rungs)) == (
        "headful",
        "headless",
    )
