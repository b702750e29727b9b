"""The whole of Lyra with its browsers: pages that need one get one, and nothing is left running."""

import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from lyra.app import Lyra
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.model.search import Candidate, SearchOptions
from lyra.model.task import TaskConfig
from lyra.research.graph_builder import GraphBuilder
from lyra.research.phases.fetch import fetch
from lyra.research.search_run import SearchRun
from lyra.settings import Network, Politeness, Settings
from lyra.settings.rungs import Browser
from lyra.storage import candidates, pages
from simweb import Fault, SimWeb

QUICK = Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0, engine_qps=1000, api_qps=1000)
DASHBOARD = "https://www.jinkotokei.go.jp/dashboard/iju"
HEART_FAILURE = "https://www.fdso.gov/safety/dpp4-heart-failure"


def living_below(pid: int) -> set[tuple[int, str]]:
    """Number and name of the living processes that this one has started, and theirs."""
    below = psutil.Process(pid).children(recursive=True)
    return {(one.pid, one.name()) for one in below if one.status() != psutil.STATUS_ZOMBIE}


async def opened(settings: Settings, *urls: str) -> tuple[list[FetchResult], set[str]]:
    """What an open Lyra fetches, and the names of the processes that ran for it meanwhile."""
    before = living_below(os.getpid())
    async with Lyra.open(settings) as lyra:
        results = [await lyra.parts.getter(FetchRequest(url)) for url in urls]
        return results, {name for _, name in living_below(os.getpid()) - before}


@pytest.fixture
def settings(web: SimWeb, tmp_path: Path, chromium: Path, certutil: None) -> Settings:
    network = Network(proxy=web.proxy_url, ca_bundle=web.ca_path)
    return Settings(data_dir=tmp_path, network=network, politeness=QUICK, browser=Browser(quiet_s=0.2))


async def test_page_that_wants_a_browser_gets_one_which_ends_with_lyra(settings: Settings, web: SimWeb) -> None:
    """HTTP meets a check, the browser the page; when Lyra closes, no process of it survives."""
    web.faults.set("www.jinkotokei.go.jp/dashboard/*", Fault("challenge", times=1))
    before = living_below(os.getpid())

    (plain, built), meanwhile = await opened(settings, HEART_FAILURE, DASHBOARD)

    assert (plain.outcome, plain.tried) == (FetchOutcome.OK, ("http",))
    assert (built.outcome, built.tried, built.rung) == (FetchOutcome.OK, ("http", "headless"), "headless")
    assert "およそ2割が転出している" in built.body.decode()
    assert "chromium" in " ".join(meanwhile)
    assert living_below(os.getpid()) == before


async def test_browser_is_not_started_without_need(settings: Settings) -> None:
    """A page that comes over HTTP costs no browser."""
    (plain,), meanwhile = await opened(settings, HEART_FAILURE)

    assert plain.tried == ("http",)
    assert [name for name in meanwhile if "chrom" in name or "node" in name] == []
    assert (settings.browser_dir).exists() is False


async def test_machine_without_a_browser_goes_on(settings: Settings, web: SimWeb, tmp_path: Path) -> None:
    """What the site itself said is the answer; a rung that this machine lacks was not tried."""
    web.faults.set("www.jinkotokei.go.jp/dashboard/*", Fault("challenge"))
    absent = settings.model_copy(update={"browser": Browser(executable=tmp_path / "chrome")})

    (wall,), _ = await opened(absent, DASHBOARD)

    assert (wall.outcome, wall.rung, wall.challenge) == (FetchOutcome.CHALLENGE, "http", "cloudflare")
    assert "headless" not in wall.tried


async def test_browsers_may_be_switched_off(settings: Settings, web: SimWeb) -> None:
    """The user's setting decides; a request that wants only a browser is told that there is none."""
    off = settings.model_copy(update={"browser": Browser(enabled=False)})

    async with Lyra.open(off) as lyra:
        result = await lyra.parts.getter(FetchRequest(DASHBOARD, rungs=("headless",)))

    assert (result.outcome, result.was_sent) == (FetchOutcome.UNAVAILABLE, False)
    assert web.requests == ()


async def test_half_a_page_is_not_a_page_in_a_browser_either(settings: Settings, web: SimWeb) -> None:
    """Chrome shows a body that broke off as if it were whole; what HTTP found out about it still holds."""
    web.faults.set("www.fdso.gov/safety/dpp4-heart-failure", Fault("truncated", after_bytes=900))

    (broken,), _ = await opened(settings, HEART_FAILURE)

    assert (broken.outcome, broken.tried[:2]) == (FetchOutcome.FAILED, ("http", "headless"))
    assert broken.body == b""


@pytest.mark.asyncio(loop_scope="module")
async def test_shell_whose_scripts_were_ended_is_not_the_page(settings: Settings, stage: Any) -> None:
    """What HTTP found is an empty frame; where its scripts were ended for their memory, the page has failed."""
    hoard = "const a = []; for (;;) a.push(new Uint8Array(5e6).fill(1))"
    url = stage.show("/app", f"<title>App</title><div id=root></div><script>{hoard}</script>")
    small = Browser(quiet_s=0.2, max_memory_mb=600)
    staged = settings.model_copy(update={"network": Network(proxy=stage.url), "browser": small})

    (ended,), _ = await opened(staged, url)

    assert (ended.outcome, ended.tried, ended.body) == (FetchOutcome.TOO_LARGE, ("http", "headless"), b"")
    assert ended.reason == "The page made the browser take more memory than 600 MB (browser.max_memory_mb)."


@pytest.mark.asyncio(loop_scope="module")
async def test_text_that_a_script_shows_is_read(settings: Settings, stage: Any) -> None:
    """A search takes a page that hides all of its text to the browser, and reads what its script shows."""
    words = "The agency closed the bridge in March 2024 after its engineers had found cracks in the northern pier."
    url = stage.show(
        "/loading",
        f"<style>.loading {{display: none}}</style><main class=loading><p>{words}</p></main>"
        "<script>document.querySelector('main').className = ''</script>",
    )
    staged = settings.model_copy(update={"network": Network(proxy=stage.url)})
    async with Lyra.open(staged) as lyra:
        task, _ = await lyra.tasks.create("Is the bridge closed?", TaskConfig())
        search = await lyra.searches.start(task.id, "bridge", SearchOptions())
        await lyra.db.write(candidates.add, [Candidate("r_1", search.id, url, "", "", "mojeek", 1, score=1.0)])
        graph = GraphBuilder(lyra.parts, task.id, task.query, search.id, search.query)
        await graph.load()

        await fetch(SearchRun(lyra.parts, task, search), graph)

        page = await lyra.db.read(pages.by_url, url)
    assert page is not None
    assert page.text == words
