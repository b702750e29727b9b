"""The archive: WARC files to which every exchange is appended so that a crash harms nothing written before it."""

import asyncio
import os
import threading
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from lyra.archive.cdxj import url_key
from lyra.archive.files import recover
from lyra.archive.records import (
    MEDIA_TYPE_CHARS,
    Headers,
    RecordContents,
    archived_body,
    make_conversion,
    make_record_pair,
    make_resource,
    payload_digest,
    read_record,
    unreadable_record,
    warcinfo,
)
from lyra.charset import media_type_of
from lyra.clock import Clock
from lyra.disk import make_private_folder, open_private, write_all, writing
from lyra.ids import new_id
from lyra.model.archive import ArchivedRecord, Exchange, RecordKind
from lyra.model.page import ArchiveRef
from lyra.redact.redactor import PLAIN, Redactor
from lyra.storage import archive_index
from lyra.storage.database import Database

_ROTATE_BYTES = 256_000_000
# A smaller body costs less than the names of the record that has it already.
_WORTH_REFERRING_BYTES = 1_024
_OK, _NOT_MODIFIED = 200, 304


class WarcArchive:
    """One file a process and day below `directory`: processes never share a file, so none can tear another's.

    With a database, records are indexed and a body that is already kept is referred to instead of written again.
    """

    def __init__(
        self, directory: Path, clock: Clock, *, rotate_bytes: int = _ROTATE_BYTES,
        db: Database | None = None, redactor: Redactor = PLAIN,
    ) -> None:  # fmt: skip
        self._directory = directory
        self._clock = clock
        self._redactor = redactor
        self._rotate_bytes = rotate_bytes
        self._db = db
        self._lock = threading.Lock()
        self._recovering = asyncio.Lock()
        self._is_recovered = db is None
        self._file: BinaryIO | None = None
        self._path = Path()
        self._day = ""

    async def store(self, exchange: Exchange) -> ArchiveRef:
        """Append an exchange that has an answer. Raises DiskFull or StorageError, and then nothing was written."""
        await self._recover()
        clean = await asyncio.to_thread(redacted, exchange, self._redactor)
        return await self._enter(await asyncio.to_thread(self._store, clean, await self._origin(clean)))

    async def store_rendered(self, url: str, html: bytes, *, refers_to: ArchiveRef | str) -> ArchiveRef:
        """Append a page as a browser had built it (UTF-8); `refers_to` is the answer it was built from, or its id."""
        await self._recover()
        source = refers_to if isinstance(refers_to, str) else refers_to.record_id
        return await self._enter(await asyncio.to_thread(self._store_rendered, url, html, source))

    async def store_file(self, url: str, body: bytes, media_type: str, moment: datetime | None = None) -> ArchiveRef:
        """Append a document that no request brought, under the address that it has here, as it was at that moment."""
        await self._recover()
        moment = moment or self._clock.now()
        return await self._enter(await asyncio.to_thread(self._store_file, url, body, media_type, moment))

    async def read(self, ref: ArchiveRef) -> tuple[Headers, bytes]:
        """Headers and body of a stored answer. Raises StorageError where the record is missing, torn or another one."""
        contents = await self.contents(ref)
        return contents.headers, contents.body

    async def contents(self, ref: ArchiveRef) -> RecordContents:
        """A stored record whole; the body of a revisit is that of the answer it refers to."""
        found = await asyncio.to_thread(read_record, self._directory, ref)
        if found.entry.kind is not RecordKind.REVISIT:
            return found
        origin = await self._referred(found.entry)
        earlier = await asyncio.to_thread(read_record, self._directory, origin.ref)
        headers = earlier.headers if found.entry.status_code == _NOT_MODIFIED else found.headers
        return RecordContents(found.entry, headers, earlier.body)

    async def close(self) -> None:
        """Close the file under way; a later `store` begins a new one."""
        await asyncio.to_thread(self._end_file)

    async def _recover(self) -> None:
        """Before the first record of this process: mend what a killed one may have left half-written."""
        async with self._recovering:
            if self._db is not None and not self._is_recovered:
                mended = await asyncio.to_thread(
                    recover, self._directory, await self._db.read(archive_index.known_ends)
                )
                await self._db.write(archive_index.add, [entry for file in mended for entry in file.entries])
                self._is_recovered = True

    async def _origin(self, exchange: Exchange) -> ArchivedRecord | None:
        """The earlier record whose body this answer repeats, where there is one that can still be read."""
        if self._db is None or exchange.truncation is not None or exchange.method != "GET":
            return None
        if exchange.status_code == _NOT_MODIFIED:
            found = await self._db.read(archive_index.last_answer, exchange.url, url_key(exchange.url))
        elif exchange.status_code == _OK and len(exchange.body) >= _WORTH_REFERRING_BYTES:
            digest = await asyncio.to_thread(payload_digest, archived_body(exchange))
            found = await self._db.read(archive_index.with_digest, digest)
        else:
            return None
        return found if found and (self._directory / found.ref.path).is_file() else None

    async def _referred(self, entry: ArchivedRecord) -> ArchivedRecord:
        origin = await self._db.read(archive_index.get, entry.refers_to) if self._db and entry.refers_to else None
        if origin is None:
            raise unreadable_record(entry.ref, f"the record {entry.refers_to} that has its body is not in the index")
        return origin

    async def _enter(self, record: ArchivedRecord) -> ArchiveRef:
        if self._db is not None:
            await self._db.write(archive_index.add, [record])
        return record.ref

    def _store(self, exchange: Exchange, origin: ArchivedRecord | None) -> ArchivedRecord:
        made = make_record_pair(exchange, origin)
        path, offset = self._write(made.response + made.request)
        return ArchivedRecord(
            ref=ArchiveRef(path, offset, len(made.response), made.record_id),
            kind=made.kind,
            url=exchange.url,
            url_key=url_key(exchange.url),
            archived_at=exchange.started_at,
            status_code=exchange.status_code,
            media_type=media_type_of(exchange.header("content-type"))[:MEDIA_TYPE_CHARS],
            digest=made.digest,
            refers_to=origin.ref.record_id if origin else None,
        )

    def _store_rendered(self, url: str, html: bytes, source: str) -> ArchivedRecord:
        address, body, moment = self._redactor.url(url), self._redactor.value_bytes(html), self._clock.now()
        record_id, member = make_conversion(address, body, source, moment)
        found = self._append_alone(address, body, moment, record_id, member)
        return replace(found, kind=RecordKind.CONVERSION, media_type="text/html", refers_to=source)

    def _append_alone(self, url: str, body: bytes, moment: datetime, record_id: str, member: bytes) -> ArchivedRecord:
        """A record without a request, as the index has it."""
        path, offset = self._write(member)
        ref, digest = ArchiveRef(path, offset, len(member), record_id), payload_digest(body)
        return ArchivedRecord(ref, RecordKind.RESPONSE, url, url_key(url), moment, digest=digest)

    def _store_file(self, url: str, body: bytes, media_type: str, moment: datetime) -> ArchivedRecord:
        record_id, member = make_resource(url, body, media_type, moment)
        path, offset = self._write(member)
        return ArchivedRecord(
            ref=ArchiveRef(path, offset, len(member), record_id),
            kind=RecordKind.RESOURCE,
            url=url,
            url_key=url_key(url),
            archived_at=moment,
            media_type=media_type_of(media_type)[:MEDIA_TYPE_CHARS],
            digest=payload_digest(body),
        )

    def _write(self, members: bytes) -> tuple[str, int]:
        """Append whole records; returns the file below the directory and where in it they begin."""
        with self._lock, writing(self._directory):
            offset = _append(self._current_file(), members)
            return self._path.relative_to(self._directory).as_posix(), offset

    def _current_file(self) -> BinaryIO:
        day = self._clock.now().strftime("%Y%m%d")
        if self._file is None or day != self._day or self._file.tell() >= self._rotate_bytes:
            self._begin_file(day)
        assert self._file is not None
        return self._file

    def _begin_file(self, day: str) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        folder = self._directory / day
        make_private_folder(folder)
        path = folder / file_name(day)
        file = open_private(path, "xb")
        try:
            _append(file, warcinfo(path.name))
        except OSError:
            file.close()
            path.unlink()
            raise
        self._file, self._path, self._day = file, path, day

    def _end_file(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def file_name(day: str) -> str:
    """A name with the day and the process, and that no other file has."""
    return f"lyra-{day}-{os.getpid()}-{new_id('w')}.warc.gz"


def _append(file: BinaryIO, data: bytes) -> int:
    """Write all of `data` at the end, or nothing: what a full disk let through is taken back."""
    offset = file.seek(0, os.SEEK_END)
    try:
        write_all(file, data)
    except OSError:
        file.truncate(offset)
        raise
    return offset


def redacted(exchange: Exchange, redactor: Redactor) -> Exchange:
    """The exchange without secrets. Of the answer's body only the user's own keys, should it repeat them."""
    return replace(
        exchange,
        url=redactor.url(exchange.url),
        request_headers=redactor.headers(exchange.request_headers),
        request_body=redactor.form(exchange.request_body),
        headers=redactor.headers(exchange.headers),
        body=redactor.value_bytes(exchange.body),
    )
