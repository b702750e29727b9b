"""One search under way: what it works with, its figures so far, when it has to stop, and its journal."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.errors import LyraError, NetworkUnavailable, PipelineError
from lyra.evidence.independence import sources_of
from lyra.ml.language_models import LanguageModels
from lyra.model.edge import EvidenceRow
from lyra.model.event import Event
from lyra.model.registry import RegistryAnswer
from lyra.model.search import EngineAnswer, Search, SearchOutcome, SearchPhase, SearchStatus
from lyra.model.task import Task, TaskStatus
from lyra.model.work import AcademicAnswer
from lyra.observe.tracing import add_event
from lyra.registries.directory import Directory
from lyra.research.tasks import PAUSED_BY_PERSON
from lyra.settings import Settings
from lyra.storage import journal, rechecks, searches, tasks, verdicts
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

    from lyra.academic.catalogue import Catalogue
    from lyra.claims.stance import StanceJudge
    from lyra.extract.reader import DocumentReader
    from lyra.ml.protocols import Embedder
    from lyra.model.page import Getter
    from lyra.rank.ranker import Ranker
    from lyra.research.trust import DomainTrust
    from lyra.search.federation import Federation
NO_INTERNET_REMEDY = (
    "Connect this machine to the internet, or correct network.proxy; `lyra doctor --network` says what can be reached. "
    "Then search again."
)
_SATISFIED_SCORE = 0.8
_ENOUGH_SOURCES = 3


@dataclass(frozen=True, slots=True)
class SearchParts:
    """What the phases of a search work with, built once by the application."""

    db: Database
    clock: Clock
    settings: Settings
    getter: "Getter"
    federation: "Federation"
    catalogue: "Catalogue"
    ranker: "Ranker"
    embedder: "Embedder"
    judge: "StanceJudge"
    trust: "DomainTrust"
    reader: "DocumentReader"
    llm: LanguageModels | None = None
    registries: Directory = field(default_factory=Directory)


@dataclass(frozen=True, slots=True)
class SourceCount:
    """Who gave a search something useful: independent sources, and whether some of them are primary and some not."""

    sources: int
    has_primary: bool
    has_secondary: bool


def count_sources(rows: Sequence[EvidenceRow], joined_pages: Iterable[Collection[str]] = ()) -> SourceCount:
    """The independent sources behind a search's useful fragments; a copy of a primary source is no secondary one."""
    is_primary: dict[str, bool] = {}
    for row, source in zip(rows, sources_of(rows, joined_pages), strict=True):
        is_primary[source.group] = is_primary.get(source.group, False) or row.source_trust_level.is_high
    return SourceCount(len(is_primary), any(is_primary.values()), not all(is_primary.values()))


def satisfaction(independent_sources: int, *, has_primary: bool) -> float:
    """`min(1, sources/3·0.7 + (0.3 if primary))`."""
    return min(1.0, independent_sources / _ENOUGH_SOURCES * 0.7 + (0.3 if has_primary else 0.0))


def final_status(independent_sources: int, *, has_primary: bool, has_secondary: bool) -> SearchStatus:
    """Satisfied by score, by three sources, or by a primary with a secondary; partial with one or two."""
    score = satisfaction(independent_sources, has_primary=has_primary)
    if score >= _SATISFIED_SCORE or independent_sources >= _ENOUGH_SOURCES or (has_primary and has_secondary):
        return SearchStatus.SATISFIED
    return SearchStatus.PARTIAL if independent_sources else SearchStatus.EXHAUSTED


def harvest_rate(useful_fragments: int, pages_read: int) -> float:
    """Useful fragments for each page read, fetched or stored; 0 where no page was read."""
    return useful_fragments / pages_read if pages_read else 0.0


@dataclass(frozen=True, slots=True)
class Novelty:
    """Share of new useful fragments among the last `window` of a search's whole life; stale after two poor cycles
    running.

    `history` holds one flag per fragment read: whether it was useful and not a near-duplicate. `earlier` are those from
    before a person opened more of its pages: they have had their say in stopping, and these pages shall be read.
    """

    window: int
    cycle: int
    floor: float
    history: tuple[bool, ...] = ()
    earlier: tuple[bool, ...] = ()

    def after(self, flags: tuple[bool, ...]) -> "Novelty":
        """The record with the flags of newly read fragments added."""
        return replace(self, history=self.history + flags)

    def score(self, pages_read: int) -> float | None:
        """Unknown before the first page was read; 0 where pages were read and held nothing new."""
        recent = (self.earlier + self.history)[-self.window :]
        if recent:
            return sum(recent) / len(recent)
        return 0.0 if pages_read else None

    @property
    def is_stale(self) -> bool:
        """Two whole cycles in a row below the floor."""
        whole = len(self.history) // self.cycle
        if whole < 2:
            return False
        last, before = (self._cycle_score(whole - offset) for offset in (1, 2))
        return last < self.floor and before < self.floor

    def _cycle_score(self, index: int) -> float:
        flags = self.history[index * self.cycle : (index + 1) * self.cycle]
        return sum(flags) / self.cycle


@dataclass(frozen=True, slots=True)
class StopReason:
    """Why a search ends before its candidates do. A pause is not an end: the job waits for the next call."""

    reason: str
    is_pause: bool = False


class PageLeft(Exception):
    """A page was left before its end because the search stops: it is unread, and `stop` says why."""

    def __init__(self, stop: StopReason) -> None:
        super().__init__(stop.reason)
        self.stop = stop


class SearchRun:
    """The only thing about a search that changes while it runs; every change is written at once."""

    def __init__(self, parts: SearchParts, task: Task, search: Search, max_pages: int | None = None) -> None:
        self.parts = parts
        self.task = task
        self.search = search
        self._max_pages = max_pages
        settings = parts.settings.research
        self._novelty = Novelty(settings.novelty_window, settings.novelty_cycle, settings.novelty_floor)
        self._counted_from = parts.clock.monotonic()
        self.llm = (parts.llm or LanguageModels({}, parts.clock, 1.0)).begin_search()

    @property
    def page_limit(self) -> int:
        """Pages this search may fetch; the task's budget limits it besides."""
        return self._max_pages or self.search.options.max_pages or self.parts.settings.research.pages_per_search

    @property
    def fresh_since(self) -> datetime | None:
        """When what caches hold became too old for this search; a recheck takes nothing from before it began."""
        return self.search.created_at if self.search.recheck_id is not None else None

    async def load_progress(self, since: datetime) -> None:
        """Know what the search has read so far, by this job, which began then, or by an earlier one."""
        tally = await self.parts.db.read(searches.tally, self.search.id)
        self.search = replace(self.search, pages_fetched=tally.pages_fetched, useful_fragments=tally.useful_fragments)
        earlier, own = await self.parts.db.read(searches.novelty_flags, self.search.id, since)
        self._novelty = replace(self._novelty, earlier=earlier, history=own)

    async def enter_phase(self, phase: SearchPhase) -> None:
        add_event("phase", phase.value)
        await self._save(phase=phase, started_at=self.search.started_at or self.parts.clock.now())

    async def count_page(self, flags: Sequence[bool] | None) -> None:
        """Count what a page's fragments gave: one flag each, true for new and useful.

        A page without a fragment worth a look counts as one useless fragment; None is a page with nothing unread.
        """
        if flags is not None:
            self._novelty = self._novelty.after(tuple(flags) or (False,))
        tally = await self.parts.db.read(searches.tally, self.search.id)
        await self._save(
            pages_fetched=tally.pages_fetched,
            useful_fragments=tally.useful_fragments,
            harvest_rate=harvest_rate(tally.useful_fragments, tally.pages_read),
            novelty_score=self._novelty.score(tally.pages_read),
        )

    async def finish(self, status: SearchStatus, **figures: object) -> None:
        """Write how the search ended, and the verdicts it left."""
        await self.parts.db.write(verdicts.note, self.search, self.parts.clock.now())
        await self._save(status=status, phase=SearchPhase.DONE, finished_at=self.parts.clock.now(), **figures)

    async def pause(self, reason: str) -> None:
        """Write that the search waits, and its task with it, for the next call."""
        self.search = replace(self.search, phase=SearchPhase.PAUSED)
        await self.parts.db.write(_pause, self.search, reason)

    async def _save(self, **changes: object) -> None:
        self.search = replace(self.search, **changes)  # type: ignore[arg-type]
        await self.parts.db.write(_save_running, self.search)

    async def should_stop(self, under_way: int = 0) -> StopReason | None:
        """Asked before every page: budget, novelty, and whether a client still calls.

        Pages under way count as fetched, so that several workers together keep to the limit.
        """
        await self._count_time()
        is_quiet = self.search.recheck_id is None and is_idle(
            self.task, self.parts.clock, self.parts.settings.research.idle_seconds
        )
        return stop_reason(self.task, self.search, self._novelty, self.page_limit, under_way, is_idle=is_quiet)

    async def leave_page_if_stopped(self) -> None:
        """Asked within a long page: raises `PageLeft` where a person has paused the task or its time is used up.

        For other reasons to stop the page is finished: it counts against the limit of pages as it is.
        """
        await self._count_time()
        if (stop := held_or_late(self.task)) is not None:
            raise PageLeft(stop)

    async def _count_time(self) -> None:
        """Spend the time since it was last counted, and know the task as it is now."""
        now = self.parts.clock.monotonic()
        elapsed_s, self._counted_from = now - self._counted_from, now
        await self.parts.db.write(rechecks.add_usage, self.search, 0, elapsed_s)
        self.task = await self.parts.db.read(rechecks.task_with_budget, self.search)

    def event(self, kind: str, subject: str, **details: object) -> Event:
        """A journal entry about what the search has done or met, now."""
        search_id = self.search.id
        now = self.parts.clock.now()
        return Event(kind, now, subject, details, self.task.id, search_id=search_id, cause_id=search_id)

    async def log(self, kind: str, subject: str, **details: object) -> None:
        """Write a journal entry."""
        await self.parts.db.write(journal.append, [self.event(kind, subject, **details)])

    async def log_answer(self, source: str, outcome: SearchOutcome, reason: str | None, **details: object) -> None:
        """Write what one source answered; blocked, failed and empty stay apart."""
        await self.log("answer", source, outcome=outcome.value, reason=reason, **details)

    async def log_apis(self, answers: Iterable[AcademicAnswer], *, only_failures: bool = False) -> None:
        """Write what the academic indexes answered; of many small questions only those without an answer."""
        for one in answers:
            if not (only_failures and one.outcome.is_answer):
                await self.log_answer(one.api, one.outcome, one.reason, count=len(one.works))


def _save_running(connection: "Connection", search: Search) -> bool:
    """Write a search unless it was ended from outside meanwhile: what was cancelled stays cancelled."""
    stored = searches.get(connection, search.id)
    if stored is None or stored.status is not SearchStatus.RUNNING:
        return False
    searches.save(connection, search)
    return True


def _pause(connection: "Connection", search: Search, reason: str) -> None:
    if _save_running(connection, search):
        tasks.set_status(connection, search.task_id, TaskStatus.PAUSED, reason=reason)


def is_own_document(url: str) -> bool:
    """Whether a page is a document of the user's own, and not from the web."""
    return not url.startswith(("http://", "https://"))


def is_idle(task: Task, clock: Clock, limit_s: float) -> bool:
    """Whether no client has called for the task for `limit_s` seconds."""
    last = task.last_call_at or task.created_at
    return (clock.now() - last).total_seconds() > limit_s


def stop_reason(
    task: Task, search: Search, novelty: Novelty, page_limit: int, under_way: int, *, is_idle: bool
) -> StopReason | None:
    """The first reason to stop, or none (SPEC §3)."""
    if task.held_at is None and task.pages_used + under_way >= task.budget.max_pages:
        return StopReason(f"the task's budget of {task.budget.max_pages} pages is used up")
    if (stop := held_or_late(task)) is not None:
        return stop
    if search.pages_fetched + under_way >= page_limit:
        return StopReason(f"{page_limit} pages were fetched, the limit of this search")
    if novelty.is_stale:
        return StopReason("nothing new was found over two cycles")
    if is_idle:
        return StopReason("no client has called for a while; the next call continues it", is_pause=True)
    return None


def held_or_late(task: Task) -> StopReason | None:
    """The reasons for which not even the page in hand is finished, or none."""
    if task.held_at is not None:
        return StopReason(PAUSED_BY_PERSON, is_pause=True)
    if task.seconds_used >= task.budget.max_seconds:
        return StopReason(f"the task's budget of {task.budget.max_seconds:.0f} seconds is used up")
    return None


def no_answer_error(
    kind: str, answers: Sequence[tuple[str, EngineAnswer | AcademicAnswer | RegistryAnswer]]
) -> LyraError | None:
    """An error where every source of a kind was blocked or failed; NetworkUnavailable where none could be reached."""
    if any(one.outcome.is_answer for _, one in answers):
        return None
    reasons = {name: one.reason for name, one in answers}
    asked = [one for _, one in answers if not getattr(one, "is_unavailable", False)]
    if asked and all(one.is_unreachable for one in asked):
        return NetworkUnavailable(
            f"No {kind} could be reached: {', '.join(sorted(reasons))}. This machine seems to have no internet.",
            remedy=NO_INTERNET_REMEDY,
            details={"reasons": reasons},
        )
    waits = [one.retry_after_s for _, one in answers if one.retry_after_s is not None]
    return PipelineError(
        f"No {kind} answered: {', '.join(sorted(reasons))}.",
        remedy="Search again; if it fails again, `lyra doctor --network` says what can be reached.",
        retry_after_s=min(waits) if waits else None,
        details={"reasons": reasons},
    )
