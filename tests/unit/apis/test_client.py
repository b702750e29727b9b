"""One question to an official API."""

import pytest

from lyra.apis.client import ApiClient
from lyra.model.page import FetchLane, FetchOutcome, FetchRequest
from lyra.model.search import SearchOutcome
from tests.api_fakes import MemoryCooldown, NoWait, Played

URL = "https://api.example/works?search=gliptin"


async def test_a_question_carries_lane_gate_cause_and_key(played: Played, clock: NoWait) -> None:
    """The key travels as a header only; lane and gate decide politeness."""
    played.json({"ok": 1})
    asker = ApiClient("openalex", played, clock, MemoryCooldown(clock), (("authorization", "Bearer k"),))

    reply = await asker.get(URL, cause_id="s_1")

    assert reply.value == {"ok": 1}
    assert played.asked == [
        FetchRequest(
            URL,
            FetchLane.API,
            "api:openalex",
            headers=(("accept", "application/json"), ("authorization", "Bearer k")),
            cause_id="s_1",
            rungs=("http",),
        )
    ]


async def test_a_busy_server_is_asked_again_after_what_it_said(played: Played, clock: NoWait) -> None:
    """Back-off is exponential, and a Retry-After counts instead."""
    played.gives(FetchOutcome.BLOCKED, status_code=429, retry_after_s=3.0)
    played.gives(FetchOutcome.FAILED, status_code=503)
    played.json([])

    reply = await ApiClient("s2", played, clock, MemoryCooldown(clock)).get(URL, cause_id=None)

    assert reply.value == []
    assert clock.slept == [3.0, 4.0]


async def test_a_storm_of_429_ends_after_two_more_tries(played: Played, clock: NoWait) -> None:
    """An API that keeps refusing is blocked, with the time it gave."""
    played.gives(FetchOutcome.BLOCKED, status_code=429, retry_after_s=2.0, reason="has had too many requests")

    reply = await ApiClient("s2", played, clock, MemoryCooldown(clock)).get(URL, cause_id=None)

    assert len(played.asked) == 3
    assert reply.failure is not None
    assert (reply.failure.outcome, reply.failure.retry_after_s) == (SearchOutcome.BLOCKED, 2.0)
    assert reply.failure.reason == "The API refuses for now (has had too many requests)."


async def test_an_api_that_refused_to_the_end_is_left_alone(played: Played, clock: NoWait) -> None:
    """Dozens of small questions follow in a search: they must not each go through the back-off again."""
    played.gives(FetchOutcome.BLOCKED, status_code=429)
    asker = ApiClient("s2", played, clock, MemoryCooldown(clock))
    await asker.get(URL, cause_id=None)

    second = await asker.get(URL, cause_id=None)
    asked_meanwhile = len(played.asked)
    await clock.sleep(60.0)
    played.json([])
    played.results = played.results[-1:]
    third = await asker.get(URL, cause_id=None)

    assert asked_meanwhile == 3
    assert second.failure is not None
    assert (second.failure.outcome, second.failure.retry_after_s) == (SearchOutcome.BLOCKED, 60.0)
    assert third.value == []


async def test_a_long_wait_is_left_to_the_caller(played: Played, clock: NoWait) -> None:
    """A search does not stand still for minutes because one API asks for it."""
    played.gives(FetchOutcome.BLOCKED, status_code=429, retry_after_s=600.0)

    reply = await ApiClient("s2", played, clock, MemoryCooldown(clock)).get(URL, cause_id=None)

    assert (len(played.asked), clock.slept) == (1, [])
    assert reply.failure is not None
    assert reply.failure.retry_after_s == 600.0


async def test_an_api_that_asks_for_a_year_is_left_alone_for_a_day(played: Played, clock: NoWait) -> None:
    """A slip in a header must not end the API for as long as Lyra runs."""
    played.gives(FetchOutcome.BLOCKED, status_code=429, retry_after_s=31_536_000.0)
    asker = ApiClient("s2", played, clock, MemoryCooldown(clock))
    await asker.get(URL, cause_id=None)

    reply = await asker.get(URL, cause_id=None)

    assert reply.failure is not None
    assert reply.failure.retry_after_s == 86_400.0


@pytest.mark.parametrize(
    ("outcome", "fields", "expected"),
    [
        pytest.param(FetchOutcome.NOT_FOUND, {"status_code": 404}, SearchOutcome.EMPTY, id="404"),
        pytest.param(FetchOutcome.BLOCKED, {"status_code": 403}, SearchOutcome.BLOCKED, id="403"),
        pytest.param(FetchOutcome.COOLING_DOWN, {"retry_after_s": 60.0}, SearchOutcome.BLOCKED, id="resting"),
        pytest.param(FetchOutcome.FAILED, {"status_code": 400}, SearchOutcome.FAILED, id="400"),
        pytest.param(FetchOutcome.TIMED_OUT, {}, SearchOutcome.FAILED, id="time-out"),
        pytest.param(FetchOutcome.TOO_LARGE, {}, SearchOutcome.FAILED, id="too-large"),
    ],
)
async def test_what_the_network_does_becomes_an_outcome(
    played: Played, clock: NoWait, outcome: FetchOutcome, fields: dict[str, object], expected: SearchOutcome
) -> None:
    """Unknown, refused and unreachable are three different things to a researcher."""
    played.gives(outcome, **fields)

    reply = await ApiClient("s2", played, clock, MemoryCooldown(clock)).get(URL, cause_id=None)

    assert reply.failure is not None
    assert reply.failure.outcome is expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!doctype html><h1>Not Found</h1>", "The API answered with HTML instead of JSON."),
        (b"\x00\xff\x1f", "The API answered with something else instead of JSON."),
        (b"", "The API answered with something else instead of JSON."),
        (b"[" * 100_000, "The API answered with half a JSON text."),
        (b'{"results": [{"id": 1}, {"id"', "The API answered with half a JSON text."),
    ],
    ids=["html", "binary", "nothing", "endless-nesting", "half"],
)
async def test_an_answer_that_is_not_json_is_failed(played: Played, clock: NoWait, body: bytes, reason: str) -> None:
    """A maintenance page with status 200 must not look like "nothing found"."""
    played.raw(body)

    reply = await ApiClient("s2", played, clock, MemoryCooldown(clock)).get(URL, cause_id=None)

    assert reply.failure is not None
    assert (reply.failure.outcome, reply.failure.reason) == (SearchOutcome.FAILED, reason)
