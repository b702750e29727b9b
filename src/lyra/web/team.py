"""The dashboard of a shared server: people sign in with their tokens, and each sees what their role allows.

A token is exchanged for a random cookie that scripts cannot read and other sites cannot send. Sessions are kept in
memory alone: they end with the server, after a day, and as soon as the token is revoked.
"""

import hmac
import secrets
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.clock import Clock
from lyra.errors import LyraError
from lyra.loopback import PERSON_KEY
from lyra.model.person import OWNER, Person
from lyra.request_limits import RequestLimits
from lyra.research.people import People, token_hash
from lyra.web.guard import OPEN_PATH, STATIC_PATH, is_own_origin, read_form, with_headers
from lyra.web.render import FORM_SECRET_KEY, render

COOKIE = "__Host-lyra"
SIGN_OUT_PATH = "/sign-out"
_READING = frozenset({"GET", "HEAD"})
_SESSION_S = 86_400.0
_MAX_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class _Session:
    token_hash: str | None  # None: the owner's own token
    form_secret: str
    ends_at: float


class TeamGuard:
    """Passes on what comes from somebody who has signed in; answers everything else itself."""

    def __init__(self, app: ASGIApp, people: People, owner_token: str, limits: RequestLimits, clock: Clock) -> None:
        self._app = app
        self._people = people
        self._owner_token = owner_token
        self._limits = limits
        self._clock = clock
        self._sessions: dict[str, _Session] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope, receive)
        await (answer or self._app)(scope, receive, with_headers(send))

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        """What the guard answers itself; None where the request may pass, with who asks in its scope."""
        headers = Headers(scope=scope)
        own = f"https://{headers.get('host', '')}"
        if not is_own_origin(headers, own, is_reading=scope["method"] in _READING):
            return PlainTextResponse("Requests from other sites are refused.", 403)
        if scope["path"].startswith(STATIC_PATH) or scope["path"] == "/figures.css":
            return None
        if scope["path"] == OPEN_PATH:
            return await self._sign_in(Request(scope, receive))
        name = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        session = self._sessions.get(name)
        person = await self._person(session) if session else None
        if session is None or person is None:
            self._sessions.pop(name, None)
            return RedirectResponse(OPEN_PATH, 303)
        if scope["path"] == SIGN_OUT_PATH and scope["method"] == "POST":
            del self._sessions[name]
            return RedirectResponse(OPEN_PATH, 303)
        if self._limits.wait_s(person.id):
            return PlainTextResponse("Too many requests at once.", 429)
        scope[PERSON_KEY], scope[FORM_SECRET_KEY] = person, session.form_secret
        return None

    async def _sign_in(self, request: Request) -> Response:
        if request.method != "POST":
            return HTMLResponse(render("sign_in.html", is_wrong=False))
        address = request.client.host if request.client else "unknown"
        if self._limits.is_barred(address):
            return HTMLResponse(render("sign_in.html", is_wrong=True), 429)
        try:
            token = (await read_form(request)).get("token", "").strip()
        except LyraError:
            token = ""
        session = await self._session_for(token)
        if session is None:
            self._limits.count_refusal(address)
            return HTMLResponse(render("sign_in.html", is_wrong=True), 401)
        name = secrets.token_urlsafe(32)
        self._keep(name, session)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(COOKIE, name, httponly=True, secure=True, samesite="strict", path="/")
        return answer

    async def _session_for(self, token: str) -> _Session | None:
        ends_at = self._clock.monotonic() + _SESSION_S
        if hmac.compare_digest(token.encode(), self._owner_token.encode()):
            return _Session(None, secrets.token_urlsafe(32), ends_at)
        if await self._people.with_token(token) is None:
            return None
        return _Session(token_hash(token), secrets.token_urlsafe(32), ends_at)

    def _keep(self, name: str, session: _Session) -> None:
        now = self._clock.monotonic()
        self._sessions = {key: one for key, one in self._sessions.items() if one.ends_at > now}
        while len(self._sessions) >= _MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[name] = session

    async def _person(self, session: _Session) -> Person | None:
        """Who signed in, while the session lasts and the token is not revoked."""
        if session.ends_at <= self._clock.monotonic():
            return None
        return OWNER if session.token_hash is None else await self._people.with_hash(session.token_hash)
