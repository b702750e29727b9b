"""Who may call the HTTP server, and how often: every request has a token, before anything else is looked at."""

import hmac

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.loopback import PERSON_KEY
from lyra.model.person import OWNER, Person
from lyra.request_limits import BARRED_S, RequestLimits
from lyra.research.people import People, token_hash

# Asked by what watches over the server, which has no token; they say nothing but yes or no.
OPEN_PATHS = frozenset({"/healthz", "/readyz"})


class PersonGuard:
    """Passes a request on with the person whose token it has; answers all others itself.

    A session belongs to whoever began it.
    """

    def __init__(self, app: ASGIApp, people: People, owner_token: str, limits: RequestLimits) -> None:
        self._app = app
        self._people = people
        self._owner_token = owner_token.encode()
        self._limits = limits
        self._known: set[str] = set()  # hashes of tokens that were valid: their owners are never taken for strangers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        found = await self._person(scope)
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        scope[PERSON_KEY] = found
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=found.id or found.name, scopes=[]))
        await self._app(scope, receive, send)

    async def _person(self, scope: Scope) -> Person | Response:
        """Whose token the request has, or the refusal."""
        token = _bearer(scope)
        address = str((scope.get("client") or ("unknown",))[0])
        digest = token_hash(token.decode("latin-1"))
        if self._limits.is_barred(address) and digest not in self._known:
            return _refused(429, "Too many requests without a valid token.", "Wait a minute.", int(BARRED_S))
        person = await self._whose(token)
        if person is None:
            self._known.discard(digest)
            self._limits.count_refusal(address)
            return _refused(401, "The token is missing or wrong.", "Send the header Authorization: Bearer TOKEN.")
        self._known.add(digest)
        wait_s = self._limits.wait_s(person.id)
        if wait_s:
            return _refused(429, "Too many requests at once.", "Ask more slowly.", max(1, round(wait_s)))
        return person

    async def _whose(self, token: bytes) -> Person | None:
        if hmac.compare_digest(token, self._owner_token):
            return OWNER
        return await self._people.with_token(token.decode("latin-1"))


def _bearer(scope: Scope) -> bytes:
    scheme, _, given = dict(scope["headers"]).get(b"authorization", b"").partition(b" ")
    return given.strip() if scheme.lower() == b"bearer" else b""


def _refused(status: int, error: str, remedy: str, retry_after_s: int | None = None) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    if retry_after_s is not None:
        headers["Retry-After"] = str(retry_after_s)
    return JSONResponse({"error": error, "remedy": remedy}, status_code=status, headers=headers)
