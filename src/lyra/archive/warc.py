"""The archive: WARC files to which every exchange is appended so that a crash harms nothing written before it."""

import asyncio
import errno
import io
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lyra.archive.records import pair, warcinfo
from lyra.archive.redact import redacted
from lyra.clock import Clock
from lyra.errors import DiskFull, StorageError
from lyra.ids import new_id
from lyra.model.exchange import Exchange
from lyra.model.page import ArchiveRef

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

_ROTATE_BYTES = 256_000_000
Headers = tuple[tuple[str, str], ...]


class WarcArchive:
    """One file a process and day below `directory`: processes never share a file, so none can tear another's."""

    def __init__(
        self, directory: Path, clock: Clock, *, secrets: Sequence[str] = (), rotate_bytes: int = _ROTATE_BYTES
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._secrets = tuple(secrets)
        self._rotate_bytes = rotate_bytes
        self._lock = threading.Lock()
        self._file: BinaryIO | None = None
        self._path = Path()
        self._day = ""

    async def store(self, exchange: Exchange) -> ArchiveRef:
        """Append an exchange that has an answer. Raises DiskFull or StorageError, and then nothing was written."""
        return await asyncio.to_thread(self._store, exchange)

    async def read(self, ref: ArchiveRef) -> tuple[Headers, bytes]:
        """Headers and body of a stored answer. Raises StorageError where the record is missing, torn or another one."""
        return await asyncio.to_thread(self._read, ref)

    async def close(self) -> None:
        """Close the file under way; a later `store` begins a new one."""
        await asyncio.to_thread(self._end_file)

    def _store(self, exchange: Exchange) -> ArchiveRef:
        record_id, response, request = pair(redacted(exchange, self._secrets))
        with self._lock, translated(self._directory):
            file = self._current_file()
            offset = _append(file, response + request)
            path = self._path.relative_to(self._directory).as_posix()
            return ArchiveRef(path, offset, len(response), record_id)

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
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"lyra-{day}-{os.getpid()}-{new_id('w')}.warc.gz"
        file = path.open("xb", buffering=0)
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

    def _read(self, ref: ArchiveRef) -> tuple[Headers, bytes]:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        path = (self._directory / ref.path).resolve()
        if not path.is_relative_to(self._directory.resolve()):
            raise _unreadable(ref, "it lies outside the archive")
        try:
            with path.open("rb") as file:
                file.seek(ref.offset)
                member = file.read(ref.length)
            record = next(ArchiveIterator(io.BytesIO(member), check_digests="raise"), None)
            if record is None:
                raise _unreadable(ref, "the file ends before it")
            return _contents(record, ref)
        except (OSError, EOFError, ArchiveLoadFailed) as exc:
            raise _unreadable(ref, str(exc) or type(exc).__name__) from exc


def _contents(record: "ArcWarcRecord", ref: ArchiveRef) -> tuple[Headers, bytes]:
    if record.rec_headers.get_header("WARC-Record-ID") != ref.record_id:
        raise _unreadable(ref, "another record stands at its place")
    body = record.raw_stream.read()
    headers = record.http_headers.headers if record.http_headers else ()
    return tuple((str(name), str(value)) for name, value in headers), body


def _append(file: BinaryIO, data: bytes) -> int:
    """Write all of `data` at the end, or nothing: what a full disk let through is taken back."""
    offset = file.seek(0, os.SEEK_END)
    try:
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
    except OSError:
        file.truncate(offset)
        raise
    return offset


def _unreadable(ref: ArchiveRef, why: str) -> StorageError:
    return StorageError(
        f"The archived record {ref.record_id} in {ref.path} cannot be read: {why}.",
        remedy="Restore the archive from a backup, or fetch the page again.",
    )


@contextmanager
def translated(directory: Path) -> Iterator[None]:
    """Raise what the file system says as a typed error that says what to do."""
    try:
        yield
    except OSError as exc:
        if exc.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"The disk that holds the archive {directory} is full; nothing was half-written.",
                remedy="Free some space, then try again.",
            ) from exc
        raise StorageError(
            f"The archive {directory} cannot be written: {exc.strerror or exc}.",
            remedy="Make the directory writable for this user, or choose another with LYRA_DATA_DIR.",
        ) from exc
