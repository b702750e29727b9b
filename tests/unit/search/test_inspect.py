"""What an engine's parser makes of a fetched result page, as one object."""

import pytest

from lyra.errors import InvalidParams
from lyra.model.page import FetchOutcome, FetchResult
from lyra.research.inspect import inspect_serp

PAGE = """<ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/">医薬品</a></h2>
<p class="s">安全性</p></li></ul>"""


def test_results_have_the_one_schema() -> None:
    """The object has the fields `outcome results reason`, each result the one schema of SPEC §4."""
    result = FetchResult("page.html", FetchOutcome.OK, status_code=200, body=PAGE.encode())

    shown = inspect_serp("mojeek", result)

    assert shown == {
        "outcome": "results",
        "results": [
            {
                "title": "医薬品",
                "url": "https://www.pmda.go.jp/",
                "snippet": "安全性",
                "date": None,
                "engine": "mojeek",
                "rank": 1,
                "source_tag": None,
            }
        ],
        "reason": None,
    }


def test_a_page_that_only_scripts_would_fill_is_blocked() -> None:
    """The fetcher saw that nothing is shown without scripts: neither empty nor failed, and a browser helps."""
    body = b"<noscript>JavaScript is required</noscript><div id='root'></div><script></script>"
    result = FetchResult("page.html", FetchOutcome.OK, status_code=200, body=body, page_state="needs_javascript")

    shown = inspect_serp("ecosia", result)

    assert (shown["outcome"], shown["reason"]) == ("blocked", "The engine shows nothing without scripts.")


def test_results_on_a_page_that_asks_for_scripts_are_results() -> None:
    """The parser has the last word on a page that holds what was asked for."""
    result = FetchResult(
        "page.html", FetchOutcome.OK, status_code=200, body=PAGE.encode(), page_state="needs_javascript"
    )

    shown = inspect_serp("mojeek", result)

    assert (shown["outcome"], shown["results"][0]["url"]) == ("results", "https://www.pmda.go.jp/")


def test_an_unknown_engine_names_the_known_ones() -> None:
    """The remedy lists what may be typed instead."""
    with pytest.raises(InvalidParams) as caught:
        inspect_serp("altavista", FetchResult("page.html", FetchOutcome.OK))

    assert caught.value.remedy == (
        "Known engines: bing, brave, duckduckgo, ecosia, google, marginalia, mojeek, qwant, startpage, wikipedia."
    )
