"""An ordinary web site."""

from dataclasses import replace
from datetime import date

import pytest

from simweb.markdown import parse
from simweb.messages import Request, Response
from simweb.model import Page, Robots, Site
from simweb.render import Renderer
from simweb.sites import SiteHost, robots_txt, sitemap_xml

SITE = Site(
    "www.x.org", "X", "news", "en", "news", robots=Robots(("/p/",), 2.0), moved=(("/old", "https://www.x.org/a"),)
)
PAGE = Page(SITE, "/a", "About <a>", parse("One fact."), "One fact.", date(2020, 1, 2), date(2021, 3, 4), lang="en")


def ask(target: str, scheme: str = "https", method: str = "GET", site: Site = SITE) -> Response:
    host = SiteHost(site, [PAGE], Renderer([PAGE]))
    return host.answer(Request(method, scheme, "www.x.org", target))


def test_robots_txt_says_what_the_topic_says() -> None:
    """Disallowed paths, crawl delay and sitemap are announced to every robot."""
    assert robots_txt(SITE) == (
        "User-agent: *\nDisallow: /p/\nCrawl-delay: 2\n\nSitemap: https://www.x.org/sitemap.xml\n"
    )


def test_the_sitemap_lists_pages_with_their_last_change() -> None:
    """Each page is listed once with the day of its last change."""
    entry = "<url><loc>https://www.x.org/a</loc><lastmod>2021-03-04</lastmod></url>"

    assert entry in sitemap_xml([PAGE])


def test_an_unlinked_page_is_served_and_listed_nowhere() -> None:
    """A page that the site does not link to is found only by its address."""
    draft = replace(PAGE, path="/draft", kind="unlinked")
    host = SiteHost(SITE, [PAGE, draft], Renderer([PAGE, draft]))

    answers = [host.answer(Request("GET", "https", "www.x.org", path)) for path in ("/draft", "/", "/sitemap.xml")]

    assert [answer.status for answer in answers] == [200, 200, 200]
    assert [b'/draft"' in answer.body or b"/draft<" in answer.body for answer in answers[1:]] == [False, False]


@pytest.mark.parametrize(
    ("target", "scheme", "status", "location"),
    [
        pytest.param("/a?x=1", "http", 301, "https://www.x.org/a?x=1", id="plain http"),
        pytest.param("/old", "https", 301, "https://www.x.org/a", id="moved page"),
    ],
)
def test_redirects(target: str, scheme: str, status: int, location: str) -> None:
    """Plain http leads to https, a moved page to its new place."""
    response = ask(target, scheme)

    assert (response.status, response.headers["location"]) == (status, location)


@pytest.mark.parametrize(
    ("target", "method", "status"),
    [
        pytest.param("/a", "GET", 200, id="page"),
        pytest.param("/", "GET", 200, id="home page"),
        pytest.param("/sections/1", "GET", 200, id="section of the navigation"),
        pytest.param("/privacy", "GET", 200, id="link of the footer"),
        pytest.param("/robots.txt", "GET", 200, id="robots"),
        pytest.param("/none", "GET", 404, id="missing"),
        pytest.param("/a", "POST", 405, id="method"),
    ],
)
def test_status_of_addresses(target: str, method: str, status: int) -> None:
    """Pages are found, others are not."""
    assert ask(target, method=method).status == status


def test_a_site_with_soft_404_says_200_to_a_missing_page() -> None:
    """The words say that there is nothing, the status does not."""
    soft = Site("www.x.org", "X", "news", "en", "news", has_soft_404=True)

    response = ask("/none", site=soft)

    assert response.status == 200
    assert b"<h1>Page not found</h1>" in response.body


def test_a_page_carries_dates_furniture_and_escaped_text() -> None:
    """A news page has its date as metadata, a cookie banner around it, and its title as text."""
    html = ask("/a").body.decode()

    assert '<meta property="article:published_time" content="2020-01-02T09:00:00+00:00">' in html
    assert '"dateModified": "2021-03-04"' in html
    assert '<div id="cookie-banner"' in html
    assert "<h1>About &lt;a&gt;</h1>" in html
    assert "<p>One fact.</p>" in html


def test_a_page_that_was_taken_down_is_410() -> None:
    """It is gone from the site's lists too."""
    gone = replace(PAGE, path="/gone", is_gone=True)
    host = SiteHost(SITE, [PAGE, gone], Renderer([PAGE, gone]))

    answers = [host.answer(Request("GET", "https", "www.x.org", path)) for path in ("/gone", "/")]

    assert [answer.status for answer in answers] == [410, 200]
    assert b"/gone" not in answers[1].body


def serve(page: Page, target: str = "/a") -> Response:
    return SiteHost(SITE, [page], Renderer([page])).answer(Request("GET", "https", "www.x.org", target))


@pytest.mark.parametrize(
    ("form", "content_type", "start"),
    [
        pytest.param("html", "text/html; charset=utf-8", b"<!DOCTYPE html>", id="HTML"),
        pytest.param("script", "text/html; charset=utf-8", b"<!DOCTYPE html>", id="script"),
        pytest.param("pdf", "application/pdf", b"%PDF-1.5\n", id="PDF"),
        pytest.param("scan", "application/pdf", b"%PDF-1.5\n", id="scan"),
    ],
)
def test_a_page_is_served_in_its_format(form: str, content_type: str, start: bytes) -> None:
    """The same small file becomes a page or a document."""
    response = serve(replace(PAGE, format=form))

    assert (response.headers["content-type"], response.headers["last-modified"]) == (
        content_type,
        "Thu, 04 Mar 2021 09:00:00 GMT",
    )
    assert response.body.startswith(start)


def test_a_page_that_needs_a_script_shows_nothing_without() -> None:
    """The words stand in a JSON block; without a script there is one line that says so."""
    html = serve(replace(PAGE, format="script")).body.decode()

    assert "<p>One fact.</p>" not in html
    assert '{"blocks": ["\\u003cp\\u003eOne fact.\\u003c/p\\u003e"]}' in html
    assert "This page needs JavaScript." in html


def test_an_archived_page_says_where_its_past_is() -> None:
    """Link names timegate and timemap; a page without snapshots has no such header."""
    archived, plain = serve(replace(PAGE, archived=(date(2021, 5, 5),))), serve(PAGE)

    assert archived.headers["link"] == (
        '<https://web.archive.org/web/https://www.x.org/a>; rel="timegate", '
        '<https://web.archive.org/web/timemap/link/https://www.x.org/a>; rel="timemap"; type="application/link-format"'
    )
    assert "link" not in plain.headers


def test_hidden_text_is_served_and_escaped() -> None:
    """It is in the source, off the screen."""
    html = serve(replace(PAGE, hidden="Obey <me>.")).body.decode()

    assert 'left:-9999px;font-size:1px;color:#fff">Obey &lt;me&gt;.</div>' in html


def test_a_paywall_shows_the_beginning_and_the_price() -> None:
    """The first paragraph stands, the rest does not."""
    page = replace(PAGE, blocks=parse("One fact.\n\nAnother fact."))
    host = SiteHost(SITE, [page], Renderer([page]))

    html = host.wall("paywall", Request("GET", "https", "www.x.org", "/a")).body.decode()

    assert ("One fact." in html, "Another fact." in html, "Subscribe to continue reading" in html) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("fact", b'<li><a href="https://www.x.org/a">About &lt;a&gt;</a><p>One fact.</p></li>', id="found"),
        pytest.param("nothing", b"Your search did not match any page of this site.", id="nothing found"),
    ],
)
def test_a_site_can_be_searched(query: str, words: bytes) -> None:
    """The form of the header leads to results."""
    assert words in serve(PAGE, f"/search?q={query}").body
