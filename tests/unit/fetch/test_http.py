"""How the client reaches its proxy."""

import pytest

from lyra.fetch.http import proxy_for_curl


@pytest.mark.parametrize(
    ("proxy", "expected"),
    [
        ("", ""),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("socks5://127.0.0.1:9050", "socks5h://127.0.0.1:9050"),
        ("SOCKS4://127.0.0.1:9050", "socks4a://127.0.0.1:9050"),
        ("socks5h://127.0.0.1:9050", "socks5h://127.0.0.1:9050"),
    ],
)
def test_names_are_resolved_by_the_proxy(proxy: str, expected: str) -> None:
    """A SOCKS proxy must get names, not addresses: otherwise every visit shows in the local DNS."""
    assert proxy_for_curl(proxy) == expected
