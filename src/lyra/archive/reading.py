"""WARC records back from their bytes: one by its place, all of a file in order, each as an entry of the index."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lyra.archive.cdxj import url_key
from lyra.charset import media_type_of
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord, RecordKind
from lyra.model.page import ArchiveRef

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

Headers = tuple[tuple[str, str], ...]
# A header may be of any length; no media type is.
MEDIA_TYPE_CHARS = 100
_INDEXED = frozenset(kind.value for kind in RecordKind)


@dataclass(frozen=True, slots=True)
class RecordContents:
    """A record as it stands in the file; a revisit has no body of its own."""

    entry: ArchivedRecord
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record of a file, checked. `entry` is set for what the index knows; `problems` are wrong digests."""

    record_id: str
    kind: str
    offset: int
    length: int
    concurrent_to: str | None
    entry: ArchivedRecord | None
    problems: tuple[str, ...]


def read_record(directory: Path, ref: ArchiveRef) -> RecordContents:
    """The record at its place. Raises StorageError where it is missing, torn, changed or another one."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    path = (directory / ref.path).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise unreadable_record(ref, "it lies outside the archive")
    try:
        with path.open("rb") as file:
            file.seek(ref.offset)
            member = file.read(ref.length)
        record = next(ArchiveIterator(io.BytesIO(member), check_digests="raise"), None)
        if record is None:
            raise unreadable_record(ref, "the file ends before it")
        return _contents(record, ref)
    except (OSError, EOFError, ArchiveLoadFailed) as exc:
        raise unreadable_record(ref, str(exc) or type(exc).__name__) from exc


def _contents(record: "ArcWarcRecord", ref: ArchiveRef) -> RecordContents:
    if record.rec_headers.get_header("WARC-Record-ID") != ref.record_id:
        raise unreadable_record(ref, "another record stands at its place")
    body = record.raw_stream.read()
    entry = _entry(record, ref)
    if entry is None:
        raise unreadable_record(ref, "it is no answer")
    if record.http_headers is None:
        return RecordContents(
            entry, (("Content-Type", str(record.rec_headers.get_header("Content-Type") or "")),), body
        )
    return RecordContents(entry, tuple((str(name), str(value)) for name, value in record.http_headers.headers), body)


def read_records(directory: Path, path: str, start: int = 0) -> Iterator[WarcRecord]:
    """The records of a file in order, its digests checked, from the one that begins at `start`.

    Raises StorageError at the first that is no record.
    """
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        with (directory / path).open("rb") as file:
            file.seek(start)
            records = ArchiveIterator(file, check_digests=True)
            for record in records:
                while record.content_stream().read(1 << 20):
                    pass
                yield _member(record, path, records.get_record_offset(), records.get_record_length())
    except (OSError, EOFError, ArchiveLoadFailed) as exc:
        reason = (str(exc) or type(exc).__name__).strip().splitlines()[0]
        raise StorageError(f"The archive file {path} cannot be read: {reason}.") from exc


def _member(record: "ArcWarcRecord", path: str, offset: int, length: int) -> WarcRecord:
    record_id = str(record.rec_headers.get_header("WARC-Record-ID"))
    is_wrong = record.digest_checker.passed is False
    return WarcRecord(
        record_id=record_id,
        kind=str(record.rec_type),
        offset=offset,
        length=length,
        concurrent_to=record.rec_headers.get_header("WARC-Concurrent-To"),
        entry=_entry(record, ArchiveRef(path, offset, length, record_id)),
        problems=tuple(map(str, record.digest_checker.problems)) if is_wrong else (),
    )


def _entry(record: "ArcWarcRecord", ref: ArchiveRef) -> ArchivedRecord | None:
    if record.rec_type not in _INDEXED:
        return None
    head, answer = record.rec_headers, record.http_headers
    url = str(head.get_header("WARC-Target-URI") or "")
    status = str(answer.get_statuscode()) if answer else ""
    media_type = answer.get_header("Content-Type") if answer else head.get_header("Content-Type")
    return ArchivedRecord(
        ref=ref,
        kind=RecordKind(record.rec_type),
        url=url,
        url_key=url_key(url),
        archived_at=datetime.fromisoformat(str(head.get_header("WARC-Date"))),
        status_code=int(status) if status.isdigit() else None,
        media_type=media_type_of(media_type)[:MEDIA_TYPE_CHARS],
        digest=head.get_header("WARC-Payload-Digest"),
        refers_to=head.get_header("WARC-Refers-To"),
    )


def unreadable_record(ref: ArchiveRef, why: str) -> StorageError:
    return StorageError(
        f"The archived record {ref.record_id} in {ref.path} cannot be read: {why}.",
        remedy="Restore the archive from a backup, or fetch the page again.",
    )
