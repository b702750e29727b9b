"""Result pages of the engines beyond DuckDuckGo and Mojeek, in their own words."""

import json
import re
from datetime import date
from urllib.parse import quote

import pytest

from simweb.engines.bing import Bing
from simweb.engines.brave import Brave
from simweb.engines.ecosia import Ecosia
from simweb.engines.google import Google, GoogleConsent
from simweb.engines.index import Document, Index
from simweb.engines.marginalia import Marginalia, MarginaliaApi
from simweb.engines.qwant import Qwant
from simweb.engines.serp import ResultsHost
from simweb.engines.startpage import Startpage
from simweb.engines.wikipedia import WikipediaHost
from simweb.markdown import parse
from simweb.messages import Request, Response
from simweb.model import Page, Site
from simweb.render import Renderer, environment

TARGETS = [f"https://www.x{n}.org/pad/{n}" for n in range(1, 13)]
INDEX = Index(
    Document(url, f"On pads {n}", "The pad & its coil lose power.", date(2024, 3, 5)) for n, url in enumerate(TARGETS)
)
SORRY = "https://www.google.com/sorry/index?continue=https%3A%2F%2Fwww.google.com%2Fsearch%3Fq%3Dpad"
ENGINES = [Google, Bing, Brave, Startpage, Ecosia, Qwant, Marginalia]


def address(engine: type[ResultsHost], query: str, offset: int = 0) -> str:
    paging = f"&{engine.paging.parameter}={engine.paging.value(offset)}" if offset else ""
    return f"{engine.path}?{engine.parameter}={quote(query)}{paging}"


def ask(engine: type[ResultsHost], target: str) -> Response:
    return engine(INDEX, environment()).answer(Request("GET", "https", engine.hosts[0], target))


def titles(response: Response) -> list[str]:
    """Titles as headings or links show them."""
    return list(dict.fromkeys(re.findall(r">(?:<span>)?(On pads \d+)<", response.body.decode())))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.id)
@pytest.mark.parametrize(
    ("offset", "numbers"),
    [pytest.param(0, range(10), id="first page"), pytest.param(10, range(10, 12), id="second page")],
)
def test_ten_results_a_page(engine: type[ResultsHost], offset: int, numbers: range) -> None:
    """Every engine counts in its own way, ten at a time."""
    assert titles(ask(engine, address(engine, "pad coil", offset))) == [f"On pads {n}" for n in numbers]


@pytest.mark.parametrize(
    ("engine", "parameter"),
    [
        (Google, "start=10"),
        (Bing, "first=11"),
        (Brave, "offset=1"),
        (Startpage, "page=2"),
        (Ecosia, "p=1"),
        (Qwant, "p=2"),
        (Marginalia, "page=2"),
    ],
    ids=lambda value: getattr(value, "id", value),
)
def test_the_next_page_is_linked(engine: type[ResultsHost], parameter: str) -> None:
    """The first page leads on, the last one does not."""
    link = f"{engine.path}?{engine.parameter}=pad&amp;{parameter}"

    first, last = ask(engine, address(engine, "pad")), ask(engine, address(engine, "pad", 10))

    assert (link.encode() in first.body, b"Next" in last.body) == (True, False)


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (Google, "did not match any documents"),
        (Bing, '<li class="b_no"'),
        (Brave, "Not many great matches came back for your search"),
        (Startpage, "there are no results for this search"),
        (Ecosia, "we didn’t find any results for"),
        (Qwant, 'data-testid="noResult"'),
        (Marginalia, "No search results found"),
    ],
    ids=lambda value: getattr(value, "id", "words"),
)
def test_nothing_found_is_said_in_the_engines_words(engine: type[ResultsHost], words: str) -> None:
    """An empty page has status 200 and no result."""
    response = ask(engine, address(engine, "unheard"))

    assert (response.status, titles(response)) == (200, [])
    assert words in response.body.decode()


@pytest.mark.parametrize(
    ("engine", "status", "words"),
    [
        (Bing, 200, "Please solve the challenge below to continue"),
        (Brave, 429, "confirm you're human"),
        (Ecosia, 403, "Confirm you’re not a robot"),
        (Qwant, 403, "captcha-delivery.com"),
        (Marginalia, 429, "too many automated queries"),
    ],
    ids=lambda value: getattr(value, "id", "words"),
)
def test_a_robot_is_turned_away(engine: type[ResultsHost], status: int, words: str) -> None:
    """A challenge is neither a result page nor an empty one."""
    response = engine(INDEX, environment()).challenge(Request("GET", "https", engine.hosts[0], address(engine, "pad")))

    assert response.status == status
    assert words in response.body.decode()


@pytest.mark.parametrize(
    ("engine", "place", "status", "words"),
    [
        (Google, SORRY, 429, b"unusual traffic"),
        (Startpage, "https://www.startpage.com/sp/captcha", 200, b"suspicious traffic"),
    ],
    ids=["google", "startpage"],
)  # fmt: skip
def test_some_send_robots_to_another_page(engine: type[ResultsHost], place: str, status: int, words: bytes) -> None:
    """The first answer is a redirect, the page it leads to asks for a human and does not redirect again."""
    host = engine(INDEX, environment())
    sent = host.challenge(Request("GET", "https", engine.hosts[0], address(engine, "pad")))

    shown = host.challenge(Request("GET", "https", engine.hosts[0], place.partition(".com")[2]))

    assert (sent.status, sent.headers["location"]) == (302, place)
    assert (shown.status, words in shown.body) == (status, True)


def test_google_asks_for_scripts() -> None:
    """The script gate has status 200 and no results: only a way to say that there is no JavaScript."""
    response = Google(INDEX, environment()).wall(
        "script_gate", Request("GET", "https", "www.google.com", "/search?q=pad")
    )

    assert (response.status, titles(response)) == (200, [])
    assert b"/httpservice/retry/enablejs" in response.body


def test_google_asks_for_consent_on_another_host() -> None:
    """The question about cookies remembers where the visitor wanted to go."""
    google = Google(INDEX, environment())

    sent = google.wall("consent", Request("GET", "https", "www.google.com", "/search?q=pad"))
    asked = GoogleConsent(google).answer(
        Request("GET", "https", "consent.google.com", "/ml?continue=https://www.google.com/")
    )

    assert (
        sent.headers["location"]
        == "https://consent.google.com/ml?continue=https%3A%2F%2Fwww.google.com%2Fsearch%3Fq%3Dpad"
    )
    assert b'name="continue" value="https://www.google.com/"' in asked.body


@pytest.mark.parametrize(("engine", "target"), [(Google, "/url?q={}"), (Bing, None)], ids=["google", "bing"])
def test_a_link_through_the_engine_leads_on(engine: type[ResultsHost], target: str | None) -> None:
    """Following a result's own link ends at the page."""
    url = "https://www.x1.org/a?b=1"
    link = (
        target.format(quote(url, safe=""))
        if target
        else engine(INDEX, environment()).href(url).removeprefix("https://www.bing.com")
    )

    response = ask(engine, link)

    assert (response.status, response.headers["location"]) == (302, url)


def test_qwant_turns_countries_away() -> None:
    """451 is a page with status 200 that says so."""
    response = Qwant(INDEX, environment()).refuse(Request("GET", "https", "www.qwant.com", "/?q=x"), 451)

    assert response.status == 200
    assert b"not yet available in your country" in response.body


def test_marginalia_has_an_open_api() -> None:
    """Results as JSON, as many as asked for."""
    response = MarginaliaApi(INDEX).answer(
        Request("GET", "https", "api.marginalia.nu", "/public/search/pad%20coil?count=2")
    )

    answer = json.loads(response.body)
    assert (answer["query"], [item["url"] for item in answer["results"]]) == ("pad coil", TARGETS[:2])


WIKI = Site("en.wikipedia.org", "Wikipedia", "encyclopedia", "en", "wiki")
ARTICLE = Page(
    WIKI, "/wiki/Charging_pad", "Charging pad", parse("A pad charges."), "A pad charges phones.", date(2024, 3, 5)
)


def wikipedia(target: str) -> Response:
    index = Index([Document(ARTICLE.url, ARTICLE.title, ARTICLE.text, ARTICLE.date)])
    return WikipediaHost(WIKI, [ARTICLE], Renderer([ARTICLE]), index, environment()).answer(
        Request("GET", "https", "en.wikipedia.org", target)
    )


def test_wikipedia_answers_as_its_api_does() -> None:
    """Title, marked snippet and time of the last change."""
    answer = json.loads(wikipedia("/w/api.php?action=query&list=search&srsearch=pad&format=json").body)

    (found,) = answer["query"]["search"]
    assert answer["query"]["searchinfo"] == {"totalhits": 1}
    assert (found["title"], found["timestamp"]) == ("Charging pad", "2024-03-05T09:00:00Z")
    assert found["snippet"] == 'A <span class="searchmatch">pad</span> charges phones.'


@pytest.mark.parametrize(
    ("target", "code"),
    [("/w/api.php?action=parse", "badvalue"), ("/w/api.php?action=query&list=search&srsearch=", "missingparam")],
)
def test_wikipedia_names_what_is_wrong(target: str, code: str) -> None:
    """Errors are objects with a code."""
    assert json.loads(wikipedia(target).body)["error"]["code"] == code


def test_wikipedia_has_a_search_page_and_its_articles() -> None:
    """The search page links to the article, which is a page like any other."""
    found, article = wikipedia("/w/index.php?search=pad"), wikipedia("/wiki/Charging_pad")

    assert b'<a href="/wiki/Charging_pad" title="Charging pad">Charging pad</a>' in found.body
    assert (article.status, b"A pad charges." in article.body) == (200, True)
