"""Several engines as one, over a real database: cache, circuit breakers, honest errors."""

from pathlib import Path

import pytest

from lyra.errors import AllEnginesBlocked, InvalidParams
from lyra.model.domain import BreakerState
from lyra.model.page import FetchOutcome
from lyra.model.search import SearchOutcome, Vertical
from lyra.search.engines import known_engines
from lyra.search.federation import Federation, FederationOptions
from lyra.search.health import EngineHealthStore
from lyra.settings import Engines, Politeness, Settings
from lyra.storage import service_health
from lyra.storage.database import Database
from tests.clocks import HeldClock

from .conftest import MOJEEK, ScriptedWeb, engines_of, found_by

DDG = (
    '<html><body><div id="links"><div class="result"><h2><a class="result__a" href="https://www.fda.gov/saxagliptin">'
    'FDA on saxagliptin</a></h2><a class="result__snippet">Heart failure risk.</a></div></div></body></html>'
)
NOTHING = '<html><body><div id="links"><div class="no-results">No results.</div></div></body></html>'
ANOMALY = '<html><body><div class="anomaly-modal__title">bots use DuckDuckGo too</div></body></html>'


async def test_two_engines_become_one_list(federation: Federation, scripted: ScriptedWeb) -> None:
    """What both found comes first; the cause travels with every request."""
    scripted.serves("duckduckgo", DDG)
    scripted.serves("mojeek", MOJEEK)

    answer = await federation.search("saxagliptin heart failure", cause_id="s_1")

    assert [one.url for one in answer.candidates] == ["https://www.fda.gov/saxagliptin", "https://www.pmda.go.jp/info"]
    assert engines_of(answer, answer.candidates[0].url) == {"duckduckgo", "mojeek"}
    assert answer.candidates[0].referer == "https://html.duckduckgo.com/html/"
    assert {request.cause_id for request in scripted.asked} == {"s_1"}


async def test_a_result_page_is_remembered_for_a_day(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock
) -> None:
    """The same question within 24 hours asks nobody; afterwards it is asked again."""
    scripted.serves("duckduckgo", DDG)
    scripted.serves("mojeek", MOJEEK)
    first = await federation.search("saxagliptin")
    clock.pass_by(86_399)

    again = await federation.search("  Saxagliptin ")
    asked_within = len(scripted.asked)
    clock.pass_by(2)
    await federation.search("saxagliptin")

    assert [one.url for one in again.candidates] == [one.url for one in first.candidates]
    assert asked_within == 2
    assert len(scripted.asked) == 4


async def test_refusals_are_not_remembered_as_answers(federation: Federation, scripted: ScriptedWeb) -> None:
    """A block today must not be served from the cache tomorrow."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)
    await federation.search("saxagliptin")
    scripted.serves("duckduckgo", DDG)

    answer = await federation.search("saxagliptin")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.RESULTS, SearchOutcome.RESULTS]


async def test_two_failures_open_the_circuit_for_30_minutes(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock, db: Database
) -> None:
    """SPEC §4: two failures open, the engine is left alone, then one trial decides."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)
    await federation.search("first question")
    await federation.search("second question")
    opened = await db.read(service_health.get, "engine:duckduckgo")
    scripted.asked.clear()

    third = await federation.search("third question")
    gates = [request.gate for request in scripted.asked]
    scripted.serves("duckduckgo", DDG)
    clock.pass_by(1800)
    fourth = await federation.search("fourth question")
    closed = await db.read(service_health.get, "engine:duckduckgo")

    assert opened is not None
    assert (opened.state, opened.failures, opened.last_outcome) == (BreakerState.OPEN, 2, "blocked")
    assert gates == ["engine:mojeek"]
    rests = next(one for one in third.engine_weights if one.engine == "duckduckgo")
    assert (rests.skipped, rests.wait_s) == (
        'its circuit is open: The engine refuses (selector ".anomaly-modal__title, .anomaly-modal__mask, '
        "form[action*='anomaly.js']\").",
        1800.0,
    )
    assert [one.engine for one in fourth.answers] == ["mojeek", "duckduckgo"]
    assert closed is not None
    assert (closed.state, closed.failures) == (BreakerState.CLOSED, 0)


async def test_an_unreachable_network_closes_no_engine(
    federation: Federation, scripted: ScriptedWeb, db: Database
) -> None:
    """A laptop without network says nothing of the engines; they must be usable the moment it is back."""
    scripted.gives("duckduckgo", FetchOutcome.FAILED, reason="The host name is unknown.")
    scripted.gives("mojeek", FetchOutcome.FAILED, reason="The host name is unknown.")

    answer = await federation.search("saxagliptin")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.FAILED, SearchOutcome.FAILED]
    assert [one.outcome.is_answer for one in answer.answers] == [False, False]
    known = await db.read(service_health.all, "engine")
    assert [(one.name.removeprefix("engine:"), one.state, one.failures, one.success_1h) for one in known] == [
        ("duckduckgo", BreakerState.CLOSED, 0, 1.0),
        ("mojeek", BreakerState.CLOSED, 0, 1.0),
    ]


async def test_all_blocked_says_when_to_try_again(federation: Federation, scripted: ScriptedWeb) -> None:
    """The client needs to know how long to wait, and that this is not "nothing found"."""
    scripted.gives("duckduckgo", FetchOutcome.COOLING_DOWN, reason="rests", retry_after_s=900.0)
    scripted.gives("mojeek", FetchOutcome.BLOCKED, status_code=403, reason="refuses access", retry_after_s=1200.0)

    refusal = (await federation.search("saxagliptin")).refusal

    assert refusal is not None
    assert (refusal.code, refusal.retryable, refusal.retry_after_s) == ("ALL_ENGINES_BLOCKED", True, 900.0)
    assert sorted(refusal.details["engines"]) == ["duckduckgo", "mojeek"]


async def test_the_time_to_try_again_is_kept(federation: Federation, scripted: ScriptedWeb, clock: HeldClock) -> None:
    """An engine may ask for two minutes, but its circuit rests for thirty: the client is told of the thirty."""
    for engine in ("duckduckgo", "mojeek"):
        scripted.gives(engine, FetchOutcome.BLOCKED, status_code=429, retry_after_s=120.0)
    first = (await federation.search("saxagliptin")).refusal
    scripted.serves("duckduckgo", NOTHING)
    clock.pass_by(1799.0)

    with pytest.raises(AllEnginesBlocked) as second:
        await federation.search("saxagliptin")
    clock.pass_by(1.0)
    third = await federation.search("saxagliptin")

    assert first is not None
    assert (first.retry_after_s, second.value.retry_after_s) == (1800.0, 1.0)
    assert (third.answers[0].engine, third.answers[0].outcome) == ("duckduckgo", SearchOutcome.EMPTY)


async def test_an_empty_answer_is_not_a_block(federation: Federation, scripted: ScriptedWeb) -> None:
    """One engine that honestly found nothing makes the search empty, not blocked."""
    scripted.serves("duckduckgo", NOTHING)
    scripted.gives("mojeek", FetchOutcome.BLOCKED, status_code=403)

    answer = await federation.search("zxqjwv")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.EMPTY, SearchOutcome.BLOCKED]
    assert answer.candidates == ()
    assert [one.outcome.is_answer for one in answer.answers] == [True, False]


async def test_refute_sends_the_fixed_suffixes(federation: Federation, scripted: ScriptedWeb) -> None:
    """Each derived query is sent to the engine named, and its results name the query that found them."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)

    answer = await federation.search("gliptins are safe", FederationOptions(engines=("mojeek",), refute=True))

    assert [one.text for one in answer.queries] == [
        "gliptins are safe",
        "gliptins are safe limitations",
        "gliptins are safe criticism",
        "gliptins are safe problems",
        "gliptins are safe rebuttal",
        "gliptins are safe misconceptions",
    ]
    assert len(scripted.asked) == 6
    assert sorted(one.derived_query or "" for one in answer.candidates) == sorted(one.text for one in answer.queries)


async def test_a_refusal_ends_the_asking(federation: Federation, scripted: ScriptedWeb) -> None:
    """An engine that refuses the first query is not asked the next ones; the other is asked every suffix.

    No suffix brings anything new, but "no refutation found" is only worth what was asked.
    """
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)

    answer = await federation.search("gliptins are safe", FederationOptions(refute=True))

    assert [request.gate for request in scripted.asked].count("engine:duckduckgo") == 1
    assert [one.outcome for one in answer.answers] == [SearchOutcome.BLOCKED, SearchOutcome.RESULTS] * 6


async def test_sites_are_held_where_the_engine_cannot(federation: Federation, scripted: ScriptedWeb) -> None:
    """Wikipedia's API knows no `site:`; results elsewhere are dropped and the note says what was not told."""
    scripted.serves("wikipedia", '{"query": {"search": [{"title": "Sitagliptin"}]}}')

    answer = await federation.search("sitagliptin site:ja.wikipedia.org", FederationOptions(engines=("wikipedia",)))

    assert [(one.outcome, one.items) for one in answer.answers] == [(SearchOutcome.EMPTY, ())]
    assert answer.answers[0].reason == "The engine cannot be given site:ja.wikipedia.org."


@pytest.mark.parametrize(
    ("query", "engines", "error"),
    [
        pytest.param("saxagliptin", ["altavista"], InvalidParams, id="unknown-engine"),
        pytest.param("saxagliptin", [], InvalidParams, id="no-engine"),
        pytest.param("  ", None, InvalidParams, id="empty-query"),
    ],
)
async def test_what_cannot_be_asked_is_refused_before_asking(
    federation: Federation, scripted: ScriptedWeb, query: str, engines: list[str] | None, error: type[Exception]
) -> None:
    """A wrong argument is told at once and bothers no engine."""
    with pytest.raises(error):
        await federation.search(query, FederationOptions(engines=engines if engines is None else tuple(engines)))

    assert scripted.asked == []


async def test_an_unknown_engine_is_answered_with_the_known_ones(federation: Federation) -> None:
    """The error teaches the client what it may name."""
    with pytest.raises(InvalidParams) as caught:
        await federation.search("saxagliptin", FederationOptions(engines=("duckduckgo", "altavista")))

    assert caught.value.details["known"][:3] == ["bing", "brave", "duckduckgo"]


async def test_another_engine_stands_in_for_one_that_refuses(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """As many engines answer as a search asks, while there are others; the last mile stays out of it."""
    scripted.serves("duckduckgo", ANOMALY, 202)
    scripted.serves("mojeek", MOJEEK)
    scripted.serves("wikipedia", '{"query": {"search": [{"title": "Saxagliptin"}]}}')
    engines = Engines(
        enabled=("duckduckgo", "mojeek", "wikipedia", "google"), per_search=2, queries_per_search=1, last_mile_below=0
    )
    federation = Federation(known_engines(), scripted, db, clock, Settings(data_dir=tmp_path, engines=engines))

    answer = await federation.search("saxagliptin")

    assert [(one.engine, one.outcome.value) for one in answer.answers] == [
        ("duckduckgo", "blocked"),
        ("mojeek", "results"),
        ("wikipedia", "results"),
    ]
    assert answer.sent[1].why == "stands in for an engine that gave no answer"


async def test_the_last_mile_is_asked_only_where_little_was_found(
    scripted: ScriptedWeb, db: Database, clock: HeldClock, tmp_path: Path
) -> None:
    """Google has a tiny weight and a quota: it is asked for what the others did not find, and no more often."""
    scripted.serves("mojeek", MOJEEK)
    scripted.serves("google", '<div id="rso"><div><a href="https://www.ema.europa.eu/x"><h3>EMA</h3></a></div></div>')
    engines = Engines(enabled=("mojeek", "google"), queries_per_search=1, last_mile_below=3)
    settings = Settings(data_dir=tmp_path, engines=engines)
    federation = Federation(known_engines(), scripted, db, clock, settings)

    answer = await federation.search("saxagliptin")
    enough = settings.model_copy(update={"engines": engines.model_copy(update={"last_mile_below": 2})})
    without = await Federation(known_engines(), scripted, db, clock, enough).search("sitagliptin")

    assert [one.engine for one in answer.answers] == ["mojeek", "google"]
    assert answer.sent[-1].why == "last mile: the others found too little"
    assert [one.engine for one in without.answers] == ["mojeek"]


async def test_a_daily_quota_is_kept_and_begins_anew(
    federation: Federation, scripted: ScriptedWeb, clock: HeldClock
) -> None:
    """Twenty requests a day to Brave, over all searches; then the client is told to come back tomorrow."""
    scripted.serves("brave", NOTHING.replace("no-results", "no-results brave"))
    wish = FederationOptions(engines=("brave",))
    for number in range(20):
        await federation.search(f"question {number}", wish)

    with pytest.raises(AllEnginesBlocked) as caught:
        await federation.search("question 20", wish)
    clock.pass_by(caught.value.retry_after_s or 0.0)
    anew = await federation.search("question 20", wish)

    assert (len(scripted.asked), caught.value.retry_after_s) == (21, 54_000.0)
    assert anew.answers[0].outcome is SearchOutcome.EMPTY


async def test_a_request_that_reached_nobody_uses_up_no_quota(
    federation: Federation, scripted: ScriptedWeb, db: Database
) -> None:
    """A day without network must not end with Google and Brave used up."""
    scripted.gives("brave", FetchOutcome.FAILED, reason="The host name is unknown.")

    await federation.search("saxagliptin", FederationOptions(engines=("brave",)))

    known = await db.read(service_health.get, "engine:brave")
    assert (known.asked_day, known.asked_today) == ("2026-11-15", 0)


async def test_a_vertical_adds_its_fixed_queries(federation: Federation, scripted: ScriptedWeb) -> None:
    """The client names the kind of question; the templates are data and hold only his words."""
    scripted.answers["engine:mojeek"] = lambda request: found_by(request.url)

    answer = await federation.search(
        "ロボット手術 保険", FederationOptions(engines=("mojeek",), vertical=Vertical.POLICY)
    )

    assert [(one.text, one.rule) for one in answer.queries] == [
        ("ロボット手術 保険", "asked"),
        ("site:go.jp ロボット手術 保険", "vertical:policy"),
        ("site:e-gov.go.jp ロボット手術 保険", "vertical:policy"),
        ("ロボット手術 保険 パブリックコメント", "vertical:policy"),
        ("ロボット手術 保険 審議会 filetype:pdf", "vertical:policy"),
    ]


async def test_a_quota_is_counted_before_the_request(db: Database, clock: HeldClock) -> None:
    """Two processes that ask at once cannot both have the last request of the day."""
    health = EngineHealthStore(db, clock, Politeness())

    taken = [await health.count_request("google", 2) for _ in range(3)]

    assert taken == [True, True, False]
