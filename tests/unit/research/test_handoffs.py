"""Sessions that a client hands over: what can be a cookie of the domain is kept, everything else refused."""

from typing import Any

import pytest

from lyra.errors import InvalidParams
from lyra.fetch.sessions import LARGEST_COOKIE, Cookie
from lyra.research.handoffs import GivenSession, read_session


def test_cookies_come_as_a_browser_lists_them_or_by_name() -> None:
    """Both shapes give the same session; without a domain a cookie covers the whole one."""
    listed = {"cookies": [{"name": "sid", "value": "a b"}], "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}
    named = {"cookies": {"sid": "a b"}, "user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}

    found = [read_session(one, "shokuin-forum.jp") for one in (listed, named)]

    expected = GivenSession((Cookie("sid", "a b", ".shokuin-forum.jp"),), "Mozilla/5.0 (X11; Linux x86_64)")
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
        read_session(data, "shokuin-forum.jp")

    assert refused.value.code == "INVALID_PARAMS"
