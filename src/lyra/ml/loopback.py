"""One request to a server on this machine: no name is resolved, no proxy used, no redirect followed."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from lyra.errors import ModelError

_MAX_REPLY_BYTES = 1_000_000
# `localhost` is not left to a resolver, which might name another machine.
_LOCALHOST = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class HttpReply:
    status: int
    body: bytes


async def post_json(url: str, payload: Mapping[str, Any], timeout_s: float) -> HttpReply:
    """Send JSON and read the whole answer within the limit; `ModelError` where none comes."""
    line = _Connection(url)
    where = urlsplit(url).netloc
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

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port, self._path = parts.hostname or "", parts.port or 80, parts.path
        self._sock: socket.socket | None = None
        self._is_aborted = False

    def post(self, body: bytes, timeout_s: float) -> HttpReply:
        """Blocking; foreign errors of HTTP leave as OSError."""
        from http.client import HTTPConnection, HTTPException  # lazy: the server starts without it

        self._sock = sock = self._connect(timeout_s)
        connection = HTTPConnection(self._host, self._port)
        connection.sock = sock
        try:
            if self._is_aborted:
                raise ConnectionAbortedError
            connection.request("POST", self._path, body, {"Content-Type": "application/json", "Connection": "close"})
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

    def _connect(self, timeout_s: float) -> socket.socket:
        first, *others = _LOCALHOST if self._host == "localhost" else (self._host,)
        try:
            return socket.create_connection((first, self._port), timeout=timeout_s)
        except ConnectionRefusedError:
            for address in others:
                with contextlib.suppress(OSError):
                    return socket.create_connection((address, self._port), timeout=timeout_s)
            raise
