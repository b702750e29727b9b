"""Bytes or a file to a document for the server: every body is read in a process of its own."""

import asyncio
import contextlib
import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lyra.errors import InvalidParams, LyraError, ModelError
from lyra.extract.blocks import EXTRACTOR_VERSION
from lyra.extract.draft import Draft
from lyra.extract.fragments import to_fragments
from lyra.extract.process import document_from_json, work_from_json
from lyra.extract.unread import UnreadBodies
from lyra.ids import bytes_hash
from lyra.media import MediaKind, sniff
from lyra.ml.process import WorkerConfig, WorkerSupervisor
from lyra.model.audit import CitedWork
from lyra.model.page import Document, Fragment
from lyra.model.search import READER_ENDED
from lyra.settings import Models

_ANSWER_LIMIT_S = 220.0
# Pages of the corpus take some 20 ms; 1.25 MB of links take three seconds.
_PAGE_LIMIT_S = 10.0
# What took longer than this when the server ended counts as tried: after the second time it is not read again.
_SLOW_S = 2.0
_TRIES = 2
_MOST_PROCESSES = 4
# What a reading waits for and holds: a seat where the processor's work is bounded.
ReadingSlot = Callable[[], contextlib.AbstractAsyncContextManager[None]]


class _ReaderEnded(Exception):
    """The process ended in the middle of a body; never leaves this module."""


class DocumentReader:
    """Reads any body in processes of its own. One that hangs, crashes or eats all memory costs its own process alone.

    A body that ended its process twice is given up, over all starts of the server where `memory` remembers it.
    """

    def __init__(
        self,
        settings: Models,
        turn: ReadingSlot = contextlib.nullcontext,
        memory: UnreadBodies | None = None,
        page_limit_s: float = _PAGE_LIMIT_S,
    ) -> None:
        self._turn = turn
        self._memory = memory
        self._page_limit_s = page_limit_s
        self._limits = f"{page_limit_s:g} s, {settings.memory_limit_mb} MiB, {EXTRACTOR_VERSION}"
        config = WorkerConfig(
            threads=settings.threads,
            memory_limit_mb=settings.memory_limit_mb,
            is_isolation_required=settings.isolation == "required",
            module="lyra.extract.process",
            answer_limit_s=_ANSWER_LIMIT_S,
        )
        # At least two: a scan takes minutes, and pages need not wait for it.
        count = max(2, min(_MOST_PROCESSES, os.cpu_count() or 1))
        self._pool = tuple(WorkerSupervisor(config, settings.idle_exit_s, attempts=1) for _ in range(count))
        self._waiting = [0] * count

    async def read(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The located text of a body. Raises InvalidParams where it is empty or nothing that can be read."""
        found = await self._read(body, self._request(content_type, url))
        return document_from_json(found["document"])

    async def read_works(self, body: bytes, suffix: str) -> tuple[CitedWork, ...]:
        """The works of a bibliography with this ending. Raises InvalidParams where it holds none."""
        found = await self._read(body, {"references": suffix, "page_limit_s": self._page_limit_s})
        return tuple(work_from_json(one) for one in found["works"])

    async def read_draft(self, body: bytes, suffix: str) -> Draft:
        """The text of a file with this ending that somebody wrote. Raises InvalidParams where there is none."""
        found = await self._read(body, {"draft": suffix})
        return Draft(str(found["text"]), tuple(map(str, found["remarks"])))

    async def _read(self, body: bytes, request: dict[str, Any]) -> dict[str, Any]:
        key = bytes_hash(self._limits.encode() + body)
        tries, reason = await self._memory.attempts(key) if self._memory else (0, "")
        for _ in range(tries, _TRIES):
            async with self._turn():
                try:
                    return await self._try(key, body, request)
                except _ReaderEnded as exc:
                    reason = str(exc)
        raise _beyond_limits(body, reason)

    def read_blocking(self, body: bytes, *, content_type: str | None, url: str = "") -> Document:
        """The same for callers without an event loop."""
        reason = ""
        for _ in range(_TRIES):
            place, act = self._chosen(body, self._request(content_type, url))
            try:
                return document_from_json(self._pool[place].submit(act).result()["document"])
            except _ReaderEnded as exc:
                reason = str(exc)
        raise _beyond_limits(body, reason)

    async def close(self) -> None:
        await asyncio.to_thread(self.close_blocking)

    def close_blocking(self) -> None:
        for supervisor in self._pool:
            supervisor.close()

    async def _try(self, key: str, body: bytes, request: dict[str, Any]) -> dict[str, Any]:
        """Read once. A caller that no longer waits ends the process; slow work is noted before it ends."""
        place, act = self._chosen(body, request)
        pending = asyncio.wrap_future(self._pool[place].submit(act))
        self._waiting[place] += 1
        is_noted = False
        try:
            done, _ = await asyncio.wait({pending}, timeout=_SLOW_S)
            if not done and self._memory:
                is_noted = True
                await self._memory.note(key, "the server ended while it was being read")
            found = await pending
        except _ReaderEnded as exc:
            if self._memory:
                await self._memory.note(key, str(exc), is_counted=is_noted)
            raise
        except asyncio.CancelledError:
            pending.cancel()
            self._pool[place].abandon(act)
            raise
        finally:
            self._waiting[place] -= 1
        if is_noted and self._memory:
            await self._memory.forget(key)
        return found

    def _request(self, content_type: str | None, url: str) -> dict[str, Any]:
        return {"content_type": content_type, "url": url, "page_limit_s": self._page_limit_s}

    def _chosen(self, body: bytes, request: dict[str, Any]) -> tuple[int, Callable[[], dict[str, Any]]]:
        """The process that the fewest wait for, one that runs already before one that must be started; and the work."""
        place = min(range(len(self._pool)), key=lambda at: (self._waiting[at], self._pool[at].worker is None, at))
        return place, functools.partial(_ask, self._pool[place], body, request)


def _ask(supervisor: WorkerSupervisor, body: bytes, request: dict[str, Any]) -> dict[str, Any]:
    crashes = supervisor.stats.crashes
    try:
        found, _ = supervisor.ask(request, body)
    except ModelError as exc:
        if supervisor.stats.crashes == crashes:
            raise
        raise _ReaderEnded(supervisor.stats.last_crash or "no reason known") from exc
    if "refused" in found:
        raise InvalidParams(found["refused"], remedy=found["remedy"], details=found["details"])
    return found


def _beyond_limits(body: bytes, ending: str) -> InvalidParams:
    name = "PDF" if sniff(body) is MediaKind.PDF else "page"
    return InvalidParams(
        f"The {name} could not be read: {READER_ENDED} ({ending}).",
        remedy="It exceeds the limits on time or memory, or is broken. Open it with another program and save it again, "
        "or raise the setting models.memory_limit_mb.",
        details={"looks_like": f"broken {name}", "tries": _TRIES},
    )


CONTENT_TYPES = {
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".txt": "text/plain",
    ".pdf": "application/pdf",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".eml": "message/rfc822",
}


def inspect_file(path: Path, reader: DocumentReader) -> dict[str, Any]:
    """`file title text date language fragments`, or `file` and its error where the file cannot be read."""
    try:
        return _described(path, reader)
    except LyraError as exc:
        return {"file": str(path), **exc.fields()}


def read_file(path: Path, reader: DocumentReader) -> Document:
    """What a file says. Raises InvalidParams where it cannot be opened or read."""
    return reader.read_blocking(_bytes(path), content_type=CONTENT_TYPES.get(path.suffix.lower()))


def _described(path: Path, reader: DocumentReader) -> dict[str, Any]:
    document = read_file(path, reader)
    return {
        "file": str(path),
        "title": document.title,
        "text": document.text,
        "date": document.date,
        "updated": document.updated,
        "authors": list(document.authors),
        "language": document.language,
        "page_type": document.page_type,
        "quality": document.quality,
        "identifiers": [{"kind": entry.kind, "value": entry.value} for entry in document.identifiers],
        "links": list(document.links),
        "remarks": list(document.remarks),
        "extractor": document.extractor,
        "fragments": [_fragment(fragment) for fragment in to_fragments("inspected", document)],
    }


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise InvalidParams(f"The file cannot be opened: {exc.strerror}.") from exc


def _fragment(fragment: Fragment) -> dict[str, Any]:
    return {
        "text": fragment.text_content,
        "start": fragment.char_start,
        "end": fragment.char_end,
        "type": fragment.fragment_type.value,
        "headings": [heading.text for heading in fragment.heading_hierarchy],
        "page_number": fragment.page_number,
        "language": fragment.language,
    }
