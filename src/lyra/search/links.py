"""Where a link on a result page really leads: redirects undone, the engine's own pages recognised."""

import base64
from collections.abc import Iterable
from fnmatch import fnmatchcase
from urllib.parse import parse_qs, urlsplit

from lyra.search.selectors import Redirect
from lyra.urls import host_of, is_web_url, joined

_MAX_HOPS = 3


def is_on(host: str, patterns: Iterable[str]) -> bool:
    """Whether a host matches one of these patterns, such as `*.example.org`."""
    return any(fnmatchcase(host, pattern) for pattern in patterns)


def resolve(href: str, page_url: str, redirects: Iterable[Redirect]) -> str | None:
    """The web address behind a link, or none where it leads to no page (a script, an anchor, a broken redirect)."""
    rules = tuple(redirects)
    url = joined(page_url, href)
    for _ in range(_MAX_HOPS):
        if url is None or not is_web_url(url):
            return None
        rule = next((rule for rule in rules if _applies(rule, url)), None)
        if rule is None:
            return url
        target = _target(rule, url)
        url = joined(page_url, target) if target is not None else None
    return url if url is not None and is_web_url(url) else None


def _applies(rule: Redirect, url: str) -> bool:
    return is_on(host_of(url), (rule.host, f"*.{rule.host}")) and urlsplit(url).path.startswith(rule.path)


def _target(rule: Redirect, url: str) -> str | None:
    values = parse_qs(urlsplit(url).query).get(rule.parameter)
    if not values:
        return None
    return _from_base64(values[0]) if rule.encoding == "a1base64" else values[0]


def _from_base64(value: str) -> str | None:
    """Bing writes `a1` and then the address in URL-safe base64 without padding."""
    encoded = value.removeprefix("a1")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8") or None
    except ValueError:  # no base64, or no UTF-8
        return None
