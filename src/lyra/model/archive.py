"""What the archive holds: exchanges, their records in the index, browser captures, and dated copies of pages."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lyra.model.page import ArchiveRef, FetchOutcome


class Truncation(StrEnum):
    """Why a body is not whole, in the words of WARC 1.1 (`WARC-Truncated`)."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. Without an answer `status_code` is None and `failure` says why.

    `body` is decoded (no gzip or brotli); `truncation` says that it is only the beginning. `is_switched`: the address
    that answered is not of the family (IPv6, IPv4) that was tried first. `is_unreachable`: no connection came about.
    """

    url: str
    method: str
    started_at: datetime
    request_headers: tuple[tuple[str, str], ...] = ()
    request_body: bytes = b""
    status_code: int | None = None
    status_text: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    ip_address: str | None = None
    is_switched: bool = False
    elapsed_s: float = 0.0
    failure: FetchOutcome | None = None
    reason: str | None = None
    truncation: Truncation | None = None
    is_unreachable: bool = False

    def header(self, name: str) -> str | None:
        """The first header of the answer with that name, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing a browser loaded for a page; `sha256` is of its body where the browser gave it."""

    url: str
    method: str
    started_at: datetime
    status_code: int | None = None
    media_type: str = ""
    sha256: str | None = None
    bytes: int | None = None
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Capture:
    """What a browser saw of a page: a PNG of it and everything it loaded; `record_id` is the page's own record."""

    url: str
    record_id: str
    taken_at: datetime
    screenshot: bytes | None = None
    resources: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureRef:
    """Where a capture is: paths below the archive directory. `resources` is CDXJ, `har` is HAR 1.2."""

    record_id: str
    resources: str
    har: str
    screenshot: str | None = None


class RecordKind(StrEnum):
    """RESPONSE: an answer. REVISIT: an answer whose body is in an earlier one. CONVERSION: a page as rendered.
    RESOURCE: a document that no request brought, such as a file."""

    RESPONSE = "response"
    REVISIT = "revisit"
    CONVERSION = "conversion"
    RESOURCE = "resource"


@dataclass(frozen=True, slots=True)
class ArchivedRecord:
    """An entry of the index. `refers_to` is the id of the record whose body a revisit or a conversion has."""

    ref: ArchiveRef
    kind: RecordKind
    url: str
    url_key: str
    archived_at: datetime
    status_code: int | None = None
    media_type: str = ""
    digest: str | None = None
    refers_to: str | None = None


@dataclass(frozen=True, slots=True)
class RecordUse:
    """A record as retention sees it: its age, its size, and whether a claim or an edge rests on it."""

    ref: ArchiveRef
    archived_at: datetime
    refers_to: str | None
    is_evidence: bool


@dataclass(frozen=True, slots=True)
class PageVersion:
    """What is compared of a page at one moment: headings, checkable statements, its own dates, its whole text."""

    headings: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()
    date: str | None = None
    updated: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PageRevision:
    """What came and what went between an older version and the next newer one; dates where they differ."""

    headings_added: tuple[str, ...] = ()
    headings_removed: tuple[str, ...] = ()
    statements_added: tuple[str, ...] = ()
    statements_removed: tuple[str, ...] = ()
    date_before: str | None = None
    date_after: str | None = None


@dataclass(frozen=True, slots=True)
class Memento:
    """One copy. `is_copy`: the page itself could not be opened and was read from here."""

    page_id: str
    snapshot_at: datetime
    url: str
    fetched_at: datetime
    text: str = ""
    revision: PageRevision = field(default_factory=PageRevision)
    is_copy: bool = False
    record_id: str | None = None
