"""Both default engines through the real fetcher, on the simulated web."""

import pytest

from lyra.errors import AllEnginesBlocked
from lyra.model.search import SearchOutcome
from lyra.search.federation import Federation, FederationOptions
from simweb import Fault, SimWeb

from .conftest import engines_of


@pytest.mark.parametrize("engine", ["duckduckgo", "mojeek"])
@pytest.mark.parametrize(
    "query", ["saxagliptin heart failure hospitalisation", "DPP-4阻害薬 類天疱瘡 リスク"], ids=["en", "ja"]
)
async def test_an_engine_answers_with_pages_of_others(online: Federation, engine: str, query: str) -> None:
    """Ten results a page, ranked, none of them the engine's own or a redirect through it."""
    answer = await online.search(query, FederationOptions(engines=(engine,), wanted=1))

    assert [one.outcome for one in answer.answers] == [SearchOutcome.RESULTS]
    assert [item.rank for item in answer.answers[0].items] == list(range(1, 11))
    assert [one.url for one in answer.candidates if "duckduckgo" in one.url or "mojeek" in one.url] == []


async def test_both_engines_are_fused(online: Federation, web: SimWeb) -> None:
    """The two engines rank differently; what both show leads the list."""
    answer = await online.search("DPP-4 inhibitors acute pancreatitis risk")

    assert engines_of(answer, answer.candidates[0].url) == {"duckduckgo", "mojeek"}
    assert sorted(visit.host for visit in web.requests) == ["html.duckduckgo.com", "www.mojeek.com"]
    assert len({one.url for one in answer.candidates}) == len(answer.candidates)


async def test_a_challenge_is_blocked_and_the_other_engine_serves(online: Federation, web: SimWeb) -> None:
    """An engine that asks for a human takes only its own share away."""
    web.faults.set("html.duckduckgo.com", Fault("challenge"))

    answer = await online.search("DPP-4 inhibitors all-cause mortality")

    assert [(one.engine, one.outcome) for one in answer.answers] == [
        ("duckduckgo", SearchOutcome.BLOCKED),
        ("mojeek", SearchOutcome.RESULTS),
    ]


async def test_all_engines_blocked_is_an_error_with_a_time(online: Federation, web: SimWeb) -> None:
    """Both refuse: the client learns that, and when the first of them is asked again (30 minutes at least)."""
    web.faults.set("html.duckduckgo.com", Fault("status", status=429, retry_after_s=120))
    web.faults.set("www.mojeek.com", Fault("challenge"))

    refusal = (await online.search("DPP-4 inhibitors all-cause mortality")).refusal

    assert isinstance(refusal, AllEnginesBlocked)
    assert refusal.retry_after_s == pytest.approx(1800, abs=2)


async def test_a_truncated_page_is_not_taken_for_empty(online: Federation, web: SimWeb) -> None:
    """A page cut before its first result is failed, for it says nothing of what the engine would have found."""
    web.faults.set("www.mojeek.com", Fault("truncated", after_bytes=300))

    answer = await online.search("saxagliptin", FederationOptions(engines=("mojeek",)))

    assert [one.outcome for one in answer.answers] == [SearchOutcome.FAILED]


async def test_nothing_found_is_empty(online: Federation) -> None:
    """A query that matches nothing is empty on both engines, with the marker that said so."""
    answer = await online.search("zxqjwvbkmpffdsgh")

    assert [one.outcome for one in answer.answers] == [SearchOutcome.EMPTY, SearchOutcome.EMPTY]
