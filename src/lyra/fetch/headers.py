"""Consistent request headers: where the visit comes from, what is already known, what is wanted."""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from lyra import __version__
from lyra.fetch.addresses import wire_form
from lyra.model.page import FetchLane, FetchRequest
from lyra.urls import origin_of, registrable_domain

# What belongs to the first origin only and must not follow a redirect elsewhere.
_BOUND_TO_ORIGIN = frozenset({"authorization", "cookie", "x-api-key", "proxy-authorization"})
_BOUND_TO_BODY = frozenset({"content-type", "content-length", "content-encoding"})


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """One request as it is to be sent; `as_browser` adds the headers of the impersonated browser."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None = None
    as_browser: bool = True


def first_request(request: FetchRequest) -> OutgoingRequest:
    """The first hop of a fetch."""
    headers = dict(request.headers)
    _put_validators(headers, request)
    came_from = wire_form(request.referer) if request.referer else None
    if request.lane is FetchLane.API:
        _put_default(headers, "User-Agent", f"lyra-mcp/{__version__}")
        _put_default(headers, "Accept", "application/json")
    else:
        referer = shown_referer(came_from, request.url)
        if referer is not None:
            headers["Referer"] = referer
        headers["Sec-Fetch-Site"] = fetch_site(came_from, request.url)
    if request.body is not None:
        _put_default(headers, "Content-Type", "application/x-www-form-urlencoded")
    return OutgoingRequest(
        request.method.upper(), request.url, tuple(headers.items()), request.body, request.lane is not FetchLane.API
    )


def redirected_request(hop: OutgoingRequest, url: str, status_code: int) -> OutgoingRequest:
    """The next hop: method as a browser chooses it, no secrets to another origin, dates only for their own address."""
    method, body = hop.method, hop.body
    if status_code == 303 or (status_code in (301, 302) and method == "POST"):
        method, body = ("HEAD" if method == "HEAD" else "GET"), None
    dropped = {"if-modified-since"}
    if body is None:
        dropped |= _BOUND_TO_BODY
    if origin_of(url) != origin_of(hop.url):
        dropped |= _BOUND_TO_ORIGIN
    headers = {name: value for name, value in hop.headers if name.lower() not in dropped}
    referer = headers.pop("Referer", None)
    shown = shown_referer(referer, url)
    if shown is not None:
        headers["Referer"] = shown
    if "Sec-Fetch-Site" in headers:
        headers["Sec-Fetch-Site"] = _widest(
            headers["Sec-Fetch-Site"], fetch_site(referer, url), fetch_site(hop.url, url)
        )
    return OutgoingRequest(method, url, tuple(headers.items()), body, hop.as_browser)


def with_cookies(hop: OutgoingRequest, cookies: tuple[tuple[str, str], ...]) -> OutgoingRequest:
    """The hop with a session's cookies; those it names itself stay."""
    own = [(name, value) for name, value in hop.headers if name.lower() == "cookie"]
    line = "; ".join([*(value for _, value in own), *(f"{name}={value}" for name, value in cookies)])
    others = tuple(pair for pair in hop.headers if pair[0].lower() != "cookie")
    return replace(hop, headers=(*others, ("Cookie", line)))


def shown_referer(referer: str | None, url: str) -> str | None:
    """`strict-origin-when-cross-origin`: whole within an origin, the origin across, nothing from https to http."""
    if not referer:
        return None
    if urlsplit(referer).scheme == "https" and urlsplit(url).scheme == "http":
        return None
    if origin_of(referer) == origin_of(url):
        return referer
    return origin_of(referer) + "/"


def fetch_site(referer: str | None, url: str) -> str:
    """`Sec-Fetch-Site` of a navigation from one address to another."""
    if not referer:
        return "none"
    if origin_of(referer) == origin_of(url):
        return "same-origin"
    is_same_scheme = urlsplit(referer).scheme == urlsplit(url).scheme
    return "same-site" if is_same_scheme and registrable_domain(referer) == registrable_domain(url) else "cross-site"


_WIDTH = ("none", "same-origin", "same-site", "cross-site")


def _widest(before: str, *steps: str) -> str:
    """A redirect can only widen the distance from the page the visit came from; a typed address stays `none`."""
    return before if before == "none" else max((before, *steps), key=_WIDTH.index)


def _put_default(headers: dict[str, str], name: str, value: str) -> None:
    if name.lower() not in {key.lower() for key in headers}:
        headers[name] = value


def _put_validators(headers: dict[str, str], request: FetchRequest) -> None:
    if request.etag:
        headers["If-None-Match"] = request.etag
    if request.last_modified:
        headers["If-Modified-Since"] = request.last_modified
