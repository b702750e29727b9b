"""One request to a server of models over HTTP: no proxy, no redirect, and an end within its time."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lyra.clock import Clock
from lyra.errors import ModelError
from lyra.ml.endpoints import EndpointAddress

# `localhost` is not left to a resolver, which might name another machine.
_LOCALHOST = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class HttpReply:
    """`is_whole` is false where the server had promised more bytes than came or were read."""

    status: int
    body: bytes
    is_whole: bool
    retry_after_s: float


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Where a server answers, and what it asks of a caller: a key, and whom to trust for its certificate."""

    address: EndpointAddress
    key: str | None = None
    ca_bundle: Path | None = None

    async def send(
        self, path: str, payload: Mapping[str, Any] | None, *, timeout_s: float, max_bytes: int
    ) -> HttpReply:
        """Send JSON, or ask by GET where there is none; `OSError` or `TimeoutError` where no answer comes."""
        connection = _Connection(self, timeout_s)
        body = None if payload is None else json.dumps(payload).encode()
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.to_thread(connection.send, path, body, max_bytes)
        finally:
            connection.abort()


class Backoff:
    """Leaves a server that fails in peace for a while, twice as long each time."""

    def __init__(self, clock: Clock, first_s: float, max_s: float) -> None:
        self._clock = clock
        self._first_s = first_s
        self._max_s = max_s
        self._failures = 0
        self._until = 0.0
        self.failure: ModelError | None = None

    def refuse(self) -> None:
        """Raise the failure again while the pause lasts."""
        if self.failure is not None and self._clock.monotonic() < self._until:
            raise ModelError(self.failure.message, remedy=self.failure.remedy)

    def start(self, failure: ModelError) -> None:
        self._failures += 1
        self.failure = failure
        self._until = self._clock.monotonic() + min(self._first_s * 2 ** (self._failures - 1), self._max_s)

    def end(self) -> None:
        self._failures, self.failure = 0, None


class _Connection:
    """A connection that another thread may end in the middle."""

    def __init__(self, server: ModelServer, timeout_s: float) -> None:
        self._server = server
        self._timeout_s = timeout_s
        self._sock: socket.socket | None = None
        self._is_aborted = False

    def send(self, path: str, body: bytes | None, max_bytes: int) -> HttpReply:
        """Blocking; foreign errors of HTTP leave as OSError."""
        from http.client import HTTPConnection, HTTPException  # lazy: the server starts without it

        address = self._server.address
        self._sock = sock = self._connect()
        connection = HTTPConnection(address.host, address.port)
        connection.sock = sock
        try:
            if self._is_aborted:
                raise ConnectionAbortedError
            connection.request("GET" if body is None else "POST", f"{address.path}{path}", body, self._headers())
            answer = connection.getresponse()
            content = answer.read(max_bytes)
            return HttpReply(answer.status, content, not answer.length, _seconds(answer.getheader("Retry-After")))
        except HTTPException as exc:
            raise ConnectionError("not HTTP") from exc
        finally:
            connection.close()
            sock.close()

    def abort(self) -> None:
        """End the transfer wherever it is; the thread that waits for it comes back."""
        self._is_aborted = True
        if self._sock is not None:
            with contextlib.suppress(OSError):
                self._sock.shutdown(socket.SHUT_RDWR)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Connection": "close"}
        return headers | ({"Authorization": f"Bearer {self._server.key}"} if self._server.key else {})

    def _connect(self) -> socket.socket:
        """The open line, behind TLS where the address says https; a wrong certificate is an OSError."""
        address = self._server.address
        sock = self._dial()
        if not address.is_tls:
            return sock
        import ssl

        try:
            context = ssl.create_default_context(cafile=self._server.ca_bundle)
            return context.wrap_socket(sock, server_hostname=address.host)
        except OSError:
            sock.close()
            raise

    def _dial(self) -> socket.socket:
        address = self._server.address
        first, *others = _LOCALHOST if address.host == "localhost" else (address.host,)
        try:
            return socket.create_connection((first, address.port), timeout=self._timeout_s)
        except ConnectionRefusedError:
            for other in others:
                with contextlib.suppress(OSError):
                    return socket.create_connection((other, address.port), timeout=self._timeout_s)
            raise


def _seconds(written: str | None) -> float:
    try:
        return max(0.0, float(written or 0))
    except ValueError:
        return 0.0
