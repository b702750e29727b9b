"""An exchange as WARC 1.1 records: what was sent, what came back, and what the archive changed about it."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lyra import __version__
from lyra.model.exchange import Exchange

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord
    from warcio.warcwriter import WARCWriter

# Of a body that was cut off (endless, too slow, too large) only the beginning is worth keeping.
_KEPT_OF_TRUNCATED = 65_536
# The client has already undone these, so the archived body is the decoded one; the original header keeps its
# value under the name that other archives use.
_UNDONE = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_ORIGINAL = "X-Archive-Orig-"


def pair(exchange: Exchange) -> tuple[str, bytes, bytes]:
    """Id of the response record, and response and request as one gzip member each."""
    response = _response(exchange)
    request = _request(exchange)
    record_id = str(response.rec_headers.get_header("WARC-Record-ID"))
    request.rec_headers.add_header("WARC-Concurrent-To", record_id)
    return record_id, _member(response), _member(request)


def _response(exchange: Exchange) -> "ArcWarcRecord":
    from warcio.statusandheaders import StatusAndHeaders

    body = exchange.body[:_KEPT_OF_TRUNCATED] if exchange.truncation else exchange.body
    headers = [(_ORIGINAL + n if n.lower() in _UNDONE else n, v) for n, v in _written(exchange.headers)]
    headers.append(("Content-Length", str(len(body))))
    status = f"{exchange.status_code} {_ascii(exchange.status_text)}".strip()
    record = _record(exchange, "response", body, StatusAndHeaders(status, headers, protocol="HTTP/1.1"))
    if exchange.ip_address:
        record.rec_headers.add_header("WARC-IP-Address", exchange.ip_address)
    if exchange.truncation:
        record.rec_headers.add_header("WARC-Truncated", exchange.truncation.value)
    return record


def _request(exchange: Exchange) -> "ArcWarcRecord":
    from warcio.statusandheaders import StatusAndHeaders

    parts = urlsplit(exchange.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    line = StatusAndHeaders(
        f"{exchange.method} {target} HTTP/1.1", _written(exchange.request_headers), is_http_request=True
    )
    return _record(exchange, "request", exchange.request_body, line)


def _record(exchange: Exchange, kind: str, body: bytes, head: object) -> "ArcWarcRecord":
    moment = exchange.started_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return _writer(io.BytesIO()).create_warc_record(
        exchange.url,
        kind,
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=head,
        warc_headers_dict={"WARC-Date": moment},
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
