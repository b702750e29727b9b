"""The MCP server over streamable HTTP: loopback only, every request with the token, foreign Host and Origin refused."""

import asyncio
import contextlib
import functools
import hmac
import os
import secrets
import socket
import tempfile
from pathlib import Path

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.app import Lyra
from lyra.errors import StorageError
from lyra.loopback import HOST, NAMES, serve_until
from lyra.mcp.frames import MAX_FRAME_BYTES
from lyra.mcp.server import build
from lyra.observe.metrics import prometheus

PATH = "/mcp"
METRICS_PATH = "/metrics"
_TOKEN_CHARS = 43


class TokenGuard:
    """Passes requests that have the token on; answers all others with 401."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._is_known(scope):
            refused = JSONResponse(
                {"error": "The token is missing or wrong.", "remedy": "Send the header Authorization: Bearer TOKEN."},
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_known(self, scope: Scope) -> bool:
        scheme, _, given = dict(scope["headers"]).get(b"authorization", b"").partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


def application(lyra: Lyra, token: str) -> ASGIApp:
    """The whole HTTP application over an open Lyra."""
    known = TransportSecuritySettings(
        allowed_hosts=[f"{name}:*" for name in NAMES], allowed_origins=[f"http://{name}:*" for name in NAMES]
    )
    app = build(lyra).streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=MAX_FRAME_BYTES, transport_security=known
    )
    metrics = functools.partial(_metrics, lyra, TransportSecurityMiddleware(known))
    app.add_route(METRICS_PATH, metrics, methods=["GET"])
    return TokenGuard(app, token)


async def _metrics(lyra: Lyra, known: TransportSecurityMiddleware, request: Request) -> Response:
    """The figures of `lyra metrics` for a Prometheus that has the token; foreign Host and Origin are refused too."""
    refused = await known.validate_request(request)
    return refused or PlainTextResponse(prometheus(await lyra.meter.read()), media_type="text/plain; version=0.0.4")


def token_at(path: Path) -> str:
    """The token kept at `path`, made on first use; readable by the user alone, and written in one step."""
    try:
        if not path.exists():
            _put_token(path)
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise StorageError(
            f"The token file {path.name} cannot be read or written.",
            remedy="Make it usable for this user, or choose another data directory.",
        ) from exc
    if len(token) < _TOKEN_CHARS:
        raise StorageError(
            f"The token file {path.name} holds no token.", remedy="Delete it; a new one is made at the next start."
        )
    return token


def _put_token(path: Path) -> None:
    """Where two servers start at once, the first token stays."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)


async def serve_http(lyra: Lyra, listening: socket.socket, token: str, stopping: asyncio.Event) -> None:
    """Serve any number of clients until `stopping` is set; calls under way get a few seconds to end."""
    await serve_until(stopping, application(lyra, token), listening)
