"""`lyra inspect serp`: what a parser makes of a file."""

from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.search.inspect import inspect_serp


def test_a_saved_page_is_shown_as_one_object(tmp_path: Path) -> None:
    """The object has the fields `file outcome results reason`, each result the one schema of SPEC §4."""
    path = tmp_path / "page.html"
    path.write_text(
        '<ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/">医薬品</a></h2>'
        '<p class="s">安全性</p></li></ul>',
        encoding="utf-8",
    )

    shown = inspect_serp("mojeek", path)

    assert shown == {
        "file": str(path),
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


def test_a_missing_file_is_an_error_of_that_file_only(tmp_path: Path) -> None:
    """One unreadable file among many must not end the command."""
    path = tmp_path / "absent.html"

    assert inspect_serp("mojeek", path) == {
        "file": str(path),
        "error_code": "INVALID_PARAMS",
        "error": "Cannot read the file: No such file or directory.",
    }


def test_an_unknown_engine_names_the_known_ones(tmp_path: Path) -> None:
    """The remedy lists what may be typed instead."""
    with pytest.raises(InvalidParams) as caught:
        inspect_serp("altavista", tmp_path)

    assert caught.value.remedy == (
        "Known engines: bing, brave, duckduckgo, ecosia, google, marginalia, mojeek, qwant, startpage, wikipedia."
    )
