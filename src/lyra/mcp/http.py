"""The MCP server over streamable HTTP: loopback only, every request with the token, foreign Host and Origin refused."""

import hmac
import os
import secrets
from pathlib import Path

import uvicorn
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from lyra.app import Lyra
from lyra.errors import StorageError
from lyra.mcp.server import build

HOST = "127.0.0.1"
PATH = "/mcp"
_MAX_BODY_BYTES = 4 * 1024 * 1024


class TokenGuard:
    """Lets a request through that bears the token; everything else is told what is missing."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

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
        given = dict(scope["headers"]).get(b"authorization", b"")
        return hmac.compare_digest(given, self._expected)


def application(lyra: Lyra, token: str) -> ASGIApp:
    """The whole HTTP application over an open Lyra."""
    app = build(lyra).streamable_http_app(streamable_http_path=PATH, host=HOST, max_request_body_size=_MAX_BODY_BYTES)
    return TokenGuard(app, token)


def token_at(path: Path) -> str:
    """The token kept at `path`, made on first use; readable by the user alone."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text("utf-8").strip()
    except OSError as exc:
        raise StorageError(f"The token file {path} cannot be written.", remedy="Choose another data directory.") from exc
    token = secrets.token_urlsafe(32)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(token + "\n")
    return token


async def serve_http(lyra: Lyra, port: int, token: str) -> None:
    """Serve any number of clients on loopback until interrupted."""
    config = uvicorn.Config(application(lyra, token), host=HOST, port=port, log_level="warning", access_log=False)
    await uvicorn.Server(config).serve()
