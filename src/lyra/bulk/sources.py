"""What a collection holds: its documents as places in files, and their bytes when they are wanted.

A file is a document; a WARC file holds many, each at its offset. Names and order are the same on every machine.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from lyra.bulk.files import StoredFile, is_local, list_files, open_file, path_of, public_address
from lyra.errors import DocumentUnavailable, InvalidParams, StorageError
from lyra.extract.reader import CONTENT_TYPES
from lyra.ids import bytes_hash
from lyra.media import MediaKind, declared_kind
from lyra.urls import canonical, is_web_url, registrable_domain

if TYPE_CHECKING:
    from warcio.recordloader import ArcWarcRecord

_WARC = (".warc", ".warc.gz")
_PAGE_RECORDS = ("response", "resource", "conversion")
_READABLE = (MediaKind.HTML, MediaKind.PDF, MediaKind.TEXT, None)
_OK = "200"
_DIGITS = 15  # offsets are sorted as text


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a document is: its file, and of a WARC the offset of its record."""

    address: str
    offset: int | None
    version: str

    @property
    def key(self) -> str:
        """Names the document in this version; documents sort by it in the order of their collection."""
        at = "" if self.offset is None else f"{self.offset:0{_DIGITS}d}"
        return f"{public_address(self.address)}#{at}@{self.version}"


@dataclass(frozen=True, slots=True)
class RawDocument:
    """The bytes of a document with what is known of them besides."""

    url: str
    domain: str
    body: bytes
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime

    @property
    def content_type(self) -> str | None:
        return next((value for name, value in self.headers if name.lower() == "content-type"), None)


def listed(sources: Sequence[str]) -> list[StoredFile]:
    """The files of all sources, each once, in the order of their addresses."""
    found = {one.address: one for source in sources for one in list_files(source)}
    return [found[address] for address in sorted(found)]


def is_warc(address: str) -> bool:
    return public_address(address).lower().endswith(_WARC)


def places_in(file: StoredFile) -> Iterator[Place]:
    """The documents of a file. Raises DocumentUnavailable where it is a WARC that breaks off, after those before it."""
    if not is_warc(file.address):
        yield Place(file.address, None, file.version)
        return
    from warcio.archiveiterator import ArchiveIterator

    with _translated(), open_file(file.address) as stream:
        records = ArchiveIterator(stream)
        for record in records:
            if _is_page(record):
                yield Place(file.address, records.get_record_offset(), file.version)


def read_places(places: Sequence[Place], max_bytes: int) -> Iterator[tuple[Place, RawDocument | Exception]]:
    """Each document's bytes, or why there are none: StorageError, or InvalidParams where it can never be read."""
    for place in places:
        try:
            yield place, read_place(place, max_bytes)
        except (StorageError, InvalidParams) as exc:
            yield place, exc


def read_place(place: Place, max_bytes: int) -> RawDocument:
    """The bytes of one document. Raises DocumentUnavailable, or InvalidParams where it is too large."""
    with _translated(), open_file(place.address) as stream:
        return _read_file(place, stream, max_bytes) if place.offset is None else _read_record(place, stream, max_bytes)


def _read_file(place: Place, stream: BinaryIO, max_bytes: int) -> RawDocument:
    body = _limited(stream, max_bytes)
    if is_local(place.address):
        known = path_of(place.address).stat()
        if place.version != f"{known.st_size}-{known.st_mtime_ns}":
            raise DocumentUnavailable("It changed while it was read.")
    url, (_, _, modified_ns) = public_address(place.address), place.version.rpartition("-")
    suffix = f".{url.rpartition('.')[2].lower()}"
    headers = (("Content-Type", CONTENT_TYPES[suffix]),) if suffix in CONTENT_TYPES else ()
    moment = datetime.fromtimestamp(int(modified_ns) // 10**9, UTC)
    return RawDocument(url, f"sha256:{bytes_hash(body)[:16]}", body, headers, moment)


def _read_record(place: Place, stream: BinaryIO, max_bytes: int) -> RawDocument:
    from warcio.archiveiterator import ArchiveIterator

    stream.seek(place.offset or 0)
    record = next(ArchiveIterator(stream), None)
    if record is None:
        raise DocumentUnavailable("The file ends before the record.")
    head, answer = record.rec_headers, record.http_headers
    url = canonical(str(head.get_header("WARC-Target-URI")))
    body = _limited(record.content_stream(), max_bytes)
    headers = tuple((str(name), str(value)) for name, value in answer.headers) if answer else ()
    headers = headers or (("Content-Type", str(head.get_header("Content-Type") or "")),)
    moment = datetime.fromisoformat(str(head.get_header("WARC-Date")))
    return RawDocument(url, registrable_domain(url), body, headers, moment)


def _limited(stream: BinaryIO, max_bytes: int) -> bytes:
    body = stream.read(max_bytes + 1)
    if len(body) > max_bytes:
        raise InvalidParams(
            f"It is larger than {max_bytes / 1e6:g} MB (network.max_body_bytes).",
            remedy="Raise the setting network.max_body_bytes.",
        )
    return bytes(body)


def _is_page(record: "ArcWarcRecord") -> bool:
    """Whether a record may be a page: an answer with a body of a kind that is read, under an address of the web."""
    url = str(record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
    if record.rec_type not in _PAGE_RECORDS or not is_web_url(url) or urlsplit(url).path == "/robots.txt":
        return False
    answer = record.http_headers
    if answer is not None and answer.get_statuscode() != _OK:
        return False
    media_type = answer.get_header("Content-Type") if answer else record.rec_headers.get_header("Content-Type")
    return declared_kind(media_type) in _READABLE


@contextmanager
def _translated() -> Iterator[None]:
    """What files, stores and warcio say of a document that cannot be opened, as DocumentUnavailable."""
    from warcio.exceptions import ArchiveLoadFailed

    try:
        yield
    except (OSError, EOFError, ValueError, AttributeError, ArchiveLoadFailed) as exc:
        reason = (str(exc) or type(exc).__name__).strip().splitlines()[0][:300].rstrip(".")
        raise DocumentUnavailable(f"It cannot be opened: {reason}.") from exc
