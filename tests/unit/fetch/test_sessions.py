"""Sessions: who may see which cookie, and what lies on the disk."""

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lyra.fetch.sessions import Cookie, SessionStore
from tests.clocks import HeldClock

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
LATER_S = (NOW + timedelta(days=1)).timestamp()
PAST_S = (NOW - timedelta(seconds=1)).timestamp()
SID = Cookie("sid", "s3cr3t-value", ".city.aomine.lg.jp", expires_s=LATER_S, is_secure=True, is_http_only=True)


@pytest.fixture
def clock() -> HeldClock:
    return HeldClock(NOW)


@pytest.fixture
def store(tmp_path: Path, clock: HeldClock) -> SessionStore:
    return SessionStore(tmp_path / "sessions", clock)


@pytest.mark.parametrize(
    ("cookie", "url", "is_sent"),
    [
        pytest.param(Cookie("a", "1", "www.fdso.gov"), "https://www.fdso.gov/x", True, id="own host"),
        pytest.param(Cookie("a", "1", "www.fdso.gov"), "https://fdso.gov/x", False, id="host-only, above"),
        pytest.param(Cookie("a", "1", "fdso.gov"), "https://www.fdso.gov/x", False, id="host-only, below"),
        pytest.param(Cookie("a", "1", ".fdso.gov"), "https://www.fdso.gov/x", True, id="domain, below"),
        pytest.param(Cookie("a", "1", ".fdso.gov"), "https://evilfdso.gov/", False, id="only ends alike"),
        pytest.param(Cookie("a", "1", "x.org", is_secure=True), "http://x.org/", False, id="secure over http"),
        pytest.param(Cookie("a", "1", "x.org", path="/docs"), "https://x.org/docs/1", True, id="path below"),
        pytest.param(
            Cookie("a", "1", "x.org", path="/docs"), "https://x.org/docs2", False, id="path only begins alike"
        ),
        pytest.param(Cookie("a", "1", "x.org", path="/docs/"), "https://x.org/docs", False, id="path above"),
        pytest.param(Cookie("a", "1", "x.org"), "https://x.org", True, id="address without path"),
    ],
)
def test_cookie_goes_where_a_browser_would_send_it(cookie: Cookie, url: str, is_sent: bool) -> None:
    """RFC 6265 §5.4: host or domain, path, and the secure flag."""
    assert cookie.is_sent_to(url) is is_sent


async def test_session_is_kept_for_its_registrable_domain(store: SessionStore) -> None:
    """Whatever host of the publisher asks, it is one session; another publisher has none."""
    await store.save("https://www.city.aomine.lg.jp/kurashi", [SID], user_agent="Chrome", language="ja,en")

    session = await store.load("https://library.city.aomine.lg.jp/")
    other = await store.load("https://www.city.kazama.lg.jp/")

    assert session is not None
    assert (session.domain, session.cookies, session.user_agent) == ("aomine.lg.jp", (SID,), "Chrome")
    assert (session.language, session.saved_at) == ("ja,en", NOW)
    assert other is None


async def test_cookies_of_others_are_dropped(store: SessionStore) -> None:
    """A visit also meets strangers' cookies, and some for a whole public suffix; neither is kept."""
    strangers = [
        Cookie("track", "1", ".ads.example"),
        Cookie("wide", "1", ".lg.jp"),
        Cookie("big", "x" * 9000, "fdso.gov"),
    ]

    session = await store.save("https://www.fdso.gov/", [Cookie("own", "1", "www.fdso.gov"), *strangers])

    assert [cookie.name for cookie in session.cookies] == ["own"]


async def test_newer_cookies_replace_older_of_the_same_name(store: SessionStore) -> None:
    """Name, domain and path are one cookie; others stay, and the face stays where none is given."""
    old = [Cookie("sid", "old", "www.fdso.gov"), Cookie("theme", "dark", "www.fdso.gov")]
    await store.save("https://www.fdso.gov/", old, user_agent="Chrome/156")

    session = await store.save("https://www.fdso.gov/", [Cookie("sid", "new", "www.fdso.gov")])

    assert [(one.name, one.value) for one in session.cookies] == [("sid", "new"), ("theme", "dark")]
    assert session.user_agent == "Chrome/156"


async def test_expired_cookies_are_not_sent(store: SessionStore, clock: HeldClock) -> None:
    """What has run out since it was saved is gone; a cookie without date lives on."""
    cookies = [
        Cookie("day", "1", "x.org", expires_s=LATER_S),
        Cookie("open", "2", "x.org"),
        Cookie("old", "3", "x.org", expires_s=PAST_S),
    ]
    await store.save("https://x.org/", cookies)

    before = await store.cookies_for("https://x.org/")
    clock.moment = NOW + timedelta(days=2)
    after = await store.cookies_for("https://x.org/")

    assert before == (("day", "1"), ("open", "2"))
    assert after == (("open", "2"),)


async def test_longer_paths_go_first(store: SessionStore) -> None:
    """Servers take the first of two cookies with one name."""
    await store.save("https://x.org/", [Cookie("a", "root", "x.org"), Cookie("a", "docs", "x.org", path="/docs")])

    assert await store.cookies_for("https://x.org/docs/1") == (("a", "docs"), ("a", "root"))


async def test_files_are_for_the_user_alone(store: SessionStore, tmp_path: Path) -> None:
    """Directory 0700, file 0600, and nothing left of the writing."""
    await store.save("https://x.org/", [Cookie("a", "1", "x.org")])

    folder = tmp_path / "sessions"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [(path.name, stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()] == [("x.org.json", 0o600)]


async def test_session_that_cannot_be_read_is_none_and_is_replaced(store: SessionStore, tmp_path: Path) -> None:
    """A torn or foreign file harms nothing."""
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "x.org.json").write_text('{"domain": "x.org", "cookies": [{"nam')

    before = await store.load("https://x.org/")
    await store.save("https://x.org/", [Cookie("a", "1", "x.org")])

    assert before is None
    assert await store.cookies_for("https://x.org/") == (("a", "1"),)


async def test_file_of_another_domain_gives_nothing_away(store: SessionStore, tmp_path: Path) -> None:
    """Even a file that was moved cannot send its cookies elsewhere."""
    await store.save("https://fdso.gov/", [Cookie("a", "1", "fdso.gov")])
    folder = tmp_path / "sessions"
    (folder / "fdso.gov.json").rename(folder / "x.org.json")

    assert await store.cookies_for("https://x.org/") == ()


async def test_forgetting_takes_the_file_away(store: SessionStore) -> None:
    """Forgetting twice is no error."""
    await store.save("https://x.org/", [Cookie("a", "1", "x.org")])

    assert await store.domains() == ("x.org",)
    assert [await store.forget("https://x.org/"), await store.forget("https://x.org/")] == [True, False]
    assert await store.domains() == ()


def test_values_do_not_show_in_logs() -> None:
    """What is printed of a cookie is never its value."""
    assert "s3cr3t" not in repr(SID)


async def test_host_names_of_all_kinds_have_a_file(store: SessionStore) -> None:
    """Addresses of IPv6 and a port do not reach into other directories."""
    await store.save("http://[2001:db8::1]:8080/", [Cookie("a", "1", "2001:db8::1")])

    session = await store.load("http://[2001:db8::1]:8080/")
    assert session is not None
    assert json.dumps(session.domain) == '"2001:db8::1"'
