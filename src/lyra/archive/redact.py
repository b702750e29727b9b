"""Keeps secrets out of the archive: keys, cookies and addresses of the user, by name and by value. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit, urlunsplit

from lyra.model.archive import Exchange

REDACTED = "redacted"
_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token", "from"}
)
_SECRET_PARAMETERS = frozenset(
    {"api_key", "apikey", "api-key", "key", "token", "access_token", "auth", "password", "secret", "mailto", "email"}
)
# Shorter values would also strike innocent text.
_SHORTEST_SECRET = 8


def redacted(exchange: Exchange, secrets: Sequence[str]) -> Exchange:
    """The exchange without secrets: named headers and parameters emptied, known values replaced everywhere."""
    known = _known(secrets)
    return replace(
        exchange,
        url=_clean(redacted_url(exchange.url), known),
        request_headers=_headers(exchange.request_headers, known),
        request_body=_clean_bytes(exchange.request_body, known),
        headers=_headers(exchange.headers, known),
        body=_clean_bytes(exchange.body, known),
    )


def redacted_text(text: str, secrets: Sequence[str]) -> str:
    """The text without known values."""
    return _clean(text, _known(secrets))


def redacted_bytes(data: bytes, secrets: Sequence[str]) -> bytes:
    """The bytes without known values."""
    return _clean_bytes(data, _known(secrets))


def _known(secrets: Sequence[str]) -> tuple[str, ...]:
    return tuple(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)


def redacted_url(url: str) -> str:
    """The address with the values of secret parameters replaced; the rest stays byte for byte."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("?")[0]
    if not parts.query:
        return url
    pairs = (pair.partition("=") for pair in parts.query.split("&"))
    kept = [f"{n}={REDACTED}" if v and n.lower() in _SECRET_PARAMETERS else f"{n}{eq}{v}" for n, eq, v in pairs]
    return urlunsplit(parts._replace(query="&".join(kept)))


def _headers(headers: tuple[tuple[str, str], ...], known: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _header_value(name.lower(), value, known)) for name, value in headers)


def _header_value(name: str, value: str, known: Sequence[str]) -> str:
    if name in _SECRET_HEADERS:
        return REDACTED
    shown = redacted_url(value) if name in ("referer", "location", "content-location") else value
    return _clean(shown, known)


def _clean(text: str, known: Sequence[str]) -> str:
    for secret in known:
        text = text.replace(secret, REDACTED)
    return text


def _clean_bytes(data: bytes, known: Sequence[str]) -> bytes:
    for secret in known:
        data = data.replace(secret.encode(), REDACTED.encode())
    return data
