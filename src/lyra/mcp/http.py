"""The MCP server over streamable HTTP: loopback only, every request with the token, foreign Host and Origin refused."""

import asyncio
import contextlib
import errno
import functools
import hmac
import os
import secrets
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.app import Lyra
from lyra.errors import InvalidParams, StorageError
from lyra.mcp.frames import MAX_FRAME_BYTES
from lyra.mcp.server import build
from lyra.observe.metrics import prometheus

HOST = "127.0.0.1"
PATH = "/mcp"
METRICS_PATH = "/metrics"
_NAMES = (HOST, "localhost", "[::1]")  # names by which clients on this machine may call it
_GRACE_S = 3
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
        allowed_hosts=[f"{name}:*" for name in _NAMES], allowed_origins=[f"http://{name}:*" for name in _NAMES]
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


def listen(port: int) -> socket.socket:
    """The loopback port to serve on, any free one for 0. Raises InvalidParams where it is not available."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as exc:
        listening.close()
        why = "is taken by another program" if exc.errno == errno.EADDRINUSE else f"cannot be used: {exc.strerror}"
        raise InvalidParams(f"Port {port} {why}.", remedy="Choose another with --port, or 0 for any free one.") from exc
    return listening


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


class _Server(uvicorn.Server):
    """A server that leaves the signals to the command that runs it: there is more to close than sockets."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_http(lyra: Lyra, listening: socket.socket, token: str, stopping: asyncio.Event) -> None:
    """Serve any number of clients until `stopping` is set; calls under way get a few seconds to end."""
    config = uvicorn.Config(
        application(lyra, token),
        log_config=None,
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = _Server(config)

    async def stop() -> None:
        await stopping.wait()
        server.handle_exit(signal.SIGTERM, None)  # also ends open event streams

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(stop())
        await server.serve(sockets=[listening])
        watching.cancel()
