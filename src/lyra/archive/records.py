"""An exchange as WARC 1.1 records: what was sent, what came back, and what the archive changed about it."""

import base64
import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lyra import __version__
from lyra.clock import exact_stamp
from lyra.model.archive import ArchivedRecord, Exchange, RecordKind

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
    return RecordPair(record_id, kind, digest, _member(response), _member(request))


def archived_body(exchange: Exchange) -> bytes:
    """The part of the body that is archived."""
    return exchange.body[:_KEPT_OF_TRUNCATED] if exchange.truncation else exchange.body


def payload_digest(body: bytes) -> str:
    """As WARC files of all makers write it: SHA-1 in base 32. It finds copies; it is no seal."""
    return f"sha1:{base64.b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode('ascii')}"


def make_conversion(url: str, html: bytes, refers_to: str, moment: datetime) -> tuple[str, bytes]:
    """Id and gzip member of the page as a browser had built it, as a conversion of the record that answered."""
    record = _writer(io.BytesIO()).create_warc_record(
        url,
        "conversion",
        payload=io.BytesIO(html),
        length=len(html),
        warc_content_type="text/html; charset=utf-8",
        warc_headers_dict={"WARC-Date": exact_stamp(moment), "WARC-Refers-To": refers_to},
    )
    return str(record.rec_headers.get_header("WARC-Record-ID")), _member(record)


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


def warcinfo(name: str) -> bytes:
    """The first record of a file: who wrote it."""
    fields = {"software": f"lyra-mcp/{__version__}", "format": "WARC File Format 1.1"}
    return _member(_writer(io.BytesIO()).create_warcinfo_record(name, fields))


def _member(record: "ArcWarcRecord") -> bytes:
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
