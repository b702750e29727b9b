"""Several engines as one, over a real database: cache, circuit breakers, honest errors."""

from urllib.parse import quote

import pytest

from lyra.errors import AllEnginesBlocked, ChromeNotReady, InvalidParams
from lyra.model.page import FetchOutcome, FetchResult
from lyra.model.search import Outcome
from lyra.model.standing import BreakerState
from lyra.search.federation import Federation
from lyra.storage import engine_health
from lyra.storage.database import Database

from .conftest import HeldClock, ScriptedWeb

DDG = (
    '<html><body><div id="links"><div class="result"><h2><a class="result__a" href="https://www.fda.gov/saxagliptin">'
    'FDA on saxagliptin</a></h2><a class="result__snippet">Heart failure risk.</a></div></div></body></html>'
)
MOJEEK = (
    '<html><body><ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/info">PMDA</a></h2></li>'
    '<li><h2><a href="https://www.fda.gov/saxagliptin#top">FDA</a></h2></li></ul></body></html>'
)
NOTHING = '<html><body><div id="links"><div class="no-results">No results.</div></div></body></html>'
ANOMALY = '<html><body><div class="anomaly-modal__title">bots use DuckDuckGo too</div></body></html>'


async def test_two_engines_become_one_list(federation: Federation, scripted: ScriptedWeb) -> None:
    """What both found comes first; the cause travels with every request."""
    scripted.serves("duckduckgo", DDG)
    scripted.serves("mojeek", MOJEEK)

    answer = await federation.ask("saxagliptin heart failure", cause_id="s_1")

    assert [one.url for one in answer.candidates] == ["https://www.fda.gov/saxagliptin", "https://www.pmda.go.jp/info"]
    assert answer.candidates[0].engines == ("duckduckgo", "mojeek")
    assert answer.candidates[0].referer == "https://html.duckduckgo.com/html/"
    assert {request.cause_id for request in scripted.asked} == {"s_1"}


async def test_a_result_page_is_remembered_for_a_day(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock
) -> None:
    """The same question within 24 hours asks nobody; afterwards it is asked anew."""
    scripted.serves("duckduckgo", DDG)
    scripted.serves("mojeek", MOJEEK)
    first = await federation.ask("saxagliptin")
    clock.pass_by(86_399)

    again = await federation.ask("  Saxagliptin ")
    asked_within = len(scripted.asked)
    clock.pass_by(2)
    await federation.ask("saxagliptin")

    assert [one.url for one in again.candidates] == [one.url for one in first.candidates]
    assert asked_within == 2
    assert len(scripted.asked) == 4


async def test_refusals_are_not_remembered_as_answers(federation: Federation, scripted: ScriptedWeb) -> None:
    """A block today must not be served from the cache tomorrow."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)
    await federation.ask("saxagliptin")
    scripted.serves("duckduckgo", DDG)

    answer = await federation.ask("saxagliptin")

    assert [one.outcome for one in answer.answers] == [Outcome.RESULTS, Outcome.RESULTS]


async def test_two_failures_open_the_circuit_for_30_minutes(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock, db: Database
) -> None:
    """SPEC §4: two failures open, the engine is left alone, then one trial decides."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)
    await federation.ask("first question")
    await federation.ask("second question")
    opened = await db.read(engine_health.get, "duckduckgo")
    scripted.asked.clear()

    third = await federation.ask("third question")
    gates = [request.gate for request in scripted.asked]
    scripted.serves("duckduckgo", DDG)
    clock.pass_by(1800)
    fourth = await federation.ask("fourth question")
    closed = await db.read(engine_health.get, "duckduckgo")

    assert opened is not None
    assert (opened.state, opened.failures, opened.last_outcome) == (BreakerState.OPEN, 2, "blocked")
    assert gates == ["engine:mojeek"]
    assert (third.answers[0].outcome, third.answers[0].retry_after_s) == (Outcome.BLOCKED, 1800.0)
    assert fourth.answers[0].outcome is Outcome.RESULTS
    assert closed is not None
    assert (closed.state, closed.failures) == (BreakerState.CLOSED, 0)


async def test_an_unreachable_network_closes_no_engine(
    federation: Federation, scripted: ScriptedWeb, db: Database
) -> None:
    """A laptop without network says nothing of the engines; they must be usable the moment it is back."""
    scripted.gives("duckduckgo", FetchOutcome.FAILED, reason="The host name is unknown.")
    scripted.gives("mojeek", FetchOutcome.FAILED, reason="The host name is unknown.")

    answer = await federation.ask("saxagliptin")

    assert [one.outcome for one in answer.answers] == [Outcome.FAILED, Outcome.FAILED]
    assert answer.is_answered is False
    assert await db.read(engine_health.all) == ()


async def test_all_blocked_says_when_to_try_again(federation: Federation, scripted: ScriptedWeb) -> None:
    """The client needs to know how long to wait, and that this is not "nothing found"."""
    scripted.gives("duckduckgo", FetchOutcome.COOLING_DOWN, reason="rests", retry_after_s=900.0)
    scripted.gives("mojeek", FetchOutcome.BLOCKED, status_code=403, reason="refuses access", retry_after_s=1200.0)

    with pytest.raises(AllEnginesBlocked) as caught:
        await federation.ask("saxagliptin")

    assert (caught.value.code, caught.value.retryable, caught.value.retry_after_s) == (
        "ALL_ENGINES_BLOCKED",
        True,
        900.0,
    )
    assert sorted(caught.value.details["engines"]) == ["duckduckgo", "mojeek"]


async def test_an_empty_answer_is_not_a_block(federation: Federation, scripted: ScriptedWeb) -> None:
    """One engine that honestly found nothing makes the search empty, not blocked."""
    scripted.serves("duckduckgo", NOTHING)
    scripted.gives("mojeek", FetchOutcome.BLOCKED, status_code=403)

    answer = await federation.ask("zxqjwv")

    assert [one.outcome for one in answer.answers] == [Outcome.EMPTY, Outcome.BLOCKED]
    assert answer.candidates == ()
    assert answer.is_answered is True


async def test_refute_sends_the_fixed_suffixes(federation: Federation, scripted: ScriptedWeb) -> None:
    """Each derived query is sent to the engine named, and its results name the query that found them."""
    scripted.answers["engine:mojeek"] = lambda request: _found_by(request.url)

    answer = await federation.ask("gliptins are safe", engines=["mojeek"], refute=True)

    assert [one.text for one in answer.queries] == [
        "gliptins are safe",
        "gliptins are safe limitations",
        "gliptins are safe criticism",
        "gliptins are safe problems",
        "gliptins are safe rebuttal",
        "gliptins are safe misconceptions",
    ]
    assert len(scripted.asked) == 6
    assert sorted(one.query for one in answer.candidates) == sorted(one.text for one in answer.queries)


async def test_a_refusal_ends_the_asking(federation: Federation, scripted: ScriptedWeb) -> None:
    """An engine that refuses the first of six queries is not asked the other five."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)

    answer = await federation.ask("gliptins are safe", refute=True)

    assert [request.gate for request in scripted.asked].count("engine:duckduckgo") == 1
    assert [one.outcome for one in answer.answers] == [Outcome.BLOCKED] * 6 + [Outcome.RESULTS] * 6


async def test_sites_are_held_where_the_engine_cannot(federation: Federation, scripted: ScriptedWeb) -> None:
    """Wikipedia's API knows no `site:`; results elsewhere are dropped and the note says what was not told."""
    scripted.serves("wikipedia", '{"query": {"search": [{"title": "Sitagliptin"}]}}')

    answer = await federation.ask("sitagliptin site:ja.wikipedia.org", engines=["wikipedia"])

    assert [(one.outcome, one.items) for one in answer.answers] == [(Outcome.EMPTY, ())]
    assert answer.answers[0].reason == "The engine could not be told site:ja.wikipedia.org."


@pytest.mark.parametrize(
    ("query", "engines", "error"),
    [
        pytest.param("saxagliptin", ["altavista"], InvalidParams, id="unknown-engine"),
        pytest.param("saxagliptin", [], InvalidParams, id="no-engine"),
        pytest.param("saxagliptin", ["google", "bing"], ChromeNotReady, id="browser-only"),
        pytest.param("  ", None, InvalidParams, id="empty-query"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_asking(
    federation: Federation, scripted: ScriptedWeb, query: str, engines: list[str] | None, error: type[Exception]
) -> None:
    """A wrong argument is told at once and bothers no engine."""
    with pytest.raises(error):
        await federation.ask(query, engines=engines)

    assert scripted.asked == []


async def test_an_unknown_engine_is_answered_with_the_known_ones(federation: Federation) -> None:
    """The error teaches the client what it may name."""
    with pytest.raises(InvalidParams) as caught:
        await federation.ask("saxagliptin", engines=["duckduckgo", "altavista"])

    assert caught.value.details["known"][:3] == ["bing", "brave", "duckduckgo"]


def _found_by(url: str) -> FetchResult:
    """A page whose only result names the request that found it."""
    link = f"https://a.example/{quote(url, safe='')}"
    page = f'<ul class="results-standard"><li><h2><a href="{link}">T</a></h2></li></ul>'
    return FetchResult(url, FetchOutcome.OK, status_code=200, body=page.encode())
