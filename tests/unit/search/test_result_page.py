"""Where a link on a result page really leads."""

import pytest

from lyra.search.engine_spec import Redirect
from lyra.search.result_page import host_matches, resolve_link

PAGE = "https://html.duckduckgo.com/html/"
REDIRECTS = (
    Redirect("duckduckgo.com", "/l/", "uddg"),
    Redirect("bing.com", "/ck/a", "u", "a1base64"),
    Redirect("google.*", "/url", "q"),
)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        pytest.param(
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.fda.gov%2Fdrugs%3Fid%3D1%26x%3D%25E2&rut=ab",
            "https://www.fda.gov/drugs?id=1&x=%E2",
            id="uddg-decoded-once",
        ),
        pytest.param(
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fduckduckgo.com%2Fl%2F%3Fuddg%3Dhttps%253A%252F%252Fa.example%252F",
            "https://a.example/",
            id="redirect-to-a-redirect",
        ),
        pytest.param(
            "https://www.bing.com/ck/a?!&&p=1&u=a1aHR0cHM6Ly93d3cucG1kYS5nby5qcC8&ntb=1",
            "https://www.pmda.go.jp/",
            id="bing-base64",
        ),
        pytest.param(
            "/url?q=https://a.example/", "https://html.duckduckgo.com/url?q=https://a.example/", id="other-host"
        ),
        pytest.param("https://a.example/x", "https://a.example/x", id="plain"),
    ],
)
def test_redirects_are_undone(href: str, expected: str) -> None:
    """The page must be fetched from its publisher, never through the engine."""
    assert resolve_link(href, PAGE, REDIRECTS) == expected


@pytest.mark.parametrize(
    "href",
    [
        "//duckduckgo.com/l/?rut=ab",
        "https://www.bing.com/ck/a?u=a1%%%",
        "javascript:alert(1)",
        "mailto:a@example.org",
        "http://[broken",
        "data:text/html,x",
    ],
)
def test_links_that_lead_to_no_page_are_none(href: str) -> None:
    """A broken or hostile link is dropped, not guessed at."""
    assert resolve_link(href, PAGE, REDIRECTS) is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [("www.google.de", True), ("support.google.com", False), ("duckduckgo.com", True), ("notduckduckgo.com", False)],
)
def test_engine_hosts_are_told_from_their_neighbours(host: str, expected: bool) -> None:
    """A help page of the engine's company may be a real result."""
    assert host_matches(host, ("www.google.*", "duckduckgo.com", "*.duckduckgo.com")) is expected


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "href",
    [
        pytest.param("//" + "\u0300\u0315" * 250_000, id="pile-of-marks"),
        pytest.param("//duckduckgo.com/l/?uddg=http://" + "%CC%80%CC%95" * 50_000, id="pile-behind-a-redirect"),
        pytest.param("https://www.bing.com/ck/a?u=a1é", id="no-base64"),
        pytest.param("//duckduckgo.com/l/?uddg=http://[", id="no-address"),
    ],
)
def test_a_hostile_link_leads_nowhere(href: str) -> None:
    """And is known to in linear time."""
    assert resolve_link(href, PAGE, REDIRECTS) is None
