"""CDXJ: the key by which web archives sort addresses."""

from datetime import UTC, datetime

import pytest

from lyra.archive.cdxj import cdxj_line, url_key


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.iyaku-anzen.go.jp/Safety?id=7", "jp,go,iyaku-anzen)/safety?id=7"),
        ("http://iyaku-anzen.go.jp:80/safety?id=7", "jp,go,iyaku-anzen)/safety?id=7"),
        ("https://a.example:8443", "example,a:8443)/"),
        ("https://a.example/?b=2&a=1", "example,a)/?a=1&b=2"),
        ("https://a.example/a b", "example,a)/a%20b"),
        ("http://[::1", "http://[::1"),
        ("urn:isbn:1", "urn:isbn:1"),
    ],
    ids=["www and case", "scheme and port", "other port", "query order", "space", "broken", "no host"],
)
def test_one_address_in_several_spellings_has_one_key(url: str, key: str) -> None:
    """Scheme, `www.`, case and the order of parameters do not part what is the same page."""
    assert url_key(url) == key


def test_a_line_is_key_moment_and_what_is_known() -> None:
    """Fields without a value are left out; a page has one key, its address escaped or in its own script."""
    moment = datetime(2026, 1, 31, 9, 30, 0, 123_000, tzinfo=UTC)

    written = cdxj_line("https://a.example/子育て", moment, {"mime": "text/html", "digest": None})

    key = "example,a)/%e5%ad%90%e8%82%b2%e3%81%a6"
    assert written == f'{key} 20260131093000 {{"url": "https://a.example/子育て", "mime": "text/html"}}'
    assert url_key("https://A.example/%E5%AD%90%E8%82%B2%E3%81%A6") == key
