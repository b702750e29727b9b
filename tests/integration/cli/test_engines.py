"""`lyra engines` and `lyra inspect serp`: how engines stand, and what a parser makes of a page."""

from pathlib import Path
from typing import Any

PAGE = (
    '<html><body><ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/info">医薬品の安全性情報</a></h2>'
    '<p class="s">2日前 — サキサグリプチンの添付文書が改訂されました。</p></li></ul></body></html>'
)


def test_every_engine_is_shown_with_its_weight_and_why(lyra: Any) -> None:
    """Before anything was asked all are sound; three are asked, two wait for the last mile."""
    told = lyra("engines", "--json").json
    people = lyra("engines")

    rows = {row["engine"]: row for row in told["engines"]}
    assert (told["category"], told["per_search"]) == ("general", 3)
    assert [(row["engine"], row["status"]) for row in told["engines"]] == [
        ("duckduckgo", "asked"),
        ("mojeek", "asked"),
        ("wikipedia", "asked"),
        ("marginalia", "stands in"),
        ("bing", "stands in"),
        ("qwant", "stands in"),
        ("ecosia", "stands in"),
        ("startpage", "stands in"),
        ("brave", "last mile"),
        ("google", "last mile"),
    ]
    assert (rows["google"]["left_today"], rows["google"]["breaker"], rows["google"]["weight"]) == (20, "closed", 0.1)
    assert rows["mojeek"]["why"] == "base 0.9 × category 1 × health 1.00 × yield 1.00"
    assert people.out.splitlines()[0].split("\t")[:4] == ["engine", "status", "weight", "breaker"]


def test_weights_follow_the_category_of_a_query(lyra: Any) -> None:
    """A question about papers goes to other engines than one about the news."""
    told = lyra("engines", "--query", "類天疱瘡 メタ解析", "--json").json

    assert told["category"] == "academic"
    assert [row["engine"] for row in told["engines"]][:3] == ["duckduckgo", "mojeek", "marginalia"]


def test_a_saved_page_is_parsed_with_its_relative_dates(lyra: Any, tmp_path: Path) -> None:
    """“2日前” counts from the day the page was saved; `file outcome results reason` stand on one line a file."""
    page = tmp_path / "results.html"
    page.write_text(PAGE, encoding="utf-8")

    done = lyra(
        "inspect", "serp", "mojeek", str(page), str(tmp_path / "none.html"), "--read-on", "2026-11-15", "--json"
    )

    read, unread = done.lines
    assert (done.code, sorted(read)) == (2, ["file", "outcome", "reason", "results"])
    assert read["results"] == [
        {
            "title": "医薬品の安全性情報",
            "url": "https://www.pmda.go.jp/info",
            "snippet": "サキサグリプチンの添付文書が改訂されました。",
            "date": "2026-11-13",
            "engine": "mojeek",
            "rank": 1,
            "source_tag": None,
        }
    ]
    assert unread["error_code"] == "INVALID_PARAMS"
