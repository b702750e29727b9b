"""One question to a server of language models over HTTP: no proxy, no redirect, and an end within its time."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lyra.errors import ModelError
from lyra.ml.endpoints import EndpointAddress

if TYPE_CHECKING:
    from http.client import HTTPConnection

_MAX_REPLY_BYTES = 1_000_000
# `localhost` is not left to a resolver, which might name another machine.
_LOCALHOST = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class HttpReply:
    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class LlmDoor:
    """Where a server answers, and what it asks of a caller: a key, and whom to trust for its certificate."""

    address: EndpointAddress
    key: str | None = None
    ca_bundle: Path | None = None


async def post_json(door: LlmDoor, path: str, payload: Mapping[str, Any], timeout_s: float) -> HttpReply:
    """Send JSON and read the whole answer within the limit; `ModelError` where none comes."""
    line = _Connection(door, path)
    where = door.address.place
    try:
        async with asyncio.timeout(timeout_s):
            return await asyncio.to_thread(line.post, json.dumps(payload).encode(), timeout_s)
    except TimeoutError as exc:
        raise ModelError(
            f"The LLM server at {where} did not answer within {timeout_s:g} s.",
            remedy="Take a smaller model, wait until it is loaded, or raise llm.timeout_s.",
        ) from exc
    except ConnectionRefusedError as exc:
        raise ModelError(
            f"No LLM server listens at {where}.", remedy="Start it (such as `ollama serve`), or unset llm.endpoint."
        ) from exc
    except OSError as exc:
        raise ModelError(
            f"The connection to the LLM server at {where} broke ({exc.strerror or type(exc).__name__}).",
            remedy="Look at the server's own log.",
        ) from exc
    finally:
        line.abort()


class _Connection:
    """A connection that another thread may end in the middle."""

    def __init__(self, door: LlmDoor, path: str) -> None:
        self._door = door
        self._path = f"{door.address.path}{path}"
        self._sock: socket.socket | None = None
        self._is_aborted = False

    def post(self, body: bytes, timeout_s: float) -> HttpReply:
        """Blocking; foreign errors of HTTP leave as OSError."""
        from http.client import HTTPException  # lazy: the server starts without it

        self._sock = sock = self._connect(timeout_s)
        connection = self._http(sock)
        try:
            if self._is_aborted:
                raise ConnectionAbortedError
            connection.request("POST", self._path, body, self._headers())
            response = connection.getresponse()
            return HttpReply(response.status, response.read(_MAX_REPLY_BYTES))
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
        return headers | ({"Authorization": f"Bearer {self._door.key}"} if self._door.key else {})

    def _http(self, sock: socket.socket) -> "HTTPConnection":
        from http.client import HTTPConnection

        address = self._door.address
        connection = HTTPConnection(address.host, address.port)
        connection.sock = sock
        return connection

    def _connect(self, timeout_s: float) -> socket.socket:
        """The open line, behind TLS where the address says https; a wrong certificate is an OSError."""
        address = self._door.address
        sock = self._dial(timeout_s)
        if not address.is_tls:
            return sock
        import ssl

        try:
            return ssl.create_default_context(cafile=self._door.ca_bundle).wrap_socket(
                sock, server_hostname=address.host
            )
        except OSError:
            sock.close()
            raise

    def _dial(self, timeout_s: float) -> socket.socket:
        address = self._door.address
        first, *others = _LOCALHOST if address.host == "localhost" else (address.host,)
        try:
            return socket.create_connection((first, address.port), timeout=timeout_s)
        except ConnectionRefusedError:
            for other in others:
                with contextlib.suppress(OSError):
                    return socket.create_connection((other, address.port), timeout=timeout_s)
            raise
