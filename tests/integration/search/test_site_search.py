"""Sites searched through their own form."""

import itertools

import pytest

from lyra.model.domain import SearchForm
from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.model.search import SearchOutcome
from lyra.search.expand import plan_queries
from lyra.search.federation import Federation
from lyra.search.site_search import SiteSearch
from lyra.settings import Engines
from lyra.storage import site_searches
from lyra.storage.database import Database
from simweb import Fault, SimWeb
from tests.clocks import HeldClock

HOST = "www.cpsb.gov"
ALLOWED = Engines(site_search=(HOST, "www.mhlw.go.jp"), site_search_qps=0.1)
HOME = '<html><body><form action="/search" role="search"><input type="search" name="q"></form></body></html>'
FOUND = '<html><body><main><ol><li><a href="/recalls/pad">Recall of a charging pad</a></li></ol></main></body></html>'


class Site:
    """A site that answers by path and remembers when it was asked."""

    def __init__(self, clock: HeldClock, **pages: str | FetchOutcome) -> None:
        self._clock = clock
        self.pages = pages
        self.asked: list[tuple[str, float, tuple[str, ...] | None]] = []

    async def __call__(self, request: FetchRequest) -> FetchResult:
        self.asked.append((request.url, self._clock.monotonic(), request.rungs))
        page = self.pages["search" if "/search" in request.url else "home"]
        if isinstance(page, FetchOutcome):
            return FetchResult(request.url, page, reason="as the test wants it")
        return FetchResult(request.url, FetchOutcome.OK, status_code=200, body=page.encode(), final_url=request.url)


def site_search(site: Site, db: Database, clock: HeldClock) -> SiteSearch:
    return SiteSearch(site, db, clock, ALLOWED)


async def test_a_site_of_the_simulated_web_is_searched_by_its_form(online: Federation, web: SimWeb) -> None:
    """The form is found on the first page, asked, and the results are pages of the site."""
    answer = await online.sites.ask(HOST, "charging pad recall")
    again = await online.sites.ask(HOST, "overheating")

    assert answer.outcome is SearchOutcome.RESULTS
    assert {item.engine for item in answer.items} == {f"site:{HOST}"}
    assert [item.url for item in answer.items if not item.url.startswith(f"https://{HOST}/")] == []
    assert again.outcome in {SearchOutcome.RESULTS, SearchOutcome.EMPTY}
    asked = [visit.target.partition("?")[0] for visit in web.requests if visit.host == HOST]
    assert [path for path in asked if path != "/robots.txt"] == ["/", "/search", "/search"]


async def test_the_form_is_learnt_and_requests_are_slow(db: Database, clock: HeldClock) -> None:
    """The first page is looked at once; ten seconds lie between two requests (QPS ≤ 0.1)."""
    site = Site(clock, home=HOME, search=FOUND)
    sites = site_search(site, db, clock)

    await sites.ask(HOST, "recall pad")
    await sites.ask(HOST, "recall charger")

    moments = [moment for _, moment, _ in site.asked]
    assert [url for url, _, _ in site.asked] == [
        f"https://{HOST}/",
        f"https://{HOST}/search?q=recall+pad",
        f"https://{HOST}/search?q=recall+charger",
    ]
    assert [later - earlier for earlier, later in itertools.pairwise(moments)] == [10.0, 10.0]
    known = await db.read(site_searches.get, HOST)
    assert known is not None
    assert (known.form, known.successes) == (SearchForm(f"https://{HOST}/search", "q"), 2)


async def test_two_failures_skip_the_day(db: Database, clock: HeldClock) -> None:
    """A site whose search does not serve is left alone until tomorrow, then tried again."""
    site = Site(clock, home="<html><body>no form here</body></html>", search=FOUND)
    sites = site_search(site, db, clock)
    first = await sites.ask(HOST, "recall")
    await sites.ask(HOST, "recall")
    asked = len(site.asked)

    third = await sites.ask(HOST, "recall")
    clock.pass_by(86_400)
    site.pages["home"] = HOME
    tomorrow = await sites.ask(HOST, "recall")

    assert (first.outcome, first.reason) == (
        SearchOutcome.FAILED,
        "The site cannot be searched: its first page has no search form.",
    )
    assert (third.outcome, len(site.asked) - asked) == (SearchOutcome.BLOCKED, 2)
    assert tomorrow.outcome is SearchOutcome.RESULTS


async def test_a_form_that_plain_html_lacks_is_looked_for_in_a_browser(db: Database, clock: HeldClock) -> None:
    """The second look demands a browser's rungs; without a browser the site cannot be searched."""
    site = Site(clock, home="<html><body>script</body></html>", search=FOUND)

    await site_search(site, db, clock).ask(HOST, "recall")

    assert [rungs for _, _, rungs in site.asked] == [("http",), ("headless", "headful")]


async def test_a_wall_is_told_with_its_kind(online: Federation, web: SimWeb) -> None:
    """A log-in before the results is blocked and can be handed to a person."""
    web.faults.set("www.cpsb.gov/search*", Fault("login_wall"))

    answer = await online.sites.ask(HOST, "wireless charging pad recall")

    assert (answer.outcome, answer.challenge) == (SearchOutcome.BLOCKED, "login")


@pytest.mark.parametrize(
    ("query", "domains", "hosts", "named"),
    [
        pytest.param("recall site:cpsb.gov", (), (), (HOST,), id="site-operator"),
        pytest.param("児童手当", ("mhlw.go.jp",), (), ("www.mhlw.go.jp",), id="priority-domain"),
        pytest.param("児童手当", (), ("www.mhlw.go.jp",), ("www.mhlw.go.jp",), id="vertical"),
        pytest.param("recall -site:cpsb.gov", (), (), (), id="excluded"),
        pytest.param("recall site:example.org", ("example.org",), ("example.org",), (), id="not-allowed"),
        pytest.param("recall", (), (), (), id="nobody-named"),
    ],
)
def test_only_sites_that_client_and_user_name_are_searched(
    db: Database,
    clock: HeldClock,
    query: str,
    domains: tuple[str, ...],
    hosts: tuple[str, ...],
    named: tuple[str, ...],
) -> None:
    """The client names a site by `site:`, a priority domain or a vertical; the user's allow-list decides."""
    sites = site_search(Site(clock), db, clock)

    assert sites.named_sites(query, domains, hosts) == named


def test_a_site_that_fails_is_asked_for_through_the_engines() -> None:
    """`site:` is the way round: the derived query names the site that did not answer as its rule."""
    planned = plan_queries("charging pad recall", sites=(HOST,))

    assert [(one.text, one.rule) for one in planned.asked[1:]] == [(f"charging pad recall site:{HOST}", f"site:{HOST}")]
