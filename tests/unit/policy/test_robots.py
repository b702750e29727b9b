"""Reading a robots.txt as RFC 9309 does."""

from datetime import UTC, datetime

import pytest

from lyra.model.domain import RobotsFile
from lyra.model.page import FetchOutcome
from lyra.policy.robots import RobotsDecision, decode, judge

ORIGIN = "https://www.fdso.gov"
NOW = datetime(2026, 1, 31, tzinfo=UTC)
DENIED = RobotsDecision(False, reason="robots.txt of www.fdso.gov disallows this address.")


def robots(body: str, status: int = 200) -> RobotsFile:
    return RobotsFile(ORIGIN, body, status, NOW)


@pytest.mark.parametrize(
    ("body", "path", "decision"),
    [
        ("", "/a", RobotsDecision(True)),
        ("User-agent: *\nDisallow: /internal/", "/internal/draft", DENIED),
        ("User-agent: *\nDisallow: /internal/", "/safety", RobotsDecision(True)),
        ("User-agent: *\nDisallow: /\nAllow: /safety", "/safety/x", RobotsDecision(True)),
        ("User-agent: *\nDisallow:", "/a", RobotsDecision(True)),
        ("User-agent: lyra\nDisallow: /\n\nUser-agent: *\nDisallow:", "/a", DENIED),
        ("User-agent: lyra\nAllow: /\n\nUser-agent: *\nDisallow: /", "/a", RobotsDecision(True)),
        ("User-agent: Googlebot\nDisallow: /", "/a", RobotsDecision(True)),
        ("User-agent: Chrome\nDisallow: /", "/a", RobotsDecision(True)),
        ("User-agent: *\nCrawl-delay: 7\nDisallow: /x", "/a", RobotsDecision(True, 7.0)),
        ("User-agent: *\nCrawl-delay: 1e300", "/a", RobotsDecision(True, 86_400.0)),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", DENIED),
        ("User-agent: *\nDisallow: /検索", "/%E6%A4%9C%E7%B4%A2?q=1", DENIED),
        ("<!doctype html><html><body>Not found</body></html>", "/a", RobotsDecision(True)),
    ],
    ids=[
        "empty", "denied", "elsewhere", "longest-wins", "empty-disallow", "own-group", "own-group-allows",
        "other-robot", "not-by-browser-name", "crawl-delay", "endless-delay", "wildcard", "japanese-path", "html-page",
    ],
)  # fmt: skip
def test_rules_are_read_for_lyra_then_for_everyone(body: str, path: str, decision: RobotsDecision) -> None:
    """The group for `lyra` binds, else the one for `*`; the longest rule wins; other robots' rules are theirs."""
    assert judge(robots(body), ORIGIN + path) == decision


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_absent_robots_allow_everything(status: int) -> None:
    """4xx means there are no rules (RFC 9309 §2.3.1.3)."""
    assert judge(robots("User-agent: *\nDisallow: /", status), ORIGIN + "/a") == RobotsDecision(True)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_server_trouble_disallows_for_now(status: int) -> None:
    """A server that cannot say its rules is not visited until it can (§2.3.1.4)."""
    assert judge(robots("", status), ORIGIN + "/a") == RobotsDecision(
        False,
        reason=f"robots.txt answers {status}, so nothing may be fetched for now.",
        retry_after_s=600.0,
    )


def test_no_answer_is_a_failure_with_its_reason() -> None:
    """A host that cannot be reached is not said to forbid anything: the fetch failed, and why is known."""
    assert judge(robots("No connection to www.fdso.gov could be made.", 0), ORIGIN + "/a") == RobotsDecision(
        False,
        outcome=FetchOutcome.FAILED,
        reason="robots.txt could not be read: No connection to www.fdso.gov could be made.",
        retry_after_s=120.0,
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"\xef\xbb\xbfUser-agent: *", "User-agent: *"),
        ("User-agent: *".encode("utf-16"), "User-agent: *"),
        (b"# \x93\xfa\x96{\nUser-agent: *", "# \ufffd\ufffd\ufffd{\nUser-agent: *"),
        (b"User-agent: *\x00", "User-agent: *"),
    ],
    ids=["bom", "utf-16", "shift-jis-comment", "nul"],
)
def test_odd_encodings_leave_the_rules_readable(body: bytes, text: str) -> None:
    """Rules are ASCII in nearly every file; what surrounds them must not hide them."""
    assert decode(body) == text


def test_only_the_first_500_kib_are_read() -> None:
    """A huge file is cut where the RFC lets a parser stop (§2.5)."""
    assert len(decode(b"#" * 600_000)) == 512_000
