"""WARC 1.1 records: an exchange to its records, and records read back from their bytes."""

import base64
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lyra import __version__
from lyra.archive.cdxj import url_key
from lyra.charset import media_type_of
from lyra.clock import exact_stamp
from lyra.errors import StorageError
from lyra.model.archive import ArchivedRecord, Exchange, RecordKind
from lyra.model.page import ArchiveRef

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

# Of a body that was cut off (endless, too slow, too large) only the beginning is worth keeping.
_KEPT_OF_TRUNCATED = 65_536
# The client has already undone these, so the archived body is the decoded one; the original header keeps its
# value under the name that other archives use.
_UNDONE = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_ORIGINAL = "X-Archive-Orig-"
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class RecordPair:
    """An exchange as two gzip members; the answer is the one that is referred to."""

    record_id: str
    kind: RecordKind
    digest: str
    response: bytes
    request: bytes


def make_record_pair(exchange: Exchange, origin: ArchivedRecord | None = None) -> RecordPair:
    """Response and request. With `origin`, an earlier answer with the same body, only what differs is written."""
    body = archived_body(exchange)
    digest = payload_digest(body) if origin is None else origin.digest or payload_digest(body)
    response = _response(exchange, body) if origin is None else _revisit(exchange, origin, digest)
    request = _request(exchange)
    record_id = str(response.rec_headers.get_header("WARC-Record-ID"))
    request.rec_headers.add_header("WARC-Concurrent-To", record_id)
    kind = RecordKind.RESPONSE if origin is None else RecordKind.REVISIT
    return RecordPair(record_id, kind, digest, _gzip_member(response), _gzip_member(request))


def archived_body(exchange: Exchange) -> bytes:
    """The part of the body that is archived."""
    return exchange.body[:_KEPT_OF_TRUNCATED] if exchange.truncation else exchange.body


def payload_digest(body: bytes) -> str:
    """As WARC files of all makers write it: SHA-1 in base 32. It finds copies; it is no seal."""
    return f"sha1:{base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode('ascii')}"


def make_conversion(url: str, html: bytes, refers_to: str, moment: datetime) -> tuple[str, bytes]:
    """Id and gzip member of the page as a browser had built it, as a conversion of the record that answered."""
    return _without_exchange("conversion", url, html, "text/html; charset=utf-8", moment, {"WARC-Refers-To": refers_to})


def make_resource(url: str, body: bytes, media_type: str, moment: datetime) -> tuple[str, bytes]:
    """Id and gzip member of a document that no request brought, such as a file."""
    return _without_exchange(_RESOURCE, url, body, media_type, moment, {})


def _without_exchange(
    kind: str, url: str, body: bytes, media_type: str, moment: datetime, besides: dict[str, str]
) -> tuple[str, bytes]:
    record = _writer(io.BytesIO()).create_warc_record(
        url,
        kind,
        payload=io.BytesIO(body),
        length=len(body),
        warc_content_type=media_type,
        warc_headers_dict={"WARC-Date": exact_stamp(moment), **besides},
    )
    return str(record.rec_headers.get_header("WARC-Record-ID")), _gzip_member(record)


def _response(exchange: Exchange, body: bytes) -> "ArcWarcRecord":
    return _answered(_record(exchange, "response", body, _head(exchange, len(body))), exchange)


def _revisit(exchange: Exchange, origin: ArchivedRecord, digest: str) -> "ArcWarcRecord":
    is_not_modified = exchange.status_code == _NOT_MODIFIED
    record = _record(exchange, "revisit", b"", _head(exchange, 0 if is_not_modified else len(exchange.body)))
    for name, value in (
        ("WARC-Profile", _PROFILE + ("server-not-modified" if is_not_modified else "identical-payload-digest")),
        ("WARC-Refers-To", origin.ref.record_id),
        ("WARC-Refers-To-Target-URI", origin.url),
        ("WARC-Refers-To-Date", exact_stamp(origin.archived_at)),
        ("WARC-Payload-Digest", digest),
    ):
        record.rec_headers.add_header(name, value)
    return _answered(record, exchange)


def _answered(record: "ArcWarcRecord", exchange: Exchange) -> "ArcWarcRecord":
    if exchange.ip_address:
        record.rec_headers.add_header("WARC-IP-Address", exchange.ip_address)
    if exchange.truncation:
        record.rec_headers.add_header("WARC-Truncated", exchange.truncation.value)
    return record


def _head(exchange: Exchange, body_bytes: int) -> "StatusAndHeaders":
    from warcio.statusandheaders import StatusAndHeaders

    headers = [(_ORIGINAL + n if n.lower() in _UNDONE else n, v) for n, v in _written(exchange.headers)]
    headers.append(("Content-Length", str(body_bytes)))
    status = f"{exchange.status_code} {_ascii(exchange.status_text)}".strip()
    return StatusAndHeaders(status, headers, protocol="HTTP/1.1")


def _request(exchange: Exchange) -> "ArcWarcRecord":
    from warcio.statusandheaders import StatusAndHeaders

    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    line = StatusAndHeaders(
        f"{exchange.method} {target} HTTP/1.1", _written(exchange.request_headers), is_http_request=True
    )
    return _record(exchange, "request", exchange.request_body, line)


def _record(exchange: Exchange, kind: str, body: bytes, head: object) -> "ArcWarcRecord":
    return _writer(io.BytesIO()).create_warc_record(
        exchange.url,
        kind,
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=head,
        warc_headers_dict={"WARC-Date": exact_stamp(exchange.started_at)},
    )


def make_copy(contents: "RecordContents", url: str, headers: Sequence[tuple[str, str]]) -> bytes:
    """The gzip member of a record that stands alone: same id, moment and body, with this address and these headers of
    the answer. A revisit becomes the whole answer."""
    from warcio.statusandheaders import StatusAndHeaders

    entry = contents.entry
    own = {"WARC-Record-ID": entry.ref.record_id, "WARC-Date": exact_stamp(entry.archived_at)}
    if entry.kind in (RecordKind.CONVERSION, RecordKind.RESOURCE):
        media_type = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
        own |= {"WARC-Refers-To": entry.refers_to} if entry.refers_to else {}
        options: dict[str, object] = {"warc_content_type": media_type}
        kind = entry.kind.value
    else:
        kept = [(name, value) for name, value in _written(headers) if name.lower() != "content-length"]
        kept.append(("Content-Length", str(len(contents.body))))
        status = "200 OK" if entry.status_code == _NOT_MODIFIED else str(entry.status_code)
        options = {"http_headers": StatusAndHeaders(status, kept, protocol="HTTP/1.1")}
        kind = "response"
    record = _writer(io.BytesIO()).create_warc_record(
        url, kind, payload=io.BytesIO(contents.body), length=len(contents.body), warc_headers_dict=own, **options
    )
    return _gzip_member(record)


def warcinfo(name: str) -> bytes:
    """The first record of a file: who wrote it."""
    fields = {"software": f"lyra-mcp/{__version__}", "format": "WARC File Format 1.1"}
    return _gzip_member(_writer(io.BytesIO()).create_warcinfo_record(name, fields))


def _gzip_member(record: "ArcWarcRecord") -> bytes:
    out = io.BytesIO()
    _writer(out).write_record(record)
    return out.getvalue()


def _writer(out: io.BytesIO) -> "WARCWriter":
    from warcio.warcwriter import WARCWriter

    return WARCWriter(out, gzip=True, warc_version="1.1")


def _written(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(_ascii(name), _ascii(value)) for name, value in headers]


def _ascii(text: str) -> str:
    """One line of ASCII, as an HTTP head must be; other characters are percent-encoded."""
    return "".join(char if char.isascii() else quote(char) for char in " ".join(text.splitlines()))


if TYPE_CHECKING:
    from warcio.archiveiterator import ArchiveIterator
    from warcio.recordloader import ArcWarcRecord

Headers = tuple[tuple[str, str], ...]
# A header may be of any length; no media type is.
MEDIA_TYPE_CHARS = 100
# A document that no request brought stands in the index as an answer without a status.
_RESOURCE = "resource"
_INDEXED = {kind.value: kind for kind in RecordKind}


@dataclass(frozen=True, slots=True)
class RecordContents:
    """A record as it is in the file; a revisit has no body of its own."""

    entry: ArchivedRecord
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record of a file, checked. `entry` is set for what the index knows; `problems` are wrong digests.

    `is_cut_off`: the file ends, or is damaged, before the record's gzip member has come to its end.
    """

    record_id: str
    kind: str
    offset: int
    length: int
    concurrent_to: str | None
    entry: ArchivedRecord | None
    problems: tuple[str, ...]
    names_referer: bool = False
    is_cut_off: bool = False


# What warcio 1.8 and we ourselves make of headers that are missing or say nothing sensible.
_SENSELESS = (ValueError, AttributeError)
_CUT_OFF = "it is damaged: the end of it is missing"


def read_record(directory: Path, ref: ArchiveRef) -> RecordContents:
    """The record at its place. Raises StorageError where it is missing, torn, changed or another one."""
    path = (directory / ref.path).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise unreadable_record(ref, "it is outside the archive")
    try:
        with path.open("rb") as file:
            file.seek(ref.offset)
            member = file.read(ref.length)
    except OSError as exc:
        raise unreadable_record(ref, str(exc) or type(exc).__name__) from exc
    if member and len(member) < ref.length:
        raise unreadable_record(ref, _CUT_OFF)
    return parse_record(member, ref)


def parse_record(member: bytes, ref: ArchiveRef) -> RecordContents:
    """The record that these bytes are, plain or gzipped. Raises StorageError where they are not, or another one."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.exceptions import ArchiveLoadFailed

    try:
        record = next(ArchiveIterator(io.BytesIO(member), check_digests="raise"), None)
        if record is None:
            raise unreadable_record(ref, "the file ends before it")
        return _contents(record, ref)
    except (OSError, EOFError, *_SENSELESS, ArchiveLoadFailed) as exc:
        raise unreadable_record(ref, str(exc) or type(exc).__name__) from exc


def _contents(record: "ArcWarcRecord", ref: ArchiveRef) -> RecordContents:
    if record.rec_headers.get_header("WARC-Record-ID") != ref.record_id:
        raise unreadable_record(ref, "another record is at its place")
    body = record.raw_stream.read()
    if record.raw_stream.limit:  # warcio checks the digests of whole records only
        raise unreadable_record(ref, _CUT_OFF)
    entry = _entry(record, ref)
    if entry is None:
        raise unreadable_record(ref, "it is not an answer")
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
                offset, length = records.get_record_offset(), records.get_record_length()
                yield replace(_warc_record(record, path, offset, length), is_cut_off=_is_cut_off(records))
    except (OSError, EOFError, *_SENSELESS, ArchiveLoadFailed) as exc:
        reason = (str(exc) or type(exc).__name__).strip().splitlines()[0]
        raise StorageError(f"The archive file {path} cannot be read: {reason}.") from exc


def _is_cut_off(records: "ArchiveIterator") -> bool:
    """Whether the gzip member that was just read has no end; warcio takes it as whole, and compares no digest then."""
    member = records.reader.decompressor
    return member is not None and not member.eof and not records.next_line


def _warc_record(record: "ArcWarcRecord", path: str, offset: int, length: int) -> WarcRecord:
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
        names_referer=bool(record.rec_type == "request" and record.http_headers.get_header("Referer")),
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
        kind=_INDEXED[record.rec_type],
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
