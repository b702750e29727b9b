"""`lyra engines` and `lyra inspect serp`: how engines stand, and what a parser makes of a page."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.archive.warc import WarcArchive
from lyra.clock import SystemClock
from lyra.model.archive import Exchange
from lyra.model.domain import BreakerState, ServiceHealth
from lyra.storage import service_health
from lyra.storage.database import Database

PAGE = (
    '<html><body><ul class="results-standard"><li><h2><a href="https://www.pmda.go.jp/info">医薬品の安全性情報</a></h2>'
    '<p class="s">2日前 — サキサグリプチンの添付文書が改訂されました。</p></li></ul></body></html>'
)
READ_AT = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


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
    shown = [line.split("\t") for line in people.out.splitlines()]
    assert shown[:2] == [
        ["engine", "status", "asked_again", "weight", "sound_1h", "sound_24h", "left_today"],
        ["duckduckgo", "asked", "", "1.0", "1.0", "1.0", ""],
    ]
    assert shown[11:13] == [["engine", "why"], ["duckduckgo", "base 1 × category 1 × health 1.00 × yield 1.00"]]


@pytest.mark.parametrize(
    ("rest", "expected"), [(timedelta(seconds=1740), "in 29 min"), (timedelta(hours=9.5), "in 10 h")], ids=str
)
def test_a_resting_engine_says_when_it_is_asked_again(lyra: Any, home: Path, rest: timedelta, expected: str) -> None:
    """Whoever finds all engines blocked looks here for how long to wait."""
    now = datetime.now(UTC)
    health = ServiceHealth("engine:mojeek", now, BreakerState.OPEN, open_until=now + rest, last_reason="refuses access")
    asyncio.run(_save(home, health))

    (mojeek,) = [line.split("\t") for line in lyra("engines").out.splitlines() if line.startswith("mojeek\tresting")]

    assert mojeek[2] == expected


async def _save(home: Path, health: ServiceHealth) -> None:
    db = await Database.open(home / "lyra.db")
    await db.write(service_health.save, health)
    await db.close()


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
    assert (done.code, sorted(read)) == (2, ["file", "ok", "outcome", "reason", "results"])
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
    assert (read["ok"], unread["ok"], unread["error_code"]) == (True, False, "INVALID_PARAMS")


async def _archived(home: Path) -> str:
    """The record of a result page as a search keeps it; its “2日前” counts from then."""
    clock, db = SystemClock(), await Database.open(home / "lyra.db")
    archive = WarcArchive(home / "archive", clock, db=db)
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    answer = Exchange("https://www.mojeek.com/search?q=x", "GET", READ_AT, status_code=200, headers=headers,
                      body=PAGE.encode())  # fmt: skip
    ref = await archive.store(answer)
    await archive.close()
    await db.close()
    return ref.record_id


def test_an_archived_page_is_parsed_by_its_record(lyra: Any, home: Path) -> None:
    """`lyra log` names the record of what a parser read: it can be read again, and one that is not there is told."""
    record = asyncio.run(_archived(home))

    done = lyra("inspect", "serp", "mojeek", record, record.strip("<>"), "urn:uuid:0", "--json")

    first, bare, unknown = done.lines
    assert done.code == 2
    assert (first["file"], first["outcome"]) == (record, "results")
    assert [(hit["url"], hit["date"]) for hit in first["results"]] == [("https://www.pmda.go.jp/info", "2026-11-13")]
    assert bare == first
    assert unknown == {
        "ok": False,
        "file": "urn:uuid:0",
        "error_code": "INVALID_PARAMS",
        "error": "There is no record 'urn:uuid:0' in this archive.",
        "retryable": False,
        "remedy": "Take an id from `lyra log TASK`.",
    }
