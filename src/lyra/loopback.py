"""Serving HTTP, by default on this machine only: a port, and a server that ends when it is told to.

Slow clients cannot hold it up: a connection that has not sent a whole request in time is closed, and so is one whose
request was answered before its body had come.
"""

import asyncio
import contextlib
import errno
import functools
import ipaddress
import os
import signal
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from lyra.connections import AddressLimits, LimitedListener
from lyra.errors import InvalidParams

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")  # names by which clients on this machine may call it
PERSON_KEY = "lyra.person"  # under which a guard puts into the scope of a request who asks
HEAD_TIMEOUT_S = 10.0
BODY_TIMEOUT_S = 30.0
HANDSHAKE_TIMEOUT_S = 10.0
MAX_CONNECTIONS = 500
# What is still read of a body that nobody wants, so that an ordinary client gets the answer and keeps its connection:
# closing with unread bytes would reset it (RFC 9112 §9.6).
MAX_REST_BYTES = 65_536
REST_TIMEOUT_S = 1.0
_GRACE_S = 3
_CONNECTION_KEY = "lyra.connection"


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """The certificate with its chain, and its key, in PEM."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """Raise InvalidParams where the files cannot serve."""
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as exc:
            raise InvalidParams(
                f"The certificate {self.certificate.name} and the key {self.key.name} cannot be used: {exc}.",
                remedy="Give --tls-cert and --tls-key the PEM files of one certificate, readable for this user.",
            ) from exc


def listens_on_loopback(host: str) -> bool:
    """Whether only this machine can reach a server on this address. Raises InvalidParams where it is none."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError as exc:
        raise InvalidParams(
            f"{host[:60]!r} is not an address.", remedy="Give --host an IP address of this machine, or 0.0.0.0 for all."
        ) from exc


def listen(port: int, host: str = HOST) -> socket.socket:
    """The port to serve on, any free one for 0. Raises InvalidParams where it is not available."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere it would let two servers share a port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as exc:
        listening.close()
        if exc.errno == errno.EADDRNOTAVAIL:
            raise InvalidParams(
                f"This machine has no address {host}.", remedy="Give --host an address of this machine, or 0.0.0.0."
            ) from exc
        why = "is taken by another program" if exc.errno == errno.EADDRINUSE else f"cannot be used: {exc.strerror}"
        raise InvalidParams(f"Port {port} {why}.", remedy="Choose another with --port, or 0 for any free one.") from exc
    return listening


class _Connection(H11Protocol):
    """A connection that is closed unless it sends a whole request in time, head and body."""

    _timer: asyncio.TimerHandle | None = None
    _is_for_body = False

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, {**app_state, _CONNECTION_KEY: self}, _loop)

    @property
    def has_unread_body(self) -> bool:
        """Whether the body of the request has yet to come, wholly or in part."""
        return self.conn.their_state is h11.SEND_BODY

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer(HEAD_TIMEOUT_S)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.SEND_BODY:
            if not self._is_for_body:
                self._start_timer(BODY_TIMEOUT_S, is_for_body=True)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._stop_timer()
        elif self._timer is None:
            self._start_timer(HEAD_TIMEOUT_S)

    def on_response_complete(self) -> None:
        self._stop_timer()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self, seconds: float, *, is_for_body: bool = False) -> None:
        self._stop_timer()
        self._timer, self._is_for_body = self.loop.call_later(seconds, self.transport.close), is_for_body

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._is_for_body = None, False


def _without_disconnects(app: ASGIApp) -> ASGIApp:
    """The same; that a client has gone, or was too slow, is no fault of ours and no line in the log."""

    async def serving(scope: Scope, receive: Receive, send: Send) -> None:
        with contextlib.suppress(ClientDisconnect):
            await app(scope, receive, send)

    return serving


def _closing_after_early_answers(app: ASGIApp) -> ASGIApp:
    """The same; a request that is answered before its body has come ends its connection, unless the rest is short."""

    async def serving(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        connection: _Connection = scope["state"][_CONNECTION_KEY]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start" and connection.has_unread_body:
                await _discard_rest(connection, receive)
                if connection.has_unread_body:  # uvicorn reads nothing more of a connection that it is to close
                    message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await app(scope, receive, sending)

    return serving


async def _discard_rest(connection: _Connection, receive: Receive) -> None:
    """Read on to the end of the body, within limits; nothing where the client waits to be told to send it."""
    if connection.conn.they_are_waiting_for_100_continue:
        return
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(REST_TIMEOUT_S):
            while connection.has_unread_body and size <= MAX_REST_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                size += len(message.get("body", b""))


class _Server(uvicorn.Server):
    """A server that leaves the signals to the command that runs it: there is more to close than sockets."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; uvicorn has no setting for how long TLS may take to begin and end, and asyncio is patient."""
        loop = asyncio.get_running_loop()
        if not self.config.is_ssl:
            await super().startup(sockets)
            return
        create_server = loop.create_server
        loop.create_server = functools.partial(  # type: ignore[method-assign]
            create_server, ssl_handshake_timeout=HANDSHAKE_TIMEOUT_S, ssl_shutdown_timeout=_GRACE_S
        )
        try:
            await super().startup(sockets)
        finally:
            loop.create_server = create_server  # type: ignore[method-assign]


async def serve_until(
    stopping: asyncio.Event,
    app: ASGIApp,
    listening: socket.socket,
    tls: TlsFiles | None = None,
    *,
    max_per_address: int | None = None,
) -> None:
    """Serve clients until `stopping` is set; calls under way get a few seconds to end.

    At most MAX_CONNECTIONS are open, and at most `max_per_address` from one address; others are closed at once.
    """
    files: dict[str, Any] = {"ssl_certfile": tls.certificate, "ssl_keyfile": tls.key} if tls else {}
    config = uvicorn.Config(
        _without_disconnects(_closing_after_early_answers(app)),
        http=_Connection,
        log_config=None,
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_S,
        limit_concurrency=MAX_CONNECTIONS + 1,  # where the listener does not count: on Windows
        **files,
    )
    server = _Server(config)
    limits = AddressLimits(MAX_CONNECTIONS, max_per_address or MAX_CONNECTIONS)

    async def stop() -> None:
        await stopping.wait()
        server.handle_exit(signal.SIGTERM, None)  # also ends open event streams

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(stop())
        await server.serve(sockets=[LimitedListener(listening, limits)])
        watching.cancel()
