"""Keeps the index of a library up to date: only what is new or changed is read, and every file is written at once, so
that a scan may be stopped anywhere and searched meanwhile."""

import asyncio
import contextlib
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from lyra.clock import Clock
from lyra.errors import InvalidParams, LyraError, ModelError, PipelineError, innermost
from lyra.ids import bytes_hash, new_id
from lyra.library import walk
from lyra.library.documents import entry_document, entry_work, library_document
from lyra.library.walk import CONTENT_TYPES, CSL, MAIL_BOX, REFERENCES, suffix_of
from lyra.model.audit import CitedWork
from lyra.model.library import (
    FileState,
    Library,
    LibraryFile,
    LibraryKind,
    LibraryPart,
    LibraryWork,
    ScanResult,
    document_url,
    shown_path,
)
from lyra.model.page import Document
from lyra.settings.processes import LibrarySettings
from lyra.storage import leases, libraries, zotero
from lyra.storage.database import Database

_LEASE = timedelta(seconds=30)
_AT_ONCE = 4
_NOT_THERE = "It is not there. Its index is kept until it is back; `lyra library remove` drops it."
Progress = Callable[[int, int], None]


class Reader(Protocol):
    """Reads files in a process of its own."""

    async def read(self, body: bytes, *, content_type: str | None, url: str = "") -> Document: ...

    async def read_works(self, body: bytes, suffix: str) -> tuple[CitedWork, ...]: ...


class Indexer:
    """Scans libraries, one process a library at a time."""

    def __init__(self, db: Database, clock: Clock, reader: Reader, settings: LibrarySettings) -> None:
        self._db = db
        self._clock = clock
        self._reader = reader
        self._settings = settings

    async def scan(
        self, library: Library, progress: Progress = lambda done, total: None, *, retries_failed: bool = False
    ) -> ScanResult:
        """Bring the index up to date. Raises PipelineError where another process is at it."""
        async with self._held(library):
            try:
                walked = await asyncio.to_thread(self._walked, library)
            except OSError:
                await self._db.write(libraries.note_scan, library.id, None, reason=_NOT_THERE)
                return ScanResult()
            scan = _Scan(self._db, self._clock, self._reader, self._settings, library)
            result = await scan.run(walked.files, progress, retries_failed=retries_failed)
            most = self._settings.max_files
            await self._db.write(
                libraries.note_scan,
                library.id,
                self._clock.now(),
                reason=f"It has more than {most} files (library.max_files); the rest is not indexed."
                if walked.is_cut
                else None,
            )
            return result

    def _walked(self, library: Library) -> walk.FolderFiles:
        most = self._settings.max_files
        if library.kind is LibraryKind.FOLDER:
            return walk.walk(library.path, most)
        path = library.path if library.kind is LibraryKind.REFERENCES else os.path.join(library.path, _ZOTERO)
        os.stat(path)
        return walk.FolderFiles((walk.file_at(path),))

    @contextlib.asynccontextmanager
    async def _held(self, library: Library) -> AsyncIterator[None]:
        name, owner = f"library:{library.id}", new_id("scan")
        now = self._clock.now()
        is_mine, _ = await self._db.write(leases.acquire, name, owner, now, now + _LEASE)
        if not is_mine:
            raise PipelineError(
                f"Another process indexes the library {library.name!r} now.",
                remedy="`lyra library status` shows how far it is. If it was killed, try again in half a minute.",
                retry_after_s=_LEASE.total_seconds(),
            )

        async def renew() -> None:
            await self._db.write(leases.renew, owner, self._clock.now() + _LEASE)

        try:
            async with leases.keep_renewed(self._clock, _LEASE, renew):
                yield
        finally:
            await asyncio.shield(self._db.write(leases.forget, [name], owner))


_ZOTERO = zotero.DATABASE.encode()


class _Scan:
    """One pass over a library."""

    def __init__(self, db: Database, clock: Clock, reader: Reader, settings: LibrarySettings, library: Library) -> None:
        self._db = db
        self._clock = clock
        self._reader = reader
        self._library = library
        self._most_mb = settings.max_file_mb
        self._most_bytes = int(self._most_mb * 1_000_000)
        self._did: Counter[str] = Counter()
        self._attached: dict[bytes, LibraryWork] = {}
        self._has_unread_references = False

    async def run(self, walked: Sequence[LibraryFile], progress: Progress, *, retries_failed: bool) -> ScanResult:
        """Read what is new or changed, then what is attached to entries, and forget what is gone."""
        before = await self._db.read(libraries.files, self._library.id)
        found = [*walked, *await asyncio.to_thread(self._elsewhere, {one.path for one in walked}, before)]
        references = [one for one in found if self._is_references(one.path)]
        changed = [one for one in found if _is_to_read(one, before.get(one.path), retries_failed=retries_failed)]
        if changed:  # whose attachments they are stands in the bibliography, be it changed or not
            listed = {one.path for one in references}
            changed = [*references, *(one for one in changed if one.path not in listed)]
        await self._read_all(changed, progress)
        met = {one.path for one in found}
        more = [walk.file_at(path) for path in self._attached if path not in met]
        await self._read_all(more, progress)
        if self._attached:
            await self._db.write(libraries.set_works, self._library.id, self._attached)
        # An attachment that its bibliography no longer names goes, if all of them could be read.
        is_complete = bool(changed) and not self._has_unread_references
        kept = {one.path for one in walked} | self._attached.keys() if is_complete else met | self._attached.keys()
        gone = [path for path in before if path not in kept]
        if gone:
            await self._db.write(libraries.forget_files, self._library.id, gone, self._clock.now())
        did = {name: self._did[name] for name in ("read", "known", "failed", "waiting")}
        return ScanResult(files=len(kept), gone=len(gone), **did)

    def _elsewhere(self, walked: Collection[bytes], before: Iterable[bytes]) -> list[LibraryFile]:
        """Attachments that no walk meets: known from a bibliography that was read earlier, and still there."""
        root = os.path.join(self._library.path, b"")
        is_folder = self._library.kind is LibraryKind.FOLDER
        paths = [path for path in before if path not in walked and not (is_folder and path.startswith(root))]
        return [walk.file_at(path) for path in paths if os.path.exists(path)]

    def _is_references(self, path: bytes) -> bool:
        suffix = suffix_of(path)
        return suffix in REFERENCES or path.endswith(b"/" + _ZOTERO) or (suffix == CSL and path == self._library.path)

    async def _read_all(self, files: Iterable[LibraryFile], progress: Progress) -> None:
        waiting = list(files)
        total, queue = len(waiting), iter(waiting)
        done = 0

        async def work() -> None:
            nonlocal done
            for one in queue:
                await self._read(one)
                done += 1
                progress(done, total)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(_AT_ONCE):
                    group.create_task(work())
        except* LyraError as errors:
            raise innermost(errors) from None

    async def _read(self, file: LibraryFile) -> None:
        """Read one file and write what became of it."""
        parts: Sequence[LibraryPart] = ()
        if file.state is not FileState.FAILED:
            file, parts = await self._parts(file)
        if self._is_references(file.path) and file.state is not FileState.INDEXED:
            self._has_unread_references = True
        self._did[_DID[file.state] if any(one.document for one in parts) or not parts else "known"] += 1
        await self._db.write(libraries.save_file, self._library, file, parts, self._clock.now())

    async def _parts(self, file: LibraryFile) -> tuple[LibraryFile, Sequence[LibraryPart]]:
        """The file with its documents, or with the reason why there are none."""
        if file.size_bytes > self._most_bytes and not file.path.endswith(b"/" + _ZOTERO):
            reason = f"The file is larger than {self._most_mb:g} MB (library.max_file_mb)."
            return _with(file, FileState.FAILED, reason=reason), ()
        try:
            return _with(file, FileState.INDEXED), await self._documents(file)
        except InvalidParams as exc:
            is_passing = file.path.endswith(b"/" + _ZOTERO)  # Zotero may be writing
            return _with(file, FileState.WAITING if is_passing else FileState.FAILED, exc.message), ()
        except ModelError as exc:
            return _with(file, FileState.WAITING, exc.message), ()
        except walk.FileChangedWhileRead:
            return _with(file, FileState.WAITING, reason="The file changes while it is read."), ()
        except OSError as exc:
            return _with(file, FileState.FAILED, reason=f"The file cannot be opened: {exc.strerror}."), ()

    async def _documents(self, file: LibraryFile) -> Sequence[LibraryPart]:
        if file.path.endswith(b"/" + _ZOTERO):
            folder = Path(os.fsdecode(os.path.dirname(file.path)))
            return self._entries(file, await asyncio.to_thread(zotero.read_works, folder))
        body = await asyncio.to_thread(walk.read_stable, file.path, self._most_bytes)
        suffix = suffix_of(file.path)
        if self._is_references(file.path):
            return self._entries(file, await self._reader.read_works(body, suffix))
        if suffix == MAIL_BOX:
            return await self._messages(file, body)
        return [await self._part(file, body, place=0, length=None)]

    def _entries(self, file: LibraryFile, works: Sequence[CitedWork]) -> Sequence[LibraryPart]:
        """The entries of a bibliography; what is attached to them is read afterwards."""
        folder = os.path.dirname(file.path)
        for one in works:
            work = entry_work(one)
            for name in one.files if work else ():
                path = os.path.normpath(os.path.join(folder, os.fsencode(os.path.expanduser(name))))
                if work and suffix_of(path) in CONTENT_TYPES:
                    self._attached[path] = work
        documents = {made.content_hash: made for one in works if not one.is_broken for made in [entry_document(one)]}
        return [LibraryPart(one.content_hash, one, place) for place, one in enumerate(documents.values())]

    async def _messages(self, file: LibraryFile, body: bytes) -> Sequence[LibraryPart]:
        found = []
        for place, length in walk.split_mailbox(body):
            with contextlib.suppress(InvalidParams):  # one broken message costs no other
                found.append(await self._part(file, body[place : place + length], place=place, length=length))
        if not found:
            raise InvalidParams("The mailbox has no message that can be read.")
        return found

    async def _part(self, file: LibraryFile, body: bytes, *, place: int, length: int | None) -> LibraryPart:
        content_hash = await asyncio.to_thread(bytes_hash, body)
        if await self._db.read(libraries.known_hashes, [content_hash]):
            return LibraryPart(content_hash, None, place, length)
        name = shown_path(os.path.basename(file.path))
        content_type = CONTENT_TYPES[suffix_of(file.path)]
        address = document_url(content_hash[:16], self._library.name, name)
        document = await self._reader.read(body, content_type=content_type, url=address)
        if not document.text:
            raise InvalidParams(document.remarks[0] if document.remarks else "The file has no text.")
        return LibraryPart(content_hash, library_document(document, content_hash, content_type, name), place, length)


_DID = {FileState.INDEXED: "read", FileState.WAITING: "waiting", FileState.FAILED: "failed"}


def _is_to_read(found: LibraryFile, known: LibraryFile | None, *, retries_failed: bool) -> bool:
    """Whether a file is new, was changed, or is to be tried again."""
    if known is None or known.state is FileState.WAITING:
        return True
    if known.state is FileState.FAILED and retries_failed:
        return True
    if found.state is FileState.FAILED:
        return known.reason != found.reason
    return (found.size_bytes, found.mtime_ns) != (known.size_bytes, known.mtime_ns)


def _with(file: LibraryFile, state: FileState, reason: str | None = None) -> LibraryFile:
    return LibraryFile(file.path, file.size_bytes, file.mtime_ns, state, reason)
