"""A page: what came over the wire, what was read from it, and what is kept."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from lyra.urls import find_arxiv_ids, find_dois, find_pmids


class FetchOutcome(StrEnum):
    """What became of one fetch. Only OK and NOT_MODIFIED carry a page; UNAVAILABLE: this machine lacks the means."""

    OK = "ok"
    NOT_MODIFIED = "not_modified"
    NOT_FOUND = "not_found"
    BLOCKED = "blocked"
    CHALLENGE = "challenge"
    ROBOTS_DENIED = "robots_denied"
    COOLING_DOWN = "cooling_down"
    REFUSED_ADDRESS = "refused_address"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    TIMED_OUT = "timed_out"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"

    @property
    def is_access_denied(self) -> bool:
        """Whether the page may well be there and we are not let in now: refused, challenged, forbidden, resting."""
        return self in (
            FetchOutcome.BLOCKED,
            FetchOutcome.CHALLENGE,
            FetchOutcome.ROBOTS_DENIED,
            FetchOutcome.COOLING_DOWN,
        )


class PageState(StrEnum):
    """What the body is; only CHALLENGE means that it is not the requested address's own content."""

    CONTENT = "content"
    EMPTY = "empty"
    NEEDS_JAVASCRIPT = "needs_javascript"
    PAYWALL = "paywall"
    SOFT_404 = "soft_404"
    CHALLENGE = "challenge"


class FetchLane(StrEnum):
    """Why something is fetched; it decides politeness, robots and the time limit."""

    PAGE = "page"
    SERP = "serp"
    API = "api"


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """One request. `gate` names what is asked gently, such as `engine:mojeek`; by default the domain.

    `rungs` names the only rungs of the ladder that may be tried, in order; None leaves the choice to the ladder.
    With `is_live_only` an archive's copy will not do. With `is_archived` false the exchange is kept nowhere: its answer
    is a secret.
    """

    url: str
    lane: FetchLane = FetchLane.PAGE
    gate: str | None = None
    method: str = "GET"
    body: bytes | None = None
    headers: tuple[tuple[str, str], ...] = ()
    referer: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    cause_id: str | None = None
    rungs: tuple[str, ...] | None = None
    is_live_only: bool = False
    is_archived: bool = True


class Getter(Protocol):
    """What engines, academic APIs and robots are given instead of an HTTP client."""

    async def __call__(self, request: FetchRequest) -> "FetchResult":
        """Fetch politely and archive; never raises for what the network does."""


@dataclass(frozen=True, slots=True)
class ArchiveRef:
    """Where the exchange is stored: WARC file below the archive directory, and the record's place in it."""

    path: str
    offset: int
    length: int
    record_id: str


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The outcome of one fetch; a blocked page is a value, not an exception. `is_partial`: the body broke off.

    `challenge` names what blocks the content (`captcha`, `login`, `cloudflare`, …), or `block` for a refusal.
    `page_state` says what the body is where it is not simply the page (`needs_javascript`, `paywall`, …). `tried` are
    the rungs that were climbed. `was_sent`: a request for the page itself went out. A copy from a public archive has
    its date in `snapshot_at` and its address in `memento_url`; `final_url` stays the page's own. `ip_version` is 4 or 6
    where Lyra itself connected, and `ip_switched` says that the family it tried first did not answer. `broken_hash` is
    of the received part of a body that broke off. `is_referred`: the last request really named where it came from.
    `is_unreachable`: no connection came about, be it for want of the host's name, the host, a proxy or the internet.
    `assets` are the records of what the page loaded in a browser.
    """

    url: str
    outcome: FetchOutcome
    final_url: str = ""
    status_code: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    rung: str = "http"
    fetched_at: datetime | None = None
    elapsed_s: float = 0.0
    reason: str | None = None
    retry_after_s: float | None = None
    archive: ArchiveRef | None = None
    is_partial: bool = False
    challenge: str | None = None
    page_state: PageState | None = None
    tried: tuple[str, ...] = ()
    was_sent: bool = True
    snapshot_at: datetime | None = None
    memento_url: str | None = None
    ip_version: int | None = None
    ip_switched: bool | None = None
    broken_hash: str | None = None
    is_referred: bool | None = None
    is_unreachable: bool = False
    assets: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """The first header of that name, whatever its case."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), None)


class FragmentType(StrEnum):
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST = "list"
    TABLE = "table"
    QUOTE = "quote"
    FIGURE = "figure"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A located piece of a document's text, before it belongs to a stored page."""

    text: str
    start: int
    end: int
    type: FragmentType = FragmentType.PARAGRAPH
    headings: tuple[Heading, ...] = ()
    element_index: int = 0
    page_number: int | None = None


@dataclass(frozen=True, slots=True)
class Identifier:
    """A scholarly identifier met in a text, address or answer: kind is doi, pmid or arxiv."""

    kind: str
    value: str


def identifiers_in(*texts: str) -> tuple[Identifier, ...]:
    """Every DOI, PMID and arXiv id in texts or addresses, in order, once."""
    found: dict[Identifier, None] = {}
    for piece in texts:
        found.update((Identifier("doi", value), None) for value in find_dois(piece))
        found.update((Identifier("pmid", value), None) for value in find_pmids(piece))
        found.update((Identifier("arxiv", value), None) for value in find_arxiv_ids(piece))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Document:
    """What was read from bytes: `text` is the whole main text without the title; passages point into it.

    `links` are the absolute addresses that the main text links to. `remarks` say what could not be read, and why.
    `is_marked_retracted`: the page's metadata calls it retracted. `site_name` is what it calls its site. `hidden` is
    what no reader of the page sees, `outside` what stands beside its main text; both are only scanned for orders to
    an AI. `needs_scripts`: it shows next to nothing and has hidden text that its scripts may show.
    """

    title: str
    text: str
    language: str
    date: str | None = None
    updated: str | None = None
    authors: tuple[str, ...] = ()
    page_type: str = "article"
    passages: tuple[Passage, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    links: tuple[str, ...] = ()
    quality: float = 1.0
    extractor: str = ""
    remarks: tuple[str, ...] = ()
    is_marked_retracted: bool = False
    site_name: str = ""
    hidden: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    needs_scripts: bool = False


# The kind of page that says of itself that it is satire: it states nothing.
SATIRE = "satire"


@dataclass(frozen=True, slots=True)
class PageNotice:
    """What a page says about itself: that it was retracted (or reinstated since), that it was corrected; with dates."""

    retraction: str = ""
    retracted_on: str | None = None
    is_corrected: bool = False
    corrected_on: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A stored page. Global: reused by other tasks. `notice` and `site_name` are None where nobody looked for them."""

    id: str
    url: str
    domain: str
    title: str
    language: str
    fetched_at: datetime
    final_url: str = ""
    date: str | None = None
    updated: str | None = None
    authors: tuple[str, ...] = ()
    page_type: str = "article"
    content_hash: str = ""
    etag: str | None = None
    last_modified: str | None = None
    archive: ArchiveRef | None = None
    work_id: str | None = None
    quality: float = 1.0
    text: str = ""
    extractor: str = ""
    notice: PageNotice | None = None
    site_name: str | None = None


@dataclass(frozen=True, slots=True)
class PageHead:
    """What rules ask of a page that was read, beside its text; `address` is where it was read, after redirects."""

    id: str
    address: str
    title: str
    date: str | None
    page_type: str
    site_name: str
    authors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stored passage: the exact words, their headings, and where they are in the page's text."""

    id: str
    page_id: str
    text_content: str
    fragment_type: FragmentType
    heading_context: str
    heading_hierarchy: tuple[Heading, ...]
    element_index: int
    position: int
    char_start: int
    char_end: int
    text_hash: str
    language: str
    page_number: int | None = None
    near_duplicate_of: str | None = None


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page with its fragments in reading order."""

    page: Page
    fragments: tuple[Fragment, ...] = field(default=())


class GroupKind(StrEnum):
    """Why: one story in one wording, citations in a circle, or a page that cites nobody but its own publisher."""

    NARRATIVE = "narrative"
    LOOP = "loop"
    SELF_REFERENCE = "self_reference"


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Page ids with the reason; the pages of a loop count as one source, and those of each story of a narrative.

    `stories` are the pages that tell one text, for each such text of a narrative; a page may be in several.
    """

    kind: GroupKind
    pages: frozenset[str]
    stories: tuple[frozenset[str], ...] = ()
