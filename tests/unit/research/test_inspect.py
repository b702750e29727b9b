"""What a saved file would give: statements, or results."""

from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.model.page import FetchOutcome, FetchResult
from lyra.research.inspect import inspect_serp, serp_of_file


def test_a_saved_page_is_read_with_its_name(tmp_path: Path) -> None:
    """The fields are `file outcome results reason`."""
    path = tmp_path / "page.html"
    path.write_text('<ul class="results-none"></ul>', encoding="utf-8")

    assert serp_of_file("mojeek", path) == {
        "file": str(path),
        "outcome": "empty",
        "results": [],
        "reason": "The engine found nothing (selector '.results-none').",
    }


@pytest.mark.parametrize(
    ("html", "outcome", "reason"),
    [
        pytest.param(
            "<title>Just a moment...</title><p>wait</p>",
            "blocked",
            "The engine gave no result page (challenge: Status 200: cloudflare blocks the page "
            "(title 'just a moment...').).",
            id="challenge",
        ),
        pytest.param(
            "<html><body><form><input type='password'></form></body></html>",
            "blocked",
            "The engine gave no result page (challenge: Status 200: login blocks the page "
            "(a form for a password on a page without content).).",
            id="login",
        ),
        pytest.param(
            "<html><body><h1>Too many requests</h1></body></html>",
            "blocked",
            "The engine gave no result page (blocked: Status 200, but the page refuses access "
            "(words 'too many requests' and nothing else).).",
            id="refusal",
        ),
        pytest.param(
            "<html><body><noscript>JavaScript is required</noscript></body></html>",
            "blocked",
            "The engine shows nothing without scripts.",
            id="script",
        ),
        pytest.param(
            "",
            "failed",
            "The engine gave no result page (failed: Status 200: the server sent an empty body.).",
            id="empty",
        ),
    ],
)
def test_a_saved_wall_is_what_a_search_would_have_met(tmp_path: Path, html: str, outcome: str, reason: str) -> None:
    """The rules of the fetcher hold for files too, so that the command shows what a search does."""
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")

    shown = serp_of_file("mojeek", path)

    assert (shown["outcome"], shown["results"], shown["reason"]) == (outcome, [], reason)


def test_a_missing_file_is_an_error_of_that_file_only(tmp_path: Path) -> None:
    """One unreadable file among many must not end the command."""
    path = tmp_path / "absent.html"

    assert serp_of_file("mojeek", path) == {
        "file": str(path),
        "ok": False,
        "error_code": "INVALID_PARAMS",
        "error": "Cannot read the file: No such file or directory.",
        "retryable": False,
    }


def test_an_unknown_engine_is_the_callers_mistake(tmp_path: Path) -> None:
    """No file is to blame for it: the command ends."""
    with pytest.raises(InvalidParams) as caught:
        serp_of_file("altavista", tmp_path / "page.html")

    assert caught.value.code == "INVALID_PARAMS"


def test_a_page_in_two_byte_characters_is_read(tmp_path: Path) -> None:
    """The name of the file says that it is a page, whatever its bytes look like."""
    path = tmp_path / "page.html"
    path.write_text('<ul class="results-none">見つかりません</ul>', encoding="utf-16")

    assert serp_of_file("mojeek", path)["outcome"] == "empty"


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
