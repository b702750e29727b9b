"""Opens Lyra while its client is already answered: what a server can do is listed without a database or a model."""

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from lyra.errors import LyraError

if TYPE_CHECKING:
    from lyra.app import Lyra

Opened = Callable[[], Awaitable["Lyra"]]

_OPENS_AFTER_S = 1.0  # searches that another server left unfinished go on, whatever the client asks for
# Answers name files, not where on the machine they lie (L7).
_FOLDERS = re.compile(r"(?<![\w:])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:'\"]+[\\/])+(?=[^\s\\/])")
_RESTART = "Then restart the client, which starts the server anew."


class NotStarted(LyraError):
    """Lyra could not start; code and exit code are those of the reason."""

    def __init__(self, reason: LyraError) -> None:
        super().__init__(
            f"Lyra could not start. {_FOLDERS.sub('', reason.message)}",
            remedy=f"{_FOLDERS.sub('', reason.remedy or 'See the log.')} {_RESTART}",
            retry_after_s=reason.retry_after_s,
            details=reason.details,
        )
        self.code, self.exit_code, self.retryable = reason.code, reason.exit_code, reason.retryable


class LateLyra:
    """Lyra, opened by a task of its own once somebody needs it, at the latest after a second, and closed at the end.

    Where it cannot be opened, whoever asks for it gets `NotStarted`, and `failure` keeps the reason.
    """

    def __init__(self, open_lyra: Callable[[], AbstractAsyncContextManager["Lyra"]]) -> None:
        self.failure: LyraError | None = None
        self._open = open_lyra
        self._is_opening = False
        self._is_needed = asyncio.Event()
        self._is_closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._lyra: asyncio.Future[Lyra] = asyncio.get_running_loop().create_future()
        self._holding = asyncio.create_task(self._hold())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A start under way is completed first, for half a start cannot be closed; one not begun is left out."""
        self._is_closing.set()
        if not self._is_opening:
            self._holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._holding

    def begin(self) -> None:
        """Open it now; nobody waits yet."""
        self._is_needed.set()

    async def get(self) -> "Lyra":
        self.begin()
        either: tuple[asyncio.Future[Any], ...] = (self._lyra, self._holding)
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._lyra.done():
            if self.failure is not None:
                raise NotStarted(self.failure) from self.failure
            self._holding.result()  # raises what nobody expected
        return self._lyra.result()

    async def _hold(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_OPENS_AFTER_S):
                await self._is_needed.wait()
        self._is_opening = True
        try:
            async with self._open() as lyra:
                self._lyra.set_result(lyra)
                await self._is_closing.wait()
        except LyraError as exc:
            self.failure = exc
