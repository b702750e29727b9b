"""Wikipedia's search API."""

import json

import pytest

from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.search.engines.wikipedia import Wikipedia

WIKIPEDIA = Wikipedia()


def test_the_edition_follows_the_query() -> None:
    """A Japanese question is asked of the Japanese edition, without operators the API has not."""
    request = WIKIPEDIA.url_for("シタグリプチンの副作用 site:go.jp")

    assert request.url == (
        "https://ja.wikipedia.org/w/api.php?action=query&list=search"
        "&srsearch=%E3%82%B7%E3%82%BF%E3%82%B0%E3%83%AA%E3%83%97%E3%83%81%E3%83%B3%E3%81%AE%E5%89%AF%E4%BD%9C%E7%94%A8"
        "&srlimit=20&srprop=snippet%7Ctimestamp&format=json&formatversion=2"
    )
    assert request.gate == "engine:wikipedia"


def test_hits_become_results() -> None:
    """Titles become addresses, and the API's highlighting is not part of the snippet."""
    hit = {
        "title": "Dipeptidyl peptidase-4 inhibitor",
        "snippet": 'Inhibitors of <span class="searchmatch">DPP-4</span> &amp; others',
        "timestamp": "2025-02-01T10:00:00Z",
    }
    answer = WIKIPEDIA.parse(json.dumps({"query": {"search": [hit, None, {"title": None}]}}), "DPP-4 inhibitor")

    assert answer == EngineAnswer(
        "wikipedia",
        "DPP-4 inhibitor",
        SearchOutcome.RESULTS,
        (
            SerpItem(
                "Dipeptidyl peptidase-4 inhibitor",
                "https://en.wikipedia.org/wiki/Dipeptidyl_peptidase-4_inhibitor",
                "Inhibitors of DPP-4 & others",
                "wikipedia",
                1,
                "2025-02-01",
                "encyclopedia",
            ),
        ),
    )


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        pytest.param('{"query": {"search": []}}', SearchOutcome.EMPTY, id="empty"),
        pytest.param('{"error": {"code": "ratelimited"}}', SearchOutcome.BLOCKED, id="rate-limited"),
        pytest.param('{"error": {"code": "internal_api_error"}}', SearchOutcome.FAILED, id="error"),
        pytest.param('{"query": null}', SearchOutcome.FAILED, id="null"),
        pytest.param("[]", SearchOutcome.FAILED, id="list"),
        pytest.param("<html>Too many requests</html>", SearchOutcome.FAILED, id="html"),
        pytest.param("[" * 100_000, SearchOutcome.FAILED, id="nested-without-end"),
    ],
)
def test_answers_without_hits_say_which_kind(body: str, outcome: SearchOutcome) -> None:
    """Empty, refused and broken answers stay apart here too."""
    assert WIKIPEDIA.parse(body, "q").outcome is outcome


@pytest.mark.parametrize(
    ("query", "edition"),
    [("気候変動 政策", "ja"), ("国立国会図書館", "ja"), ("人工智能 监管", "zh"), ("climate policy", "en")],
)
def test_kanji_alone_go_to_the_japanese_edition(query: str, edition: str) -> None:
    """Nouns side by side have no kana; characters that Japanese lacks go to the Chinese edition."""
    assert WIKIPEDIA.url_for(query).url.startswith(f"https://{edition}.wikipedia.org/w/api.php?")


def test_hits_of_odd_types_are_read_as_far_as_they_make_sense() -> None:
    """A time that is none is no date; an entry without a title is no hit."""
    body = '{"query": {"search": [3, null, {"title": null}, {"title": "Gliptin", "snippet": null, "timestamp": 5}]}}'

    answer = WIKIPEDIA.parse(body, "gliptin")

    assert [(item.title, item.snippet, item.date) for item in answer.items] == [("Gliptin", "", None)]


def test_half_a_character_in_a_title_is_dropped() -> None:
    """JSON can carry a lone surrogate, of which no address can be made."""
    answer = WIKIPEDIA.parse('{"query": {"search": [{"title": "A\\ud800B", "snippet": "x\\ud800"}]}}', "words")

    assert [(item.title, item.url, item.snippet) for item in answer.items] == [
        ("AB", "https://en.wikipedia.org/wiki/AB", "x")
    ]
