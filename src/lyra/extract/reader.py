"""The door from bytes to a document for the server: PDFs in a process of their own, everything else here."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from lyra.errors import InvalidParams, ModelError
from lyra.extract.document import read_document
from lyra.extract.wire import document_from_json
from lyra.media import MediaKind, sniff
from lyra.ml.lane import WorkerSupervisor
from lyra.ml.process import WorkerConfig
from lyra.model.page import Document
from lyra.settings import Models

_ANSWER_LIMIT_S = 220.0
# What a reading waits for and holds: a seat where the processor's work is bounded.
Turn = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class DocumentReader:
    """Reads any body. A PDF that hangs, crashes or eats all memory costs its own process, not the server's."""

    def __init__(self, settings: Models, turn: Turn = contextlib.nullcontext) -> None:
        self._turn = turn
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            module="lyra.extract.pdf_process",
            answer_limit_s=_ANSWER_LIMIT_S,
        )
        self._supervisor = WorkerSupervisor(config, settings.idle_exit_s, attempts=1)

    async def read(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The located text of a body. Raises InvalidParams where it is empty or nothing that can be read."""
        async with self._turn():
            if sniff(body) is not MediaKind.PDF:
                return await asyncio.to_thread(read_document, body, content_type=content_type, url=url)
            return await asyncio.wrap_future(self._submit(body, content_type, url))

    def read_blocking(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The same for callers without an event loop."""
        if sniff(body) is not MediaKind.PDF:
            return read_document(body, content_type=content_type, url=url)
        return self._submit(body, content_type, url).result()

    async def close(self) -> None:
        await asyncio.to_thread(self._supervisor.close)

    def close_blocking(self) -> None:
        self._supervisor.close()

    def _submit(self, body: bytes, content_type: str | None, url: str) -> "Future[Document]":
        return self._supervisor.submit(lambda: self._ask(body, {"content_type": content_type, "url": url}))

    def _ask(self, body: bytes, request: dict[str, Any]) -> Document:
        crashes = self._supervisor.stats.crashes
        try:
            found, _ = self._supervisor.ask(request, body)
        except ModelError as exc:
            if self._supervisor.stats.crashes == crashes:
                raise
            raise _beyond_limits(self._supervisor.stats.last_crash) from exc
        if "refused" in found:
            raise InvalidParams(found["refused"], remedy=found["remedy"], details=found["details"])
        return document_from_json(found["document"])


def _beyond_limits(ending: str | None) -> InvalidParams:
    return InvalidParams(
        f"The PDF could not be read within the limits on time and memory ({ending}).",
        remedy="Open it with another program and save it anew, or raise the setting models.memory_limit_mb.",
        details={"looks_like": "broken PDF"},
    )
