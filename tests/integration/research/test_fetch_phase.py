"""The fetch phase over the simulated web: every bad page ends in a word of its own, and the search goes on."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from apsw import Connection

from lyra.app import Lyra
from lyra.errors import ModelError
from lyra.ids import derived_id
from lyra.model.archive import PageRevision
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult, StoredPage
from lyra.model.search import Candidate, SearchOptions
from lyra.model.task import TaskConfig
from lyra.research.phases.archive_copies import compare_page, compare_with_archive, pages_compared
from lyra.research.phases.fetch import fetch
from lyra.research.phases.sites import add_linked_pages, add_listed_pages
from lyra.research.search_run import SearchRun
from lyra.settings import Network, Politeness, Settings
from lyra.settings.rungs import Browser, Tor
from lyra.storage import candidates, causal_chains, handoffs, mementos, pages
from simweb import SimWeb
from simweb.faults import Fault

SAFETY = "https://www.fdso.gov/safety"
GOOD = f"{SAFETY}/dpp4-heart-failure"
EXPIRED = "https://legacy.padspec-archive.org/alp-1/overview"
SCHOOL_LUNCH = "https://www.chiiki-kosodate.go.jp/seisaku/kyushoku-mushoka"
OUTER = "The agency closed the bridge in March 2024 after its engineers had found cracks in the northern pier."
TOO_DEEP = "not read to its end: its elements are nested more than 2,000 deep"
FAULTS = {
    "https://www.nemso.gov/reports/tr-2025-118.pdf": Fault("captcha"),
    f"{SAFETY}/dpp4-joint-pain": Fault("endless"),
    "https://en.wikipedia.org/wiki/Aerolink_Power_2": Fault("gzip_bomb", expanded_bytes=30_000_000),
    "https://forum.padhackers.net/t/replay-on-old-pads": Fault("redirect_loop"),
    "https://chargefacts.info/facts/through-walls": Fault("lying_length"),
    "https://coil-academy.com/lessons/range": Fault("login_wall"),
    "https://ece.halvorsen.edu/groups/storage/battery-ageing": Fault("soft_404"),
    "https://gadget-feed-daily.com/news/wireless-now-faster-than-cable": Fault("certificate_other_name"),
    "https://best-charger-picks.com/alp2-speed-01": Fault("consent"),
    "https://gadgetpilot-reviews.com/alp2-speed-06": Fault("status", status=429, retry_after_s=3600),
}


class Reading:
    """Stands in for the graph: what is read is noted, and claims are nobody's business here."""

    def __init__(self, lyra: Lyra) -> None:
        self._lyra = lyra
        self.read_urls: list[str] = []

    async def add_page(self, stored: StoredPage, note: Callable[[Connection], None], may_go_on: object) -> list[bool]:
        self.read_urls.append(stored.page.url)
        await self._lyra.db.write(note)
        return [True]


class Giving:
    """Gives the same page for every address."""

    def __init__(self, markup: str) -> None:
        self._body = markup.encode()

    async def __call__(self, request: FetchRequest) -> FetchResult:
        headers = (("content-type", "text/html; charset=utf-8"),)
        return FetchResult(request.url, FetchOutcome.OK, request.url, 200, headers, self._body)


class Showing:
    """Gives a page that hides its text until its script has run, to a browser as the script leaves it."""

    def __init__(self, browser: FetchOutcome) -> None:
        self._browser = browser
        self.asked: list[tuple[str, ...] | None] = []

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked.append(request.rungs)
        headers = (("content-type", "text/html; charset=utf-8"),)
        rung, style = ("headless", "") if request.rungs else ("http", "display:none")
        outcome = self._browser if request.rungs else FetchOutcome.OK
        body = f"<html><script>show()</script><body><main style='{style}'><p>{OUTER}</p></main></body></html>".encode()
        return FetchResult(request.url, outcome, request.url, 200, headers, body, rung)


class Unfit:
    """Stands in for a graph whose model cannot be loaded."""

    async def add_page(self, stored: StoredPage, note: Callable[[Connection], None], may_go_on: object) -> list[bool]:
        raise ModelError("The model file is not the one its card names.", remedy="Reinstall lyra-mcp.")


@pytest.fixture
async def lyra(web: SimWeb, tmp_path: Path) -> AsyncIterator[Lyra]:
    """Lyra without a browser and without Tor, in a hurry."""
    settings = Settings(
        data_dir=tmp_path,
        network=Network(proxy=web.proxy_url, ca_bundle=web.ca_path, timeout_s=5, max_body_bytes=3_000_000),
        politeness=Politeness(domain_qps=1000, pause_min_s=0, pause_max_s=0),
        browser=Browser(executable=tmp_path / "no-browser"),
        tor=Tor(mode="off"),
    )
    async with Lyra.open(settings) as opened:
        yield opened
    web.faults.clear()


async def begin(lyra: Lyra, urls: list[str], **config: Any) -> SearchRun:
    """A task with one search that has found these addresses."""
    task, _ = await lyra.tasks.create("Do DPP-4 inhibitors harm the heart?", TaskConfig(**config))
    search = await lyra.searches.start(task.id, "DPP-4 heart failure", SearchOptions())
    found = [
        Candidate(derived_id("r", search.id, url), search.id, url, "", "", "mojeek", number, score=1.0)
        for number, url in enumerate(urls)
    ]
    await lyra.db.write(candidates.add, found)
    return SearchRun(lyra.parts, task, search)


async def states(lyra: Lyra, run: SearchRun) -> dict[str, tuple[str, str]]:
    """State and first word of the reason, by address."""
    found = await lyra.db.read(candidates.of_search, run.search.id)
    return {one.url: (one.state.value, (one.reason or "").partition(":")[0]) for one in found}


async def test_every_bad_page_has_its_own_end_and_the_search_goes_on(lyra: Lyra, web: SimWeb) -> None:
    """Bombs, endless bodies, loops, lies and walls: typed, named, and nothing else is lost for them.

    A length that is too small leaves what came within it: half a page is still a page.
    """
    for url, fault in FAULTS.items():
        host, _, path = url.removeprefix("https://").partition("/")
        web.faults.set(host if "certificate" in fault.kind else f"{host}/{path}", fault)
    run = await begin(lyra, [*FAULTS, GOOD])
    graph = Reading(lyra)

    stop = await fetch(run, graph)  # type: ignore[arg-type]

    assert stop is None
    assert set(graph.read_urls) == {GOOD, "https://chargefacts.info/facts/through-walls"}
    assert await states(lyra, run) == {
        GOOD: ("fetched", ""),
        "https://www.nemso.gov/reports/tr-2025-118.pdf": ("blocked", "challenge"),
        f"{SAFETY}/dpp4-joint-pain": ("failed", "too_large"),
        "https://en.wikipedia.org/wiki/Aerolink_Power_2": ("failed", "too_large"),
        "https://forum.padhackers.net/t/replay-on-old-pads": ("failed", "failed"),
        "https://chargefacts.info/facts/through-walls": ("fetched", ""),
        "https://coil-academy.com/lessons/range": ("blocked", "challenge"),
        "https://ece.halvorsen.edu/groups/storage/battery-ageing": ("failed", "not_found"),
        "https://gadget-feed-daily.com/news/wireless-now-faster-than-cable": ("failed", "failed"),
        "https://best-charger-picks.com/alp2-speed-01": ("blocked", "challenge"),
        "https://gadgetpilot-reviews.com/alp2-speed-06": ("blocked", "blocked"),
    }


async def test_a_model_that_fails_is_told_as_such(lyra: Lyra) -> None:
    """The client reads which file is damaged and what to do, not that something unexpected went wrong."""
    run = await begin(lyra, [GOOD])

    with pytest.raises(ModelError) as caught:
        await fetch(run, Unfit())  # type: ignore[arg-type]

    assert (caught.value.message, caught.value.remedy) == (
        "The model file is not the one its card names.",
        "Reinstall lyra-mcp.",
    )


@pytest.mark.parametrize(
    ("before", "state", "reason", "noted"),
    [
        pytest.param(f"<p>{OUTER}</p>", "fetched", None, [(GOOD, {"remarks": [TOO_DEEP]})], id="in part"),
        pytest.param("", "failed", TOO_DEEP, [], id="not at all"),
    ],
)
async def test_what_was_not_read_of_a_page_is_said(
    lyra: Lyra, before: str, state: str, reason: str | None, noted: list[tuple[str, dict[str, Any]]]
) -> None:
    """The journal names a page that was read in part; one of which nothing was read has failed with the same words."""
    deep = "<div>" * 3_000 + f"<p>{OUTER}</p>" + "</div>" * 3_000
    run = await begin(lyra, [GOOD])
    parts = replace(lyra.parts, getter=Giving(f"<html><body>{before}{deep}</body></html>"))

    await fetch(SearchRun(parts, run.task, run.search), Reading(lyra))  # type: ignore[arg-type]

    (found,) = await lyra.db.read(candidates.of_search, run.search.id)
    told = await lyra.db.read(causal_chains.events, run.task.id, after=0, limit=100)
    assert (found.state.value, found.reason) == (state, reason)
    assert [(one.subject, one.details) for one in told if one.kind == "partly_read"] == noted


@pytest.mark.parametrize(
    ("browser", "text"),
    [
        pytest.param(FetchOutcome.OK, OUTER, id="shown by a browser"),
        pytest.param(FetchOutcome.UNAVAILABLE, "", id="no browser"),
    ],
)
async def test_a_page_that_hides_all_its_text_is_fetched_by_a_browser(
    lyra: Lyra, browser: FetchOutcome, text: str
) -> None:
    """Its scripts show it; where no browser is, it stays the page without text that it is."""
    run = await begin(lyra, [GOOD])
    getter = Showing(browser)

    await fetch(SearchRun(replace(lyra.parts, getter=getter), run.task, run.search), Reading(lyra))  # type: ignore[arg-type]

    page = await lyra.db.read(pages.by_url, GOOD)
    assert getter.asked == [None, ("headless", "headful", "undetected")]
    assert page is not None
    assert page.text == text


async def test_what_a_person_must_open_is_queued_under_its_own_name(lyra: Lyra, web: SimWeb) -> None:
    """A captcha, a log-in and a question about cookies are handed over at once, each as what it is."""
    walls = {url: fault for url, fault in FAULTS.items() if fault.kind in ("captcha", "login_wall", "consent")}
    for url, fault in walls.items():
        web.faults.set(url.removeprefix("https://"), fault)
    run = await begin(lyra, list(walls))

    await fetch(run, Reading(lyra))  # type: ignore[arg-type]

    waiting = await lyra.db.read(handoffs.pending, run.task.id)
    assert {one.url: one.auth_type for one in waiting} == {
        "https://www.nemso.gov/reports/tr-2025-118.pdf": "captcha",
        "https://coil-academy.com/lessons/range": "login",
        "https://best-charger-picks.com/alp2-speed-01": "consent",
    }


async def test_archived_copy_is_kept_as_one(lyra: Lyra) -> None:
    """A page that only the archive could show is marked with the copy's date and address."""
    run = await begin(lyra, [EXPIRED])

    await fetch(run, Reading(lyra))  # type: ignore[arg-type]

    (copy,) = await lyra.db.read(mementos.of_page, derived_id("p", EXPIRED))
    assert (copy.is_copy, copy.snapshot_at.date().isoformat()) == (True, "2021-12-31")
    assert copy.url == f"https://web.archive.org/web/20211231120000id_/{EXPIRED}"


async def test_copies_of_the_past_are_compared(lyra: Lyra) -> None:
    """The last three copies are read one after another, each with what came and went until the next."""
    run = await begin(lyra, [SCHOOL_LUNCH])
    await fetch(run, Reading(lyra))  # type: ignore[arg-type]
    page_id = derived_id("p", SCHOOL_LUNCH)

    asked = await compare_page(run, page_id, 3)

    copies = await lyra.db.read(mementos.of_page, page_id)
    newest, older, _ = (copy.revision for copy in copies)
    assert asked == 3
    assert [copy.snapshot_at.date().isoformat() for copy in copies] == ["2026-06-20", "2024-07-01", "2022-10-15"]
    assert newest == PageRevision()
    assert older.headings_added == ("無償化とは", "よくあるご質問")
    assert "令和5年度に小中学校の給食費を全額無償としている市町村は、全体の30.5%です。" in older.statements_removed
    assert (older.date_before, older.date_after) == ("2024-06-28", "2026-06-12")


async def test_a_small_search_compares_all_its_pages(lyra: Lyra) -> None:
    """Also pages that speak of no claim; the one of a priority domain is asked about first."""
    run, reading = await begin(lyra, [GOOD, SCHOOL_LUNCH], priority_domains=("chiiki-kosodate.go.jp",)), Reading(lyra)
    await fetch(run, reading)  # type: ignore[arg-type]

    await compare_with_archive(run)

    events = await lyra.db.read(causal_chains.events, run.task.id, after=0, limit=500)
    asked = [one.subject for one in events if one.kind == "past"]
    assert sorted(asked) == sorted(reading.read_urls)
    assert (asked[0], asked[-1]) == (SCHOOL_LUNCH, GOOD)


@pytest.mark.parametrize(("read", "compared"), [(0, 0), (1, 1), (10, 10), (11, 1), (37, 5), (120, 18)])
def test_how_many_pages_are_compared(read: int, compared: int) -> None:
    """All of up to ten, of more 15 percent."""
    assert pages_compared(read, 0.15) == compared


async def test_priority_domains_are_searched_through_sitemap_and_links(lyra: Lyra) -> None:
    """What no engine named is found in a priority domain's sitemap; other domains are not walked."""
    run = await begin(lyra, [], priority_domains=("fdso.gov",))

    await add_listed_pages(run)

    found = await lyra.db.read(candidates.of_search, run.search.id)
    assert {one.engine for one in found} == {"sitemap"}
    assert f"{SAFETY}/dpp4-heart-failure" in {one.url for one in found}


async def test_a_named_paper_or_page_brings_no_sitemap(lyra: Lyra) -> None:
    """Who asks for a paper gets it or learns that it is not there, never other pages of a priority domain."""
    run = await begin(lyra, [], priority_domains=("fdso.gov",))
    named = SearchRun(lyra.parts, run.task, await lyra.searches.start(run.task.id, "PMID: 99999999", SearchOptions()))

    await add_listed_pages(named)

    assert await lyra.db.read(candidates.of_search, named.search.id) == ()


async def test_links_of_priority_pages_are_followed_to_a_depth_of_two(lyra: Lyra) -> None:
    """Breadth first along the site's own links, never further than two steps."""
    run = await begin(lyra, [f"{SAFETY}/"], priority_domains=("fdso.gov",))

    await fetch(run, Reading(lyra))  # type: ignore[arg-type]

    found = await lyra.db.read(candidates.of_search, run.search.id)
    assert {one.referer for one in found if one.engine == "links" and one.rank == 1} == {f"{SAFETY}/"}


@pytest.mark.parametrize(("steps", "ranks"), [(0, [1, 1, 1]), (1, [2, 2, 2]), (2, [])])
async def test_a_page_two_steps_away_leads_no_further(lyra: Lyra, steps: int, ranks: list[int]) -> None:
    """The same page full of links, met at the start, one step and two steps from it (§3.1.2)."""
    run = await begin(lyra, [], priority_domains=("fdso.gov",))
    result = await lyra.parts.getter(FetchRequest(f"{SAFETY}/"))
    engine = "links" if steps else "mojeek"
    parent = Candidate("r_1", run.search.id, f"{SAFETY}/", "Safety", "", engine, rank=steps or 1, score=1.0)

    await add_linked_pages(run, parent, result)

    assert [one.rank for one in await lyra.db.read(candidates.of_search, run.search.id)] == ranks


@pytest.mark.parametrize(
    "query", [f"{SAFETY}/", "10.5555/jmetd.2014.0666", "PMID: 90011219"], ids=["url", "doi", "pmid"]
)
async def test_links_of_a_named_page_are_not_followed(lyra: Lyra, query: str) -> None:
    """Who names an address or a paper asks for that page alone, on a priority domain too."""
    run = await begin(lyra, [], priority_domains=("fdso.gov",))
    named = SearchRun(lyra.parts, run.task, await lyra.searches.start(run.task.id, query, SearchOptions()))
    result = await lyra.parts.getter(FetchRequest(f"{SAFETY}/"))
    parent = Candidate("r_1", named.search.id, f"{SAFETY}/", "Safety", "", "client", rank=1, score=1.0)

    await add_linked_pages(named, parent, result)

    assert await lyra.db.read(candidates.of_search, named.search.id) == ()
