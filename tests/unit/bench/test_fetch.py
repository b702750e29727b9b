"""What `lyra bench fetch` counts: coherent visits, and visits that came too soon."""

import pytest

from lyra.model.page import FetchOutcome, FetchResult
from lyra_bench.measure.fetch import BARS, PLAN, REFUSALS, Fetched, figures, is_coherent, is_navigation, too_soon
from simweb.journal import Visit


def visit(url: str = "https://www.fdso.gov/a", arrived_s: float = 0.0, status: int = 200, **headers: str) -> Visit:
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Visit(0, arrived_s, "GET", scheme, host, f"/{path}", named, 0, 0, status, arrived_s + 0.1)


RESULTS = "https://html.duckduckgo.com/html/?q=x"


@pytest.mark.parametrize(
    ("headers", "came_from", "expected"),
    [
        ({}, None, True),
        ({}, RESULTS, False),
        ({"referer": "https://html.duckduckgo.com/", "sec_fetch_site": "cross-site"}, RESULTS, True),
        ({"referer": "https://www.fdso.gov/b", "sec_fetch_site": "same-origin"}, RESULTS, True),
        ({"referer": RESULTS, "sec_fetch_site": "cross-site"}, RESULTS, False),
        ({"referer": "https://html.duckduckgo.com/", "sec_fetch_site": "none"}, RESULTS, False),
        ({"sec_fetch_site": "cross-site"}, RESULTS, False),
    ],
    ids=[
        "typed", "not-named", "from-results", "within-the-site", "leaks-the-query", "tells-two-stories", "from-nowhere"
    ],
)  # fmt: skip
def test_referer_and_fetch_site_tell_one_story(headers: dict[str, str], came_from: str | None, expected: bool) -> None:
    """A browser never sends the one without the other, nor a whole address to another origin, nor nothing at all."""
    assert is_coherent(visit(**headers), came_from) is expected


def test_from_https_to_http_nothing_may_be_named() -> None:
    """As browsers do it (`strict-origin-when-cross-origin`)."""
    assert is_coherent(visit("http://www.fdso.gov/a"), RESULTS) is True


def test_the_figure_falls_with_every_visit_that_names_nothing() -> None:
    """Of two visits to a site that the results led to one names nothing; the archive's own address need not."""
    url = "https://www.fdso.gov/a"
    first = [Fetched(url, None, FetchResult(url, FetchOutcome.OK))]
    named = visit(referer="https://html.duckduckgo.com/", sec_fetch_site="cross-site")
    visits = [named, visit(), visit("https://web.archive.org/web/2026/a"), visit("https://www.fdso.gov/robots.txt")]

    assert figures(first, (), visits)["referer_coherent"] == 0.6667


def test_what_a_page_loads_is_no_navigation() -> None:
    """Style sheets and images of a browser belong to the page that was asked for."""
    assert [is_navigation(visit(**headers)) for headers in ({}, {"sec_fetch_dest": "style"})] == [True, False]


@pytest.mark.parametrize(
    ("first_status", "gap_s", "expected"),
    [(200, 0.2, 0), (200, 0.12, 1), (302, 0.1, 0), (429, 0.6, 1), (429, 1.2, 0)],
    ids=["after-the-pause", "within-the-pause", "redirect", "before-retry-after", "after-retry-after"],
)
def test_visits_before_the_end_of_a_pause_count(first_status: int, gap_s: float, expected: int) -> None:
    """The pause runs from the end of the last answer; a redirect belongs to the same visit."""
    visits = [visit(status=first_status), visit(arrived_s=gap_s)]

    assert len(too_soon(visits)) == expected


def test_plan_and_bars_are_those_of_the_specification() -> None:
    """The bars of issue and acceptance table, and refusals among the faults that recovery is counted on."""
    assert (BARS["success"], BARS["recovery"], BARS["not_modified"]) == ((">=", 0.97), (">=", 0.90), (">=", 0.80))
    assert sum(count for name, _, count in PLAN if name in REFUSALS) == 30
