"""Asks a server of models over HTTP: JSON in, JSON out, with retries, a limit on what is under way, and rests.

No name but the address's own is resolved, no proxy used, no redirect followed; texts are never logged.
"""

import asyncio
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lyra.clock import Clock
from lyra.errors import ModelError
from lyra.ml.endpoints import EndpointAddress
from lyra.ml.server_connection import Backoff, HttpReply, ModelServer
from lyra.observe.log import get_logger

_log = get_logger(__name__)
_MAX_REPLY_BYTES = 64_000_000
_ATTEMPTS = 3
_PAUSE_S, _MAX_PAUSE_S = 0.25, 5.0
_REST_S, _MAX_REST_S = 15.0, 300.0
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class TooMuchAtOnce(ModelError):
    """The server takes fewer items in one request."""


class ServerClient:
    """One server. After failures it is left in peace for a while, longer each time, and every call fails at once."""

    def __init__(
        self,
        address: EndpointAddress,
        clock: Clock,
        *,
        timeout_s: float,
        concurrency: int = 1,
        key: str | None = None,
        ca_bundle: Path | None = None,
    ) -> None:
        self.address = address
        self._clock = clock
        self._timeout_s = timeout_s
        self._slots = asyncio.Semaphore(concurrency)
        self._server = ModelServer(address, key, ca_bundle)
        self._backoff = Backoff(clock, _REST_S, _MAX_REST_S)

    @property
    def failure(self) -> ModelError | None:
        """Why it is left in peace now; None where it answers."""
        return self._backoff.failure

    async def ask(self, path: str, payload: Mapping[str, Any] | None = None) -> Any:
        """The JSON of the answer; `ModelError` where none comes. Without a payload, by GET."""
        self._backoff.refuse()
        async with self._slots:
            try:
                found = await self._with_retries(path, payload)
            except TooMuchAtOnce:
                raise
            except ModelError as exc:
                self._backoff.start(exc)
                _log.warning("model server failed", place=self.address.place, reason=exc.message)
                raise
        self._backoff.end()
        return found

    async def _with_retries(self, path: str, payload: Mapping[str, Any] | None) -> Any:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                reply = await self._once(path, payload)
            except (OSError, TimeoutError) as exc:
                if attempt == _ATTEMPTS or isinstance(exc, TimeoutError | ConnectionRefusedError | ssl.SSLError):
                    raise self._unreachable(exc) from exc
                pause_s = 0.0
            else:
                if reply.status not in _PASSING or attempt == _ATTEMPTS:
                    return self._parsed(reply)
                pause_s = reply.retry_after_s
            # The server is overloaded or starting; ask later, and later each time.
            await self._clock.sleep(min(max(pause_s, _PAUSE_S * 4 ** (attempt - 1)), _MAX_PAUSE_S))
        raise AssertionError  # the last attempt returns or raises

    async def _once(self, path: str, payload: Mapping[str, Any] | None) -> HttpReply:
        reply = await self._server.send(path, payload, timeout_s=self._timeout_s, max_bytes=_MAX_REPLY_BYTES + 1)
        if len(reply.body) > _MAX_REPLY_BYTES:
            raise ConnectionError("the answer is too long")
        if not reply.is_whole:
            raise ConnectionResetError("the answer is cut off")
        return reply

    def _parsed(self, reply: HttpReply) -> Any:
        if reply.status in (413, 422):
            raise TooMuchAtOnce(
                f"The model server at {self.address.place} refused a request ({reply.status}).",
                remedy="Lower batch_size beside its address, or look at the server's own log.",
            )
        if reply.status != 200:
            raise self._refused(reply.status)
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError) as exc:
            raise self.other_service("its answer is not JSON") from exc

    def other_service(self, why: str) -> ModelError:
        """The error of a server that answers in another form."""
        return ModelError(
            f"The server at {self.address.place} does not answer like the one it is set to be: {why}.",
            remedy="Check url and kind of the endpoint; `lyra doctor` asks it.",
        )

    def _refused(self, status: int) -> ModelError:
        place = self.address.place
        if status in (401, 403):
            return ModelError(
                f"The model server at {place} asks for a key ({status}).", remedy="Set api_key beside it."
            )
        if status == 429:
            return ModelError(
                f"The model server at {place} is overloaded.", remedy="Try again later, or lower concurrency beside it."
            )
        return ModelError(
            f"The model server at {place} answered with status {status}.", remedy="Look at the server's own log."
        )

    def _unreachable(self, exc: BaseException) -> ModelError:
        place = self.address.place
        if isinstance(exc, TimeoutError):
            return ModelError(
                f"The model server at {place} did not answer within {self._timeout_s:g} s.",
                remedy="Wait until its model is loaded, or raise timeout_s beside it.",
            )
        if isinstance(exc, ConnectionRefusedError):
            return ModelError(f"No model server listens at {place}.", remedy="Start it, or unset its url.")
        if isinstance(exc, ssl.SSLError):
            return ModelError(
                f"The certificate of the model server at {place} is not trusted.",
                remedy="Name its authority in network.ca_bundle.",
            )
        why = getattr(exc, "strerror", None) or type(exc).__name__
        return ModelError(
            f"The connection to the model server at {place} broke ({why}).", remedy="Look at the server's own log."
        )
