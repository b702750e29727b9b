"""Sessions that a client hands over: what can be a cookie of the domain is kept, everything else refused."""

from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.fetch.sessions import LARGEST_COOKIE, Cookie
from lyra.research.handoffs import GivenSession, read_session

PAGE = "https://www.shokuin-forum.jp/threads/1"
PLAIN_PAGE = "http://www.shokuin-forum.jp/threads/1"


def test_cookies_come_as_a_browser_lists_them_or_by_name() -> None:
    """Both shapes give the same session; without a domain a cookie is the page's host's alone, over https alone."""
    listed = {"cookies": [{"name": "sid", "value": "a b"}], "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    named = {"cookies": {"sid": "a b"}, "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}

    found = [read_session(one, "shokuin-forum.jp", (PAGE,)) for one in (listed, named)]

    expected = GivenSession(
        (Cookie("sid", "a b", "www.shokuin-forum.jp", is_secure=True),), "Mozilla/5.0 (X11; Linux x86_64)"
    )
    assert found == [expected, expected]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"cookies": "sid=1"}, id="a header instead of cookies"),
        pytest.param({"cookies": ["sid=1"]}, id="words instead of cookies"),
        pytest.param({"cookies": [{"name": "sid\r\nX-Evil: 1", "value": "1"}]}, id="a name that begins a header"),
        pytest.param({"cookies": [{"name": "sid", "value": "1\r\nX-Evil: 1"}]}, id="a value that begins a header"),
        pytest.param({"cookies": [{"name": "sid", "value": "1; admin=1"}]}, id="a value that begins a cookie"),
        pytest.param({"cookies": [{"name": "sid", "value": "x" * LARGEST_COOKIE}]}, id="too large to be kept"),
        pytest.param({"cookies": [{"name": "sid", "value": "1", "domain": ".evil.example"}]}, id="another's cookie"),
        pytest.param({"cookies": [], "user_agent": "Mozilla\nX-Evil: 1"}, id="a browser's name that begins a header"),
    ],
)
def test_what_no_browser_would_send_is_refused(data: dict[str, Any]) -> None:
    """The client's error, before anything is stored: one such cookie would break every later request to the domain."""
    with pytest.raises(InvalidParams) as refused:
        read_session(data, "shokuin-forum.jp", (PAGE,))

    assert refused.value.code == "INVALID_PARAMS"


@pytest.mark.parametrize(
    ("given", "page", "domain", "is_secure"),
    [
        pytest.param({}, PAGE, "www.shokuin-forum.jp", True, id="nothing said"),
        pytest.param({}, PLAIN_PAGE, "www.shokuin-forum.jp", True, id="nothing said, plain page"),
        pytest.param({"secure": False}, PLAIN_PAGE, "www.shokuin-forum.jp", False, id="not secure, plain page"),
        pytest.param({"secure": False}, PAGE, "www.shokuin-forum.jp", True, id="not secure, page over https"),
        pytest.param({"domain": ".shokuin-forum.jp"}, PAGE, ".shokuin-forum.jp", True, id="the whole domain"),
        pytest.param({"domain": "shokuin-forum.jp"}, PAGE, "shokuin-forum.jp", True, id="another host"),
        pytest.param({"domain": ".shokuin-forum.jp", "hostOnly": True}, PAGE, "shokuin-forum.jp", True, id="host-only"),
        pytest.param(
            {"name": "__Host-sid", "domain": ".shokuin-forum.jp", "secure": False}, PLAIN_PAGE, "shokuin-forum.jp",
            True, id="bound to its host by name",
        ),
        pytest.param({"domain": "m.shokuin-forum.jp", "secure": False}, PLAIN_PAGE, "m.shokuin-forum.jp", True,
                     id="not secure, another host"),
    ],
)  # fmt: skip
def test_cookie_goes_to_one_host_over_https_unless_it_says_otherwise(
    given: dict[str, Any], page: str, domain: str, is_secure: bool
) -> None:
    """Sub-domains get it only where a domain with a dot is named, plain http only where the page is plain http."""
    cookie = {"name": "sid", "value": "1", **given}

    found = read_session({"cookies": [cookie]}, "shokuin-forum.jp", (page,))

    assert found == GivenSession((Cookie(cookie["name"], "1", domain, is_secure=is_secure),))


def test_cookie_for_a_domain_goes_to_the_hosts_that_waited() -> None:
    """One word on a domain with pages on two hosts: each has the cookie, no third one."""
    pages = (PAGE, "https://kaisetsu.shokuin-forum.jp/a", f"{PAGE}?page=2")

    found = read_session({"cookies": {"sid": "1"}}, "shokuin-forum.jp", pages)

    assert found is not None
    assert [one.domain for one in found.cookies] == ["www.shokuin-forum.jp", "kaisetsu.shokuin-forum.jp"]


def test_cookie_for_a_domain_nobody_waited_for_goes_to_its_own_host() -> None:
    """There is no page that could say more."""
    found = read_session({"cookies": {"sid": "1"}}, "shokuin-forum.jp", ())

    assert found == GivenSession((Cookie("sid", "1", "shokuin-forum.jp", is_secure=True),))
