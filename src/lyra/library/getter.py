"""A document of the library as a page that was fetched: its bytes are read from the file and archived by their hash."""

import asyncio

from lyra.archive.warc import WarcArchive
from lyra.clock import Clock
from lyra.ids import bytes_hash
from lyra.library.walk import FileChangedWhileRead, read_stable
from lyra.model.library import LocatedDocument, is_library_url
from lyra.model.page import ArchiveRef, FetchOutcome, FetchRequest, FetchResult, Getter
from lyra.settings.processes import LibrarySettings
from lyra.storage import libraries
from lyra.storage.database import Database

_RUNG = "library"
_GONE = "The document is in no library any more: its file was deleted, or its library removed."


class LibraryGetter:
    """Reads documents of libraries from their files; every other address is fetched as ever."""

    def __init__(
        self, db: Database, clock: Clock, archive: WarcArchive, settings: LibrarySettings, web: Getter
    ) -> None:
        self._db = db
        self._clock = clock
        self._archive = archive
        self._most_bytes = int(settings.max_file_mb * 1_000_000)
        self._archived_bytes = int(settings.archive_max_mb * 1_000_000)
        self._web = web

    async def __call__(self, request: FetchRequest) -> FetchResult:
        if not is_library_url(request.url):
            return await self._web(request)
        found = await self._db.read(libraries.locate, request.url)
        if found is None:
            return _failure(request.url, FetchOutcome.NOT_FOUND, _GONE)
        try:
            body = await asyncio.to_thread(self._bytes, found)
        except FileChangedWhileRead:
            return _failure(request.url, FetchOutcome.FAILED, "The file changes while it is read.")
        except OSError as exc:
            reason = f"The file cannot be opened: {exc.strerror}."
            return _failure(request.url, FetchOutcome.NOT_FOUND, reason)
        content_hash = await asyncio.to_thread(bytes_hash, body)
        if request.etag == content_hash:
            return FetchResult(request.url, FetchOutcome.NOT_MODIFIED, request.url, 304, rung=_RUNG, was_sent=False)
        return FetchResult(
            request.url,
            FetchOutcome.OK,
            final_url=request.url,
            status_code=200,
            headers=(("Content-Type", found.content_type), ("ETag", content_hash)),
            body=body,
            rung=_RUNG,
            fetched_at=self._clock.now(),
            archive=await self._archived(found, body),
            was_sent=False,
        )

    def _bytes(self, found: LocatedDocument) -> bytes:
        """The bytes of a document from the first of its files that can be read."""
        if found.entry is not None:
            return found.entry.encode("utf-8", "surrogatepass")
        problem: OSError = FileNotFoundError(2, "No such file or directory")
        for path, place, length in found.files:
            try:
                body = read_stable(path, self._most_bytes)
            except OSError as exc:
                problem = exc
            else:
                return body if length is None else body[place : place + length]
        raise problem

    async def _archived(self, found: LocatedDocument, body: bytes) -> ArchiveRef | None:
        """The record of the bytes; none of a document that is larger than is archived."""
        if len(body) > self._archived_bytes:
            return None
        return await self._archive.store_file(found.url, body, found.content_type)


def _failure(url: str, outcome: FetchOutcome, reason: str) -> FetchResult:
    return FetchResult(url, outcome, rung=_RUNG, reason=reason, was_sent=False)
