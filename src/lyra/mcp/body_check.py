"""Answers requests over HTTP that are no message of the protocol in plain words, before the transport reads them."""

import asyncio
from collections import deque

import mcp_types as types
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyCheck:
    """Passes a request on whose body is a message; of one larger than `max_bytes` the transport says what is wrong.

    A client that goes before its body has come has asked nothing.
    """

    def __init__(self, app: ASGIApp, path: str, max_bytes: int) -> None:
        self._app = app
        self._path = path
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_message(scope):
            await self._app(scope, receive, send)
            return
        parts: deque[Message] = deque()
        body, has_more = bytearray(), True
        while has_more and len(body) <= self._max_bytes:
            parts.append(part := await receive())
            if part["type"] == "http.disconnect":  # the transport would log a traceback
                return
            body += part.get("body", b"")
            has_more = part.get("more_body", False)
        is_whole = len(body) <= self._max_bytes
        refusal = await asyncio.to_thread(_refusal, bytes(body)) if is_whole else None

        async def replay() -> Message:
            return parts.popleft() if parts else await receive()

        await (refusal or self._app)(scope, replay, send)

    def _is_message(self, scope: Scope) -> bool:
        if scope["type"] != "http" or (scope["method"], scope["path"]) != ("POST", self._path):
            return False
        headers = Headers(scope=scope)
        length = headers.get("content-length", "0")
        is_small = length.isdecimal() and int(length) <= self._max_bytes
        media_types = headers.get("content-type", "").partition(";")[0].lower().split(",")  # as the transport does
        return is_small and "application/json" in (one.strip() for one in media_types)


def _refusal(body: bytes) -> Response | None:
    """The protocol's error for a body that is no message, or None."""
    try:
        message = from_json(body)
    except ValueError:
        return _answer(None, types.PARSE_ERROR, "The body is not JSON that can be read; send one message, in UTF-8.")
    try:
        types.jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        asked = message.get("id") if isinstance(message, dict) else None
        request_id = asked if isinstance(asked, int | str) and not isinstance(asked, bool) else None
        return _answer(request_id, types.INVALID_REQUEST, "The message is not JSON-RPC 2.0 as MCP uses it.")
    return None


def _answer(request_id: int | str | None, code: int, message: str) -> Response:
    return JSONResponse({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}, 400)
