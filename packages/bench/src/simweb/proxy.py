"""The loopback doors to the simulated internet: an HTTP proxy that ends TLS itself for every CONNECT, and SOCKS5."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Coroutine
from urllib.parse import urlsplit

from simweb import socks
from simweb.internet import Internet
from simweb.journal import Journal
from simweb.messages import Exit, Request, Response
from simweb.tls import Authority
from simweb.wire import BadRequestError, Head, read_body, read_head, write_response

_GONE = (ConnectionError, ssl.SSLError, TimeoutError, socks.SocksError)


class Proxy:
    """Serves client connections; `latency_s` is how long every answer takes at least."""

    def __init__(self, internet: Internet, authority: Authority, journal: Journal, latency_s: float) -> None:
        self._internet = internet
        self._authority = authority
        self._journal = journal
        self._latency_s = latency_s
        self._conversations: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection, for `asyncio.start_server`; its task is ours, so that `close` can end it."""
        self._take(self._guarded(self._converse(reader, writer), writer), writer)

    def _take(self, conversation: Coroutine[None, None, None], writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(conversation)
        self._conversations[task] = writer
        task.add_done_callback(lambda done: self._conversations.pop(done, None))

    async def close(self) -> None:
        """End every connection."""
        conversations = dict(self._conversations)
        for task in conversations:
            task.cancel()
        await asyncio.gather(*conversations, return_exceptions=True)
        for writer in conversations.values():
            writer.transport.abort()
        await asyncio.gather(*(writer.wait_closed() for writer in conversations.values()), return_exceptions=True)

    async def _guarded(self, conversation: Coroutine[None, None, None], writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(*_GONE):
                await conversation
        except BadRequestError as exc:
            with contextlib.suppress(*_GONE):
                await _say(writer, Response.text(f"{exc}\n", 400))
        finally:
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (head := await read_head(reader)) is not None:
            if head.method == "CONNECT":
                await self._tunnel(head, reader, writer)
                return
            parts = urlsplit(head.target)
            if parts.scheme != "http" or parts.hostname is None:
                raise BadRequestError("this is a proxy: ask with CONNECT or an absolute http:// address")
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            if not self._internet.knows(parts.hostname):
                await _say(writer, _unknown(parts.hostname))
                return
            if not await self._exchange(head, "http", parts.hostname, target, reader, writer):
                return

    async def _tunnel(self, head: Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a CONNECT, then be the server behind it: TLS on port 443, plain HTTP on any other."""
        host, _, port = head.target.rpartition(":")
        host = host.lower().strip("[]")
        if not self._internet.knows(host):
            await _say(writer, _unknown(host))
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await writer.drain()
        await self._be(host, port, reader, writer)

    async def _be(
        self,
        host: str,
        port: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        exit: Exit = "direct",
        circuit: str = "",
    ) -> None:
        """Be that host for the rest of the connection."""
        scheme = "http"
        if port != "80":
            scheme = "https"
            await writer.start_tls(self._authority.context_for(host, self._internet.certificate_flaw(host)))
        while (inner := await read_head(reader)) is not None:
            if not await self._exchange(inner, scheme, host, inner.target, reader, writer, exit, circuit):
                return

    def accept_socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection of a SOCKS5 client, as Tor does."""
        self._take(self._guarded(self._converse_socks(reader, writer), writer), writer)

    async def _converse_socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wish = await socks.greet(reader, writer)
        self._journal.resolve(wish.host, is_address=wish.is_address)
        if wish.is_address or not self._internet.knows(wish.host):
            await socks.refuse(writer, wish)
            return
        await socks.grant(writer)
        await self._be(wish.host, str(wish.port), reader, writer, "tor", wish.user)

    async def _exchange(
        self,
        head: Head,
        scheme: str,
        host: str,
        target: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        exit: Exit = "direct",
        circuit: str = "",
    ) -> bool:
        """One request and its answer; False when the connection must end."""
        if head.headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await read_body(reader, head)
        request = Request(head.method, scheme, host.lower(), target, head.headers, body, exit, circuit)
        number = self._journal.arrive(request)
        status: int | None = None
        has_left = False

        def leave() -> None:
            nonlocal has_left
            if not has_left:
                has_left = True
                self._journal.leave(number, request.host, status)

        try:
            response = self._internet.answer(request)
            status = None if response.is_reset else response.status
            await asyncio.sleep(self._latency_s + response.delay_s)
            is_open = await write_response(writer, response, is_head=head.method == "HEAD", before_last=leave)
        finally:
            leave()
        return is_open and head.keeps_alive


def _unknown(host: str) -> Response:
    """How a proxy says that a name does not resolve."""
    return Response.text(f"could not resolve {host}\n", 502)


async def _say(writer: asyncio.StreamWriter, response: Response) -> None:
    closing = response.with_headers(connection="close")
    await write_response(writer, closing, is_head=False, before_last=lambda: None)
