"""What fetching shows of itself: saved challenges, and what was learned of domains."""

import asyncio
from pathlib import Path
from typing import Any

from lyra.clock import SystemClock
from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy.domain_policy import DomainPolicy
from lyra.settings import Politeness
from lyra.storage.database import Database

WALL = '<html><head><title>Just a moment...</title></head><body><form id="challenge-form"></form></body></html>'
LOGIN = "<html><head><title>会員ログイン</title></head><body><form><input type='password'></form></body></html>"
PAGE = (
    "<html><head><title>Trial</title></head><body><article>" + "<p>It lowered glucose. </p>" * 90 + "</article></html>"
)


def refuse(home: Path) -> None:
    """A domain that has refused one request."""

    async def write() -> None:
        db = await Database.open(home / "lyra.db")
        refused = FetchResult("https://www.fdso.gov/a", FetchOutcome.BLOCKED, status_code=403)
        await DomainPolicy(db, SystemClock(), Politeness()).note("fdso.gov", refused)
        await db.close()

    asyncio.run(write())


def test_saved_pages_are_told_apart(lyra: Any, tmp_path: Path) -> None:
    """One JSON object a file: what stands there, what the page is, and by what it was seen."""
    files = {"wall.html": WALL, "login.html": LOGIN, "page.html": PAGE}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")

    done = lyra("inspect", "challenge", *(str(tmp_path / name) for name in files), "--json")

    assert [(row["challenge"], row["page_state"], row["evidence"]) for row in done.lines] == [
        ("cloudflare", "challenge", "markup of its page: <form id='challenge-form'>"),
        ("login", "challenge", "a form for a password on a page without content"),
        (None, "content", None),
    ]


def test_unreadable_file_does_not_hide_the_others(lyra: Any, tmp_path: Path) -> None:
    """A missing file is named, the rest is shown, and the exit code says that something was wrong."""
    (tmp_path / "page.html").write_text(PAGE, "utf-8")

    done = lyra("inspect", "challenge", str(tmp_path / "none.html"), str(tmp_path / "page.html"), "--json")

    assert (done.code, [(row["ok"], row.get("error_code")) for row in done.lines]) == (
        2,
        [(False, "INVALID_PARAMS"), (True, None)],
    )


def test_domain_explains_how_it_is_asked(lyra: Any, home: Path) -> None:
    """Averages, pause, where fetches begin, and the last change with its figures."""
    lyra("task", "list", "--json")
    refuse(home)

    done = lyra("domains", "https://www.fdso.gov/safety", "--json")

    fetching = done.json["domains"][0]["fetching"]
    (change,) = fetching["changes"]
    assert (fetching["pause_factor"], fetching["pause_s"], fetching["refusal_short"]) == (2.0, 10.0, 0.3)
    assert fetching["requests_today"] == {"http": 1}
    assert (change["parameter"], change["before"], change["after"]) == ("pause_factor", "1", "2")
    assert change["figures"] == {"short": 0.3, "long": 0.1, "samples": 1}


def test_domain_is_asked_at_the_rate_that_the_user_gave(lyra: Any, home: Path) -> None:
    """`qps` in domains.yaml lengthens the pause, and the account says where it comes from."""
    home.mkdir(parents=True)
    (home / "domains.yaml").write_text("user_overrides: [{domain: www.jinkotokei.go.jp, qps: 0.05}]", "utf-8")

    done = lyra("domains", "jinkotokei.go.jp", "mhlw.go.jp", "--json")

    told = [row["fetching"] for row in done.json["domains"]]
    assert [(one["qps"], one["qps_origin"], one["pause_s"]) for one in told] == [
        (0.05, "domains.yaml", 20.0),
        (0.2, "politeness.domain_qps", 5.0),
    ]


def test_domain_can_be_forgotten(lyra: Any, home: Path) -> None:
    """What was learned goes once; the second time there is nothing to forget."""
    lyra("task", "list", "--json")
    refuse(home)

    first = lyra("domains", "forget", "www.fdso.gov", "--json")
    second = lyra("domains", "forget", "fdso.gov", "--json")

    assert first.json == {"ok": True, "domain": "fdso.gov", "forgotten": True}
    assert second.json["forgotten"] is False


def test_forgetting_nothing_is_refused(lyra: Any) -> None:
    """`forget` without a domain says how it is used."""
    done = lyra("domains", "forget", "--json")

    assert (done.code, done.json["error_code"], done.json["remedy"]) == (
        2,
        "INVALID_PARAMS",
        "lyra domains forget example.com",
    )
