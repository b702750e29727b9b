"""Secrets stay out of the archive, and answers stay as they came."""

from datetime import UTC, datetime

from lyra.archive.warc import redacted
from lyra.model.archive import Exchange
from lyra.redact.redactor import PLAIN

KEY = "s2-4f1d2c3b5a69"


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
        request_body=f"q=insulin&key={KEY}&password=natsu".encode(),
        status_code=403,
        headers=(("Set-Cookie", "sid=2"), ("Location", "/login?access_token=zz"), ("X-Echo", f"bad {KEY}")),
        body=f'{{"error": "invalid key {KEY}"}}'.encode(),
    )

    clean = redacted(exchange, PLAIN.with_known_secrets([KEY, "abc"]))

    assert clean.url == "https://api.example/redacted/papers"
    assert clean.request_headers == (
        ("x-api-key", "redacted"),
        ("Cookie", "redacted"),
        ("Referer", "https://a.example/?token=redacted"),
        ("A", "b"),
    )
    assert clean.request_body == b"q=insulin&key=redacted&password=redacted"
    assert clean.headers == (
        ("Set-Cookie", "redacted"),
        ("Location", "/login?access_token=redacted"),
        ("X-Echo", "bad redacted"),
    )
    assert clean.body == b'{"error": "invalid key redacted"}'


def test_an_answer_stays_as_it_came() -> None:
    """Its body is evidence: whatever looks like a secret in it is what the page says."""
    body = b'<a href="/cb?code=SplxlOBeZQQYbYS6WxSbIA&access_token=zz">ghp_16C7e42F292c6912E7710c838347Ae178B4a</a>'
    exchange = Exchange("https://a.example/", "GET", datetime(2026, 1, 31, tzinfo=UTC), status_code=200, body=body)

    clean = redacted(exchange, PLAIN)

    assert clean == exchange
