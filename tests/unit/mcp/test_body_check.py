"""A body is passed on whole, or not at all."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from lyra.mcp.body_check import BodyCheck

SCOPE: Scope = {"type": "http", "method": "POST", "path": "/mcp"}
GONE: Message = {"type": "http.disconnect"}


@pytest.mark.parametrize("media_type", [b"application/json", b"text/plain, application/json; charset=utf-8"])
@pytest.mark.parametrize(
    "messages",
    [[GONE], [{"type": "http.request", "body": b'{"jsonrpc', "more_body": True}, GONE]],
    ids=["before the body", "within the body"],
)
async def test_client_that_goes_before_its_body_is_whole_is_left(messages: list[Message], media_type: bytes) -> None:
    """The transport would log a traceback for it; nothing is asked, so nobody is called and nothing answered."""
    scope = {**SCOPE, "headers": [(b"content-type", media_type), (b"content-length", b"1000")]}
    arriving = list(messages)
    called: list[str] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        called.append(scope["path"])
        await receive()

    async def receive() -> Message:
        return arriving.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    await BodyCheck(app, "/mcp", 4_000)(scope, receive, send)

    assert (called, sent) == ([], [])
