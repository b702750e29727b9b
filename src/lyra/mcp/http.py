"""The MCP server over streamable HTTP, for clients on this machine or, with TLS, for a team: each with a token."""

import contextlib
import functools
import os
import secrets
import tempfile
from pathlib import Path

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from lyra.app import Lyra
from lyra.errors import LyraError, StorageError
from lyra.loopback import HOST, NAMES, PERSON_KEY
from lyra.mcp.body_check import BodyCheck
from lyra.mcp.frames import MAX_FRAME_BYTES
from lyra.mcp.guard import OPEN_PATHS, PersonGuard
from lyra.mcp.server import build
from lyra.model.person import Person
from lyra.observe.metrics import model_figures, prometheus
from lyra.request_limits import RequestLimits

PATH = "/mcp"
METRICS_PATH = "/metrics"
PATHS = (PATH, METRICS_PATH, *OPEN_PATHS)
_TOKEN_CHARS = 43


def application(
    lyra: Lyra, token: str, limits: RequestLimits, *, is_public: bool = False, address: str = HOST
) -> ASGIApp:
    """The MCP server with health and metrics over an open Lyra; `token` is the owner's, `address` where it listens.

    On loopback foreign Host and Origin are refused: a page in the user's browser could otherwise reach it by a name of
    its own. A public server has TLS, which no other name passes, and nothing but the token counts.
    """
    names = dict.fromkeys((*NAMES, address))
    known = TransportSecuritySettings(
        enable_dns_rebinding_protection=not is_public,
        allowed_hosts=[f"{name}:*" for name in names],
        allowed_origins=[f"http://{name}:*" for name in names],
    )
    app = build(lyra).streamable_http_app(
        streamable_http_path=PATH, host=HOST, max_request_body_size=MAX_FRAME_BYTES, transport_security=known
    )
    metrics = functools.partial(_metrics, lyra, TransportSecurityMiddleware(known))
    app.add_route(METRICS_PATH, metrics, methods=["GET"])
    app.add_route("/healthz", _healthz, methods=["GET"])
    app.add_route("/readyz", functools.partial(_readyz, lyra), methods=["GET"])
    return PersonGuard(BodyCheck(app, PATH, MAX_FRAME_BYTES), lyra.people, token, limits)


async def _metrics(lyra: Lyra, known: TransportSecurityMiddleware, request: Request) -> Response:
    """The figures of `lyra metrics` for a Prometheus with an admin's token; foreign Host and Origin are refused too."""
    person: Person = request.scope[PERSON_KEY]
    if not person.sees_everything:
        return PlainTextResponse("Only an admin may read the metrics.", 403)
    refused = await known.validate_request(request)
    if refused:
        return refused
    text = prometheus(await lyra.meter.read()) + lyra.calls.prometheus() + model_figures(lyra.process_state())
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


async def _healthz(_: Request) -> Response:
    """That the process answers."""
    return PlainTextResponse("ok\n")


async def _readyz(lyra: Lyra, _: Request) -> Response:
    """That calls can be answered: the database can be read, and no model has failed."""
    try:
        await lyra.db.read(lambda connection: connection.execute("select 1 from meta limit 1").get)
    except LyraError as exc:
        return PlainTextResponse(f"not ready: {exc.code}\n", 503)
    troubles = lyra.process_state().troubles
    return PlainTextResponse("degraded: models\n" if troubles else "ok\n")


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
