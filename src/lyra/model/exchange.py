"""An exchange: one request and what came back for it, as the wire saw it and as the archive keeps it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from lyra.model.page import FetchOutcome


class Truncation(StrEnum):
    """Why a body is not whole, in the words of WARC 1.1 (`WARC-Truncated`)."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer. Without an answer `status_code` is None and `failure` says why.

    `body` is decoded (no gzip or brotli); `truncation` says that it is only the beginning. `is_switched`: the address
    that answered is not of the family (IPv6, IPv4) that was tried first.
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
    """Where a capture lies: paths below the archive directory. `resources` is CDXJ, `har` is HAR 1.2."""

    record_id: str
    resources: str
    har: str
    screenshot: str | None = None
