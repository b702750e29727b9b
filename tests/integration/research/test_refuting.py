"""When a claim counts as searched for refutations: engines were asked, and what they found could be read."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lyra.app import Lyra
from lyra.model.claim import RefutationStatus
from lyra.model.search import SearchOptions
from lyra.model.task import Hypothesis, TaskConfig
from lyra.settings import Network, Politeness, Settings
from lyra.settings.rungs import Browser, Tor, Wayback
from lyra.storage import quotes
from simweb import SimWeb
from simweb.faults import Fault

BIRTHS = "学校給食費の無償化は出生数を増やす。"
_WAIT_S = 100.0


@pytest.fixture
async def lyra(web: SimWeb, tmp_path: Path) -> AsyncIterator[Lyra]:
    """Lyra with its worker, over HTTP alone and in a hurry."""
    settings = Settings(
        data_dir=tmp_path,
        network=Network(proxy=web.proxy_url, ca_bundle=web.ca_path, timeout_s=5),
        politeness=Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000),
        browser=Browser(executable=tmp_path / "no-browser"),
        tor=Tor(mode="off"),
        wayback=Wayback(enabled=False),
    )
    async with Lyra.open(settings, with_worker=True) as opened:
        yield opened
    web.faults.clear()


async def searched(lyra: Lyra, query: str) -> tuple[int, RefutationStatus]:
    """Pages that a refute search for the claim read, and what the claim then says of refutations."""
    task, (claim_id,) = await lyra.tasks.create("給食費", TaskConfig(hypotheses=(Hypothesis(BIRTHS),)))
    options = SearchOptions(refute=True, claim_ids=(claim_id,), engines=("mojeek",), max_pages=1)
    search = await lyra.searches.start(task.id, query, options)
    ended = (await lyra.searches.wait(search.id, _WAIT_S)).search
    stated = {one.claim.id: one.assessment.refutation_status for one in await lyra.db.read(quotes.of_task, task.id)}
    return ended.pages_fetched, stated[claim_id]


async def test_a_search_that_read_something_counts(lyra: Lyra) -> None:
    """Engines were asked in all fixed words, and a page that says nothing of it was read."""
    assert await searched(lyra, "移住支援金 申請 窓口") == (1, RefutationStatus.NONE_FOUND)


@pytest.mark.parametrize("named", ["PMID: 99999999", "https://www.jinkotokei.go.jp/dashboard/iju"])
async def test_a_named_page_is_no_search_for_refutations(lyra: Lyra, named: str) -> None:
    """Nobody was asked, so nothing can be said about what was not found."""
    _, status = await searched(lyra, named)

    assert status is RefutationStatus.NOT_SEARCHED


async def test_results_that_could_not_be_read_refute_nothing_and_clear_nothing(lyra: Lyra, web: SimWeb) -> None:
    """Where every page failed, the claim stays unsearched instead of unrefuted."""
    web.faults.set("*", Fault("status", status=404))
    web.faults.set("www.mojeek.com", Fault("slow", delay_s=0.0))

    assert await searched(lyra, "移住支援金 申請 窓口") == (0, RefutationStatus.NOT_SEARCHED)
