"""Result pages have the structure of the real ones."""

import re
from collections.abc import Callable
from datetime import date
from urllib.parse import quote, unquote

import pytest

from simweb.engines.duckduckgo import DuckDuckGo
from simweb.engines.index import Document, Index, snippet
from simweb.engines.mojeek import Mojeek
from simweb.hosts import Host
from simweb.messages import Request, Response
from simweb.render import environment

DOCUMENTS = [
    Document(f"https://www.x{n}.org/a?b={n}", f"Gliptin page {n}", "A gliptin & its heart risk.", date(2020, 1, n))
    for n in range(1, 13)
]
TARGETS = [document.url for document in DOCUMENTS]


def duck(target: str, method: str = "GET", body: bytes = b"") -> Response:
    headers = {"content-type": "application/x-www-form-urlencoded"} if body else {}
    host = DuckDuckGo(Index(DOCUMENTS), environment())
    return host.answer(Request(method, "https", "html.duckduckgo.com", target, headers, body))


def mojeek(target: str) -> Response:
    return Mojeek(Index(DOCUMENTS), environment()).answer(Request("GET", "https", "www.mojeek.com", target))


def duck_urls(response: Response) -> list[str]:
    links = re.findall(r'class="result__a" href="//duckduckgo\.com/l/\?uddg=([^&]+)&amp;rut=', response.body.decode())
    return [unquote(link) for link in links]


def mojeek_urls(response: Response) -> list[str]:
    return re.findall(r'<a class="title" title="([^"]+)"', response.body.decode())


@pytest.mark.parametrize(
    ("response", "urls"),
    [
        pytest.param(duck("/html/?q=gliptin"), TARGETS[:10], id="first page by GET"),
        pytest.param(duck("/html/?q=gliptin&s=10"), TARGETS[10:], id="second page by GET"),
        pytest.param(duck("/html/", "POST", b"q=gliptin&s=10"), TARGETS[10:], id="second page by POST"),
        pytest.param(duck("/html/?q=gliptin+site:x3.org"), TARGETS[2:3], id="site"),
        pytest.param(duck("/html/?q=unheard"), [], id="nothing"),
    ],
)
def test_duckduckgo_gives_redirect_links_page_by_page(response: Response, urls: list[str]) -> None:
    """Ten results a page, each behind a /l/?uddg= link."""
    assert duck_urls(response) == urls


def test_duckduckgo_marks_the_words_and_shows_the_date() -> None:
    """Snippets are escaped, the query's words bold, and the date follows the address."""
    html = duck("/html/?q=gliptin").body.decode()

    assert "A <b>gliptin</b> &amp; its heart risk.</a>" in html
    assert "<span>&nbsp; &nbsp; 2020-01-01T00:00:00.0000000</span>" in html
    assert '<input type="hidden" name="s" value="10" />' in html


def test_duckduckgo_says_that_nothing_was_found() -> None:
    """An empty answer is a page of its own, with status 200."""
    response = duck("/html/?q=unheard")

    assert response.status == 200
    assert b'<div class="no-results">No results.</div>' in response.body


def test_duckduckgo_link_leads_on() -> None:
    """The redirect link sends the browser to the page."""
    response = duck(f"/l/?uddg={quote('https://www.x1.org/a?b=1', safe='')}&rut=0")

    assert (response.status, response.headers["location"]) == (302, "https://www.x1.org/a?b=1")


def test_duckduckgo_puts_an_advertisement_before_shopping_results() -> None:
    """An advertisement has its own class and no uddg link, so that it can be told from a result."""
    html = duck("/html/?q=gliptin+price").body.decode()

    assert html.count("result--ad") == 1
    assert duck_urls(duck("/html/?q=gliptin+price")) == TARGETS[:10]


@pytest.mark.parametrize(
    ("response", "urls"),
    [
        pytest.param(mojeek("/search?q=gliptin"), TARGETS[:10], id="first page"),
        pytest.param(mojeek("/search?q=gliptin&s=11"), TARGETS[10:], id="second page"),
        pytest.param(mojeek("/search?q=unheard"), [], id="nothing"),
    ],
)
def test_mojeek_gives_direct_links_page_by_page(response: Response, urls: list[str]) -> None:
    """Ten results a page with plain addresses."""
    assert mojeek_urls(response) == urls


def test_mojeek_counts_and_links_to_the_next_page() -> None:
    """The head counts the results, the foot leads on."""
    html = mojeek("/search?q=gliptin").body.decode()

    assert "<p>Results 1 to 10 from 12 in 0.12s</p>" in html
    assert '<li><a href="/search?q=gliptin&amp;s=11">Next</a></li>' in html


@pytest.mark.parametrize(
    ("engine", "status", "words"),
    [
        pytest.param(DuckDuckGo, 202, b"Unfortunately, bots use DuckDuckGo too.", id="duckduckgo"),
        pytest.param(Mojeek, 403, b"your network appears to be sending automated queries", id="mojeek"),
    ],
)
def test_a_blocked_engine_shows_its_own_page(engine: Callable[..., Host], status: int, words: bytes) -> None:
    """A challenge is neither a result page nor an empty one."""
    response = engine(Index([]), environment()).challenge(Request("GET", "https", "e", "/html/?q=x"))

    assert response.status == status
    assert words in response.body


def test_a_snippet_is_the_passage_with_most_query_words() -> None:
    """The best sentence comes first, whatever its place in the text."""
    text = "Nothing to see in this sentence. The heart failure risk was raised. It was small in number."

    assert snippet(text, "heart failure risk") == "The heart failure risk was raised. It was small in number."
