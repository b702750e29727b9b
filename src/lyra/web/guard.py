"""Who may use the dashboard: only a browser that came by the printed link, on this machine, from its own pages.

The link carries a random token. It is exchanged for a cookie that scripts cannot read and other sites cannot send; the
page then moves on, so that the token leaves the address bar. A request for another host name (DNS rebinding) or from
another origin is refused before anything else, and a form without its secret changes nothing.
"""

import hmac
import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lyra.errors import InvalidParams
from lyra.loopback import HOST, NAMES, PERSON_KEY
from lyra.model.person import OWNER
from lyra.translate import say
from lyra.web.render import FORM_SECRET_KEY, render

OPEN_PATH = "/open"
STATIC_PATH = "/static/"
_READING = frozenset({"GET", "HEAD"})
_MAX_FORM_BYTES = 65_536
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-dns-prefetch-control": "off",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Access:
    """The secrets of one running dashboard: that of the link, that of the cookie, and that of its forms."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    form_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def link(self) -> str:
        """What is printed for the user to open."""
        return f"http://{HOST}:{self.port}{OPEN_PATH}?token={self.token}"

    @property
    def cookie(self) -> str:
        """A name for each port: cookies are shared by all ports of a host."""
        return f"lyra_ui_{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        return frozenset(f"{name}:{self.port}" for name in NAMES)


class Guard:
    """Passes on what comes from a browser with the cookie; answers everything else itself."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope[PERSON_KEY] = OWNER
        scope[FORM_SECRET_KEY] = self._access.form_secret
        refused = self._refusal(scope)
        await (refused or self._app)(scope, receive, with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if host not in self._access.hosts:
            return PlainTextResponse("This server answers only under its own address.", 421)
        if not is_own_origin(headers, f"http://{host}", is_reading=scope["method"] in _READING):
            return PlainTextResponse("Requests from other sites are refused.", 403)
        path = scope["path"]
        if path == OPEN_PATH and scope["method"] == "GET":
            return self._opened(scope)
        if path.startswith(STATIC_PATH) or self._has_cookie(headers):
            return None
        return HTMLResponse(render("locked.html", is_wrong=False), 401)

    def _opened(self, scope: Scope) -> Response:
        """The token for the cookie. A page that moves on by itself, and not a redirect: where the link was followed
        from another site, the browser would not send the cookie along a redirect."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not _equal(given, self._access.token):
            return HTMLResponse(render("locked.html", is_wrong=True), 401)
        answer = HTMLResponse(render("opened.html"))
        answer.set_cookie(self._access.cookie, self._access.session, httponly=True, samesite="strict", path="/")
        return answer

    def _has_cookie(self, headers: Headers) -> bool:
        given = cookie_parser(headers.get("cookie", "")).get(self._access.cookie, "")
        return _equal(given, self._access.session)


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form, whoever sent it."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MAX_FORM_BYTES:
            raise InvalidParams(say("The form is too large."))
    try:
        return {name: found[-1] for name, found in parse_qs(body.decode(), keep_blank_values=True).items()}
    except (UnicodeDecodeError, ValueError) as exc:
        raise InvalidParams(say("The form cannot be read.")) from exc


async def form_fields(request: Request) -> dict[str, str]:
    """The fields of a form that one of our own pages sent. Raises InvalidParams where its secret is missing."""
    fields = await read_form(request)
    if not _equal(fields.pop("form_secret", ""), request.scope[FORM_SECRET_KEY]):
        raise InvalidParams(
            say("This page is from an earlier start of the dashboard."), remedy=say("Load the page again.")
        )
    return fields


def is_own_origin(headers: Headers, own: str, *, is_reading: bool) -> bool:
    """Whether the browser says that one of our pages asks, or (of a request that changes nothing) says nothing."""
    origin = headers.get("origin")
    if origin is not None:
        return origin == own
    return is_reading


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())


def with_headers(send: Send) -> Send:
    """Sends the headers that every answer of the dashboard has."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
