"""Secrets stay out of the archive."""

from datetime import UTC, datetime

import pytest

from lyra.archive.redact import redacted, redacted_text, redacted_url
from lyra.model.archive import Exchange

KEY = "s2-4f1d2c3b5a69"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://api.openalex.org/works?search=a&api_key=abc", "https://api.openalex.org/works?search=a&api_key=redacted"),
        ("https://api.openalex.org/works?mailto=a%40b.org&x=1", "https://api.openalex.org/works?mailto=redacted&x=1"),
        ("https://a.example/?API_KEY=x", "https://a.example/?API_KEY=redacted"),
        ("https://a.example/?q=%E8%A1%80&monkey=1", "https://a.example/?q=%E8%A1%80&monkey=1"),
        ("https://a.example/?key", "https://a.example/?key"),
        ("https://a.example/path", "https://a.example/path"),
    ],
    ids=["api-key", "e-mail", "case", "innocent", "no-value", "no-query"],
)  # fmt: skip
def test_secret_parameters_lose_their_values(url: str, shown: str) -> None:
    """Only the values of secret parameters change; the rest stays byte for byte, so the address stays citable."""
    assert redacted_url(url) == shown


def test_secret_headers_and_known_values_vanish_everywhere() -> None:
    """A key may come back in a redirect or an error message: it is removed by value too."""
    exchange = Exchange(
        f"https://api.example/{KEY}/papers",
        "POST",
        datetime(2026, 1, 31, tzinfo=UTC),
        request_headers=(
            ("x-api-key", KEY),
            ("Cookie", "sid=1"),
            ("Referer", "https://a.example/?token=t"),
            ("A", "b"),
        ),
        request_body=f"key={KEY}".encode(),
        status_code=403,
        headers=(("Set-Cookie", "sid=2"), ("Location", "/login?access_token=zz"), ("X-Echo", f"bad {KEY}")),
        body=f'{{"error": "invalid key {KEY}"}}'.encode(),
    )

    clean = redacted(exchange, [KEY, "abc"])

    assert clean.url == "https://api.example/redacted/papers"
    assert clean.request_headers == (
        ("x-api-key", "redacted"),
        ("Cookie", "redacted"),
        ("Referer", "https://a.example/?token=redacted"),
        ("A", "b"),
    )
    assert clean.request_body == b"key=redacted"
    assert clean.headers == (
        ("Set-Cookie", "redacted"),
        ("Location", "/login?access_token=redacted"),
        ("X-Echo", "bad redacted"),
    )
    assert clean.body == b'{"error": "invalid key redacted"}'


@pytest.mark.parametrize(("secret", "shown"), [("12345678", "key redacted"), ("1234567", "key 1234567")])
def test_short_values_are_no_secrets(secret: str, shown: str) -> None:
    """Eight characters are struck out wherever they stand; fewer would strike innocent text."""
    assert redacted_text(f"key {secret}", [secret]) == shown
