"""`lyra inspect serp`: a saved result page is judged and read as in a search."""

from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.research.inspect import serp_of_file


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
            "The engine gave no result page (challenge: Status 200: cloudflare stands before the page "
            "(title 'just a moment...').).",
            id="challenge",
        ),
        pytest.param(
            "<html><body><form><input type='password'></form></body></html>",
            "blocked",
            "The engine gave no result page (challenge: Status 200: login stands before the page "
            "(a form for a password on a page without content).).",
            id="login",
        ),
        pytest.param(
            "<html><body><h1>Too many requests</h1></body></html>",
            "blocked",
            "The engine gave no result page (blocked: Status 200, but the page refuses access "
            "(words 'too many requests').).",
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
