"""A search: what the client asked for, its state, the queries that were sent, and what engines answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SearchStatus(StrEnum):
    RUNNING = "running"
    SATISFIED = "satisfied"
    PARTIAL = "partial"
    EXHAUSTED = "exhausted"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SearchPhase(StrEnum):
    """Where a search is, as clients and the database see it; each phase comes after those above it."""

    QUEUED = "queued"
    DISCOVER = "discover"
    IDENTIFY = "identify"
    READ_PAPERS = "read papers"
    READ_RECORDS = "read records of registries"
    RANK = "rank"
    FETCH = "fetch"
    READ_NAMED_PAPERS = "read papers named in pages"
    COMPARE = "compare with the past"
    ASSESS = "assess"
    DONE = "done"
    PAUSED = "paused"


class Source(StrEnum):
    """Where a search may look."""

    WEB = "web"
    ACADEMIC = "academic"
    LIBRARY = "library"
    REGISTRIES = "registries"


class Vertical(StrEnum):
    """A kind of question with fixed queries of its own."""

    COMPANIES = "companies"
    INFRASTRUCTURE = "infrastructure"
    ACADEMIC = "academic"
    POLICY = "policy"
    PEOPLE = "people"
    DEFENCE = "defence"
    PATENTS = "patents"


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The client's options of one search; `None` leaves the choice to Lyra."""

    engines: tuple[str, ...] | None = None
    sources: tuple[Source, ...] | None = None
    max_pages: int | None = None
    seek_primary: bool = False
    refute: bool = False
    claim_ids: tuple[str, ...] = ()
    auth_priority: str | None = None
    vertical: Vertical | None = None

    @property
    def is_local(self) -> bool:
        """Whether only the user's own documents are searched: then nothing is asked of any network."""
        return self.sources is not None and set(self.sources) == {Source.LIBRARY}


@dataclass(frozen=True, slots=True)
class Search:
    """A row of `queries`: one search of a task with its metrics so far.

    One that a recheck makes belongs to its run, `recheck_id`, and repeats the search `repeats_id`.
    """

    id: str
    task_id: str
    query: str
    options: SearchOptions
    status: SearchStatus
    created_at: datetime
    reason: str | None = None
    phase: SearchPhase = SearchPhase.QUEUED
    pages_fetched: int = 0
    useful_fragments: int = 0
    harvest_rate: float = 0.0
    satisfaction_score: float = 0.0
    novelty_score: float | None = None
    independent_sources: int = 0
    has_primary_source: bool = False
    started_at: datetime | None = None
    finished_at: datetime | None = None
    error_code: str | None = None
    retry_at: datetime | None = None
    error_remedy: str | None = None
    is_retryable: bool | None = None
    recheck_id: str | None = None
    repeats_id: str | None = None


@dataclass(frozen=True, slots=True)
class SearchTally:
    """What a search has come to, counted in the graph: pages fetched; pages read (fetched, reused or by abstract); and
    the fragments of these that gave a claim or a stance. A page and a fragment count once."""

    pages_fetched: int
    pages_read: int
    useful_fragments: int


class SearchOutcome(StrEnum):
    """What became of a request to an engine or API; the four are never confused."""

    RESULTS = "results"
    EMPTY = "empty"
    BLOCKED = "blocked"
    FAILED = "failed"

    @property
    def is_answer(self) -> bool:
        """Whether it was answered at all, be it with nothing."""
        return self in (SearchOutcome.RESULTS, SearchOutcome.EMPTY)


# In the reason of a page that was given up; why the process ended follows in brackets.
READER_ENDED = "the process that reads it ended twice"


@dataclass(frozen=True, slots=True)
class SearchProblem:
    """What a search could not do: a source without an answer, or, where `outcome` is none, a page that was not read.
    `key_setting` is the setting that lacks the key for want of which a source was not asked."""

    subject: str
    outcome: SearchOutcome | None
    reason: str | None
    key_setting: str | None = None

    @property
    def is_given_up(self) -> bool:
        """Whether it is a page that ended the process which reads it, and is not tried again."""
        return self.outcome is None and READER_ENDED in (self.reason or "")


@dataclass(frozen=True, slots=True)
class PartlyJudged:
    """A page too long to be judged whole: how many of its pairs with hypotheses were, and how many there are."""

    url: str
    judged: int
    wanted: int


@dataclass(frozen=True, slots=True)
class SerpItem:
    """One result of one engine, in the one schema of SPEC §4."""

    title: str
    url: str
    snippet: str
    engine: str
    rank: int
    date: str | None = None
    source_tag: str | None = None


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """An engine's answer to one query: results, or the reason why there are none.

    `challenge` names what only a person can get past at `url`; `record_id` is the page in the archive;
    `is_unavailable` says that this machine lacks the means to ask, `is_unreachable` that no connection came about.
    """

    engine: str
    query: str
    outcome: SearchOutcome
    items: tuple[SerpItem, ...] = ()
    reason: str | None = None
    retry_after_s: float | None = None
    challenge: str | None = None
    url: str | None = None
    record_id: str | None = None
    is_unavailable: bool = False
    is_unreachable: bool = False


class CandidateState(StrEnum):
    """How far a found address has come."""

    PENDING = "pending"
    FETCHED = "fetched"
    REUSED = "reused"
    ABSTRACT = "abstract"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    FAILED = "failed"

    @property
    def is_read(self) -> bool:
        """Whether its page was read: fetched, reused or by its abstract."""
        return self in (CandidateState.FETCHED, CandidateState.REUSED, CandidateState.ABSTRACT)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An address found by a search, waiting to be fetched or done with."""

    id: str
    search_id: str
    url: str
    title: str
    snippet: str
    engine: str
    rank: int
    state: CandidateState = CandidateState.PENDING
    score: float = 0.0
    reason: str | None = None
    page_id: str | None = None
    referer: str | None = None
    derived_query: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class SentQuery:
    """A row of `derived_queries`: `rule` made it of `parent`; `why` says what spoke for asking it."""

    id: str
    search_id: str
    text: str
    parent: str
    rule: str
    family: str
    created_at: datetime
    page: int = 1
    category: str = "general"
    engines: tuple[str, ...] = ()
    results: int = 0
    new_results: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class PageYield:
    """Pages that were read for something, and how many of them gave evidence."""

    read: int = 0
    useful: int = 0
