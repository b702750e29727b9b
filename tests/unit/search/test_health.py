"""Averages and quotas of engines."""

from datetime import UTC, datetime, timedelta

from lyra.model.domain import ServiceHealth
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.search.health import requests_left_today, updated_averages

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def test_a_refusal_weighs_more_in_the_short_average() -> None:
    """SPEC §9: 0.3 of the hour's, 0.1 of the day's; a captcha is counted apart."""
    before = ServiceHealth("engine:mojeek", NOW)
    answer = EngineAnswer("mojeek", "q", SearchOutcome.BLOCKED, challenge="captcha")

    after = updated_averages(before, ServiceHealth("engine:mojeek", NOW), answer, 2.0)

    assert (after.success_1h, after.success_24h, after.captcha_24h, after.latency_s) == (0.7, 0.9, 0.1, 2.0)


def test_after_a_silence_the_newest_answer_counts_for_more() -> None:
    """What was true yesterday says little: after a day the short average is all but the newest answer."""
    before = ServiceHealth("engine:mojeek", NOW, success_1h=0.0, success_24h=0.0)
    later = ServiceHealth("engine:mojeek", NOW + timedelta(days=1))

    after = updated_averages(before, later, EngineAnswer("mojeek", "q", SearchOutcome.RESULTS), 1.0)

    assert (after.success_1h, after.success_24h) == (1.0, 0.6321)


def test_a_page_read_by_structure_counts_as_drift() -> None:
    """Results are sound, but the engine loses weight until its selectors fit again."""
    answer = EngineAnswer(
        "mojeek", "q", SearchOutcome.RESULTS, reason="The page has drifted and was read by structure: x."
    )

    after = updated_averages(ServiceHealth("engine:mojeek", NOW), ServiceHealth("engine:mojeek", NOW), answer, 1.0)

    assert (after.success_1h, after.drift_24h) == (1.0, 0.1)


def test_a_server_error_is_no_drift() -> None:
    """A failure says nothing of the selectors; a page that shows neither results nor why does."""
    unserved = EngineAnswer(
        "mojeek", "q", SearchOutcome.FAILED, reason="The engine gave no result page (failed: Status 500)."
    )
    unread = EngineAnswer("mojeek", "q", SearchOutcome.FAILED, reason="Page 'x' shows neither results nor a sign.")

    drifts = [
        updated_averages(ServiceHealth("engine:mojeek", NOW), ServiceHealth("engine:mojeek", NOW), one, 1.0)
        for one in (unserved, unread)
    ]

    assert [(one.success_24h, one.drift_24h) for one in drifts] == [(0.9, 0.0), (0.9, 0.1)]


def test_a_quota_begins_anew_at_midnight() -> None:
    """Requests of another day do not count."""
    used = ServiceHealth("engine:google", NOW, asked_day="2026-11-15", asked_today=20)

    assert requests_left_today(used, 20, NOW) == 0
    assert requests_left_today(used, 20, NOW + timedelta(days=1)) == 20
    assert requests_left_today(None, None, NOW) is None
