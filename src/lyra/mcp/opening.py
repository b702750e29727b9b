"""Opens Lyra in the background, so that the tool list is answered without a database or a model."""

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

GetLyra = Callable[[], Awaitable["Lyra"]]

_OPEN_AFTER_S = 1.0  # so that searches that another server left unfinished go on
# Answers name files without their folders (L7).
_FOLDER_PATH = re.compile(r"(?<![\w:])(?:[A-Za-z]:)?[\\/](?:[^\s\\/:'\"]+[\\/])+(?=[^\s\\/])")
_RESTART = "Then restart the client, which starts the server again."


class NotStarted(LyraError):
    """Lyra could not start; code and exit code are those of the reason."""

    def __init__(self, reason: LyraError) -> None:
        super().__init__(
            f"Lyra could not start. {_FOLDER_PATH.sub('', reason.message)}",
            remedy=f"{_FOLDER_PATH.sub('', reason.remedy or 'See the log.')} {_RESTART}",
            retry_after_s=reason.retry_after_s,
            details=reason.details,
        )
        self.code, self.exit_code, self.retryable = reason.code, reason.exit_code, reason.retryable


class LazyLyra:
    """Lyra, opened by a background task at the first use, at the latest after a second, and closed at the end.

    Where it cannot be opened, `get` raises `NotStarted`, and `failure` is the reason.
    """

    def __init__(self, open_lyra: Callable[[], AbstractAsyncContextManager["Lyra"]]) -> None:
        self.failure: LyraError | None = None
        self._open = open_lyra
        self._is_opening = False
        self._is_wanted = asyncio.Event()
        self._is_closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._lyra: asyncio.Future[Lyra] = asyncio.get_running_loop().create_future()
        self._open_task = asyncio.create_task(self._keep_open())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A start under way is completed first, since half a start cannot be closed; one not begun is cancelled."""
        self._is_closing.set()
        if not self._is_opening:
            self._open_task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._open_task

    def start_opening(self) -> None:
        """Open it now, without waiting for it."""
        self._is_wanted.set()

    async def get(self) -> "Lyra":
        self.start_opening()
        either: tuple[asyncio.Future[Any], ...] = (self._lyra, self._open_task)
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._lyra.done():
            if self.failure is not None:
                raise NotStarted(self.failure) from self.failure
            self._open_task.result()  # raises an unexpected error
        return self._lyra.result()

    async def _keep_open(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_OPEN_AFTER_S):
                await self._is_wanted.wait()
        self._is_opening = True
        try:
            async with self._open() as lyra:
                self._lyra.set_result(lyra)
                await self._is_closing.wait()
        except LyraError as exc:
            self.failure = exc
