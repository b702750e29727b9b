"""How responses are written."""

import asyncio
from typing import cast

import pytest

from simweb.messages import Response
from simweb.wire import head_bytes, write_response


class Written:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.bytes = b""

    def write(self, data: bytes) -> None:
        self.bytes += data

    async def drain(self) -> None:
        return


@pytest.mark.parametrize(
    ("response", "body", "length", "stays_open"),
    [
        pytest.param(Response(body=b"0123456789"), b"0123456789", b"10", True, id="whole"),
        pytest.param(Response(body=b"0123456789", cut_after_bytes=4), b"0123", b"10", False, id="cut short"),
        pytest.param(Response(body=b"0123456789", announced_bytes=4), b"0123456789", b"4", False, id="lying length"),
    ],
)
async def test_only_a_whole_response_keeps_the_connection(
    response: Response, body: bytes, length: bytes, stays_open: bool
) -> None:
    """After a response that is not what its length says, the next one could not be found."""
    written = Written()
    writer = cast(asyncio.StreamWriter, written)

    is_open = await write_response(writer, response, is_head=False, before_last=lambda: None)

    assert is_open is stays_open
    assert written.bytes.endswith(b"content-length: " + length + b"\r\n\r\n" + body)


def test_an_endless_response_announces_no_length() -> None:
    """Only the end of the connection would end it."""
    head = head_bytes(Response(headers={"content-type": "text/html"}, is_endless=True))

    assert head.startswith(b"HTTP/1.1 200 OK\r\ndate: ")
    assert head.endswith(b"GMT\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n")
