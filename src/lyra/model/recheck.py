"""Watching a task: how often its searches are repeated, one such run, and what it found to be different."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from lyra.model.claim import Verdict
from lyra.model.job import JobState
from lyra.model.task import Budget


class RecheckState(StrEnum):
    """How far a run is; `waiting` is one without a network, which is tried again."""

    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_ended(self) -> bool:
        return self in (RecheckState.DONE, RecheckState.FAILED)


@dataclass(frozen=True, slots=True)
class PageSnapshot:
    """A page as a report last saw it: the digest of its text, and whether it is retracted, corrected or gone."""

    version: str
    is_retracted: bool = False
    is_corrected: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How a task stood: the verdict of every claim, and the pages that speak for or against one, each by its id."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    pages: Mapping[str, PageSnapshot] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recheck:
    """A task that is watched, and when its searches are repeated next; `budget` is that of one run."""

    task_id: str
    every_s: int
    budget: Budget
    created_at: datetime
    query: str = ""
    due_at: datetime | None = None
    job_state: JobState | None = None
    last_run_id: str | None = None
    last_state: RecheckState | None = None
    last_finished_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageNews:
    """A page that is new, changed, gone or retracted; `quotes` are words of it that were evidence and are gone."""

    page_id: str
    url: str
    title: str
    supports: int = 0
    refutes: int = 0
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadPage:
    """A page of the evidence that gave no answer this time, or was not asked for: what it says now is not known."""

    page_id: str
    url: str
    title: str
    reason: str
    supports: int = 0
    refutes: int = 0


@dataclass(frozen=True, slots=True)
class RecheckVerdictChange:
    """A claim whose verdict is another one than at the last report."""

    claim_id: str
    text: str
    is_hypothesis: bool
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class FailedSearch:
    """A search that failed, or that the budget of the run cut short."""

    query: str
    reason: str


@dataclass(frozen=True, slots=True)
class RecheckReport:
    """What is different since the last report. `visited` are known pages that answered; `new_claims` is a number: they
    are read in the graph."""

    since: datetime
    searches: int = 0
    failed: tuple[FailedSearch, ...] = ()
    visited: int = 0
    new: tuple[PageNews, ...] = ()
    changed: tuple[PageNews, ...] = ()
    corrected: tuple[PageNews, ...] = ()
    gone: tuple[PageNews, ...] = ()
    retracted: tuple[PageNews, ...] = ()
    verdicts: tuple[RecheckVerdictChange, ...] = ()
    new_claims: int = 0
    unread: tuple[UnreadPage, ...] = ()

    @property
    def has_changes(self) -> bool:
        """Whether anything is different."""
        parts = (self.new, self.changed, self.corrected, self.gone, self.retracted, self.verdicts)
        return any(parts) or self.new_claims > 0


@dataclass(frozen=True, slots=True)
class RecheckRun:
    """One repetition of a task's searches."""

    id: str
    task_id: str
    state: RecheckState
    due_at: datetime
    started_at: datetime
    budget: Budget
    pages_used: int = 0
    seconds_used: float = 0.0
    finished_at: datetime | None = None
    reason: str | None = None
    report: RecheckReport | None = None
