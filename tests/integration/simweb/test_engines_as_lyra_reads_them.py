"""The simulated engines against the parsers that read the real ones."""

from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest
from curl_cffi import requests

from lyra.fetch.classify import classify
from lyra.model.archive import Exchange
from lyra.model.page import FetchLane, FetchResult
from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.search.engine import read_result
from lyra.search.engines import known_engines
from simweb import Fault, SimWeb
from simweb.apis import pubmed

PAGES = ["bing", "brave", "ecosia", "google", "qwant", "startpage"]
EVERY = [*PAGES, "duckduckgo", "mojeek", "wikipedia"]


def ask(client: requests.Session, engine_id: str, query: str) -> EngineAnswer:
    """An engine's answer as a search reads it: the fetcher's judgement first, then the parser's."""
    engine = known_engines()[engine_id]
    answer = client.get(engine.url_for(query).url)
    headers = tuple((name, value or "") for name, value in answer.headers.items())
    exchange = Exchange(
        answer.url, "GET", datetime.now(UTC), status_code=answer.status_code, headers=headers, body=answer.content
    )
    verdict = classify(exchange, FetchLane.SERP)
    result = FetchResult(
        answer.url,
        verdict.outcome,
        status_code=answer.status_code,
        headers=headers,
        body=answer.content,
        challenge=verdict.challenge,
        page_state=verdict.page_state,
    )
    return read_result(engine, query, result)


@pytest.mark.parametrize("engine", PAGES)
@pytest.mark.parametrize(
    "query",
    ["saxagliptin heart failure hospitalisation", "給食費 無償化 出生数", "ALP-2 authentication replay"],
    ids=["dpp4", "kosodate", "alp2"],
)
def test_results_are_read(client: requests.Session, web: SimWeb, engine: str, query: str) -> None:
    """Ten results in order, each with title, snippet and the address of a page of the world."""
    written = {page.url for topic in web.topics for page in (*topic.pages, *pubmed.pages(topic.papers))}

    answer = ask(client, engine, query)

    assert (answer.outcome, [item.rank for item in answer.items]) == (SearchOutcome.RESULTS, list(range(1, 11)))
    assert [item for item in answer.items if not item.title or not item.snippet] == []
    assert {item.url for item in answer.items} - written == set()


@pytest.mark.parametrize("engine", PAGES)
def test_advertisements_are_no_results(client: requests.Session, engine: str) -> None:
    """A query with shopping words shows an advertisement, which the parser drops."""
    hosts = [urlsplit(item.url).hostname for item in ask(client, engine, "wireless charger pad price").items]

    assert "www.voltbarn-direct.com" not in hosts
    assert "shop.voltbarn-outlet.com" in hosts


@pytest.mark.parametrize("engine", ["bing", "brave", "ecosia", "google", "startpage"])
def test_dates_are_read(client: requests.Session, engine: str) -> None:
    """Engines that show the day of a page show it so that it is read."""
    items = ask(client, engine, "Brightpad Duo recall notice").items
    days = {item.url: item.date for item in items}

    assert days["https://www.cpsb.gov/recalls/2025-031"] == "2025-08-14"


@pytest.mark.parametrize("engine", EVERY)
def test_nothing_found_is_empty(client: requests.Session, engine: str) -> None:
    """A page without results is told from one that failed."""
    assert ask(client, engine, "zxqjwvbkmpffdsgh").outcome is SearchOutcome.EMPTY


@pytest.mark.parametrize("engine", EVERY)
def test_a_challenge_is_blocked(client: requests.Session, web: SimWeb, engine: str) -> None:
    """Each engine's robot page, redirects followed, is recognised."""
    web.faults.set("*", Fault("challenge"))

    assert ask(client, engine, "saxagliptin").outcome is SearchOutcome.BLOCKED


def test_googles_script_gate_is_blocked(client: requests.Session, web: SimWeb) -> None:
    """The page that asks for JavaScript has status 200 and is no empty answer."""
    web.faults.set("www.google.com", Fault("script_gate"))

    assert ask(client, "google", "saxagliptin").outcome is SearchOutcome.BLOCKED


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("Aerolink Power inductive charging", "https://en.wikipedia.org/wiki/Aerolink_Power_2"),
        ("移住支援金とは", "https://ja.wikipedia.org/wiki/%E7%A7%BB%E4%BD%8F%E6%94%AF%E6%8F%B4%E9%87%91"),
    ],
    ids=["English", "Japanese"],
)
def test_encyclopaedia_articles_exist_where_they_are_said_to_be(client: requests.Session, query: str, url: str) -> None:
    """The address made from the title is the article's."""
    first = ask(client, "wikipedia", query).items[0].url

    assert first == url
    assert client.get(first).status_code == 200
