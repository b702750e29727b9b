"""Starting a search, waiting for it, and the error it ended with; the work itself is a durable job."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from lyra.clock import Clock, wait_until
from lyra.errors import (
    AllEnginesBlocked,
    AuthRequired,
    BudgetExhausted,
    ChromeNotReady,
    InvalidParams,
    LyraError,
    NetworkUnavailable,
    PipelineError,
    StorageError,
    TimedOut,
)
from lyra.ids import new_id
from lyra.model.claim import AssessedClaim, VerdictChange
from lyra.model.job import Job, JobState, Priority
from lyra.model.report import QuotedEvidence
from lyra.model.search import Search, SearchOptions, SearchPhase, SearchStatus, Source
from lyra.model.task import Task
from lyra.rank.query_claims import by_relevance
from lyra.research.llm_use import LLM_USE, llm_use
from lyra.research.problems import partly_judged_text, problem_texts
from lyra.research.search_run import NO_INTERNET_REMEDY
from lyra.research.tasks import PAUSED_BY_PERSON, ClientKeepAlive, Tasks, checked_text
from lyra.research.trust import DomainTrust
from lyra.search.query import normalise_query, reject_foreign_address
from lyra.settings import Settings
from lyra.storage import (
    candidates,
    claims,
    handoffs,
    jobs,
    journal,
    libraries,
    quotes,
    searches,
    status,
    tasks,
    transactions,
    verdicts,
)
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

_ERRORS: dict[str, type[LyraError]] = {
    error.code: error
    for error in (
        AllEnginesBlocked,
        AuthRequired,
        BudgetExhausted,
        ChromeNotReady,
        InvalidParams,
        NetworkUnavailable,
        PipelineError,
        StorageError,
        TimedOut,
    )
}
_WAIT = (
    "Wait and search again; get_status lists every search with its reason, and `lyra doctor` checks the models and the "
    "machine."
)
_PERSON = (
    "A person can open the pages that refuse: get_auth_queue lists them, and the search continues after resolve_auth."
)
_PERSON_OR_WAIT = f"{_PERSON} Or search again after retry_after_s, or name other engines in options.engines."
_REMEDIES: dict[type[LyraError], str] = {
    ChromeNotReady: "Install Chrome or Chromium (`lyra doctor` looks for one), or name engines that serve plain pages, "
    "such as duckduckgo, mojeek or wikipedia.",
    AllEnginesBlocked: "Search again after retry_after_s, or name other engines in options.engines; `lyra engines` "
    "shows the state of each.",
    AuthRequired: _PERSON,
    BudgetExhausted: "Pass options.extend_budget, or end with stop_task.",
    InvalidParams: "Correct the options of the search.",
    NetworkUnavailable: NO_INTERNET_REMEDY,
    StorageError: "Free some space, or repair what `lyra doctor` names; then search again.",
}
SEARCH_JOB = "search"
_POLL_S = 0.25
# Phases in which a search whose task is held back waits for somebody to let it go on.
WAITING_PHASES = (SearchPhase.QUEUED, SearchPhase.PAUSED)
_BUSY_S = 30.0
_CLAIMS_SHOWN = 20
_CLAIMS_RANKED = 5_000
_REFUTATIONS_SHOWN = 10
_PROBLEMS_SHOWN = 10
_PROBLEMS_READ = 200


async def errors_of(db: Database, found: Iterable[Search], now: datetime) -> dict[str, LyraError]:
    """The errors of those of a task's searches that failed, by search."""
    failed = [one for one in found if one.status is SearchStatus.FAILED]
    waiting = await db.read(handoffs.pending, failed[0].task_id) if failed else ()
    blocked = {search_id for one in waiting for search_id in one.blocking_searches}
    return {one.id: error_of(one, now, is_blocked=one.id in blocked) for one in failed}


def error_of(search: Search, now: datetime, *, is_blocked: bool) -> LyraError:
    """The error a search ended with; where a person can open the page, that helps sooner than waiting."""
    kind = _ERRORS.get(search.error_code or "", PipelineError)
    wait_s = max(0.0, (search.retry_at - now).total_seconds()) if search.retry_at else None
    error = kind(
        search.reason or "The search failed.",
        retry_after_s=round(wait_s) if wait_s is not None else None,
        remedy=_PERSON_OR_WAIT
        if is_blocked and kind is AllEnginesBlocked
        else search.error_remedy or _REMEDIES.get(kind, _WAIT),
        details={"search_id": search.id},
    )
    error.retryable = kind.retryable if search.is_retryable is None else search.is_retryable
    return error


class Progress(Protocol):
    async def __call__(self, done: float, total: float | None, message: str) -> None:
        """Told whenever a search has moved on."""


async def no_progress(done: float, total: float | None, message: str) -> None:
    """Ignores progress."""


@dataclass(frozen=True, slots=True)
class SearchReport:
    """A search now: finished, or running with what it has so far.

    `changed` are the hypotheses, and the claims to refute, whose verdict is another one than when it began. `claims`
    are those it brought besides, the nearest to its query first.
    """

    search: Search
    hypotheses: tuple[AssessedClaim, ...]
    changed: tuple[VerdictChange, ...]
    claims: tuple[AssessedClaim, ...]
    has_more_claims: bool
    refutations: tuple[tuple[str, QuotedEvidence], ...]
    problems: tuple[str, ...]
    pages_left: int
    seconds_left: float
    percent_left: int
    unverified_domains: tuple[str, ...]
    blocked_domains: tuple[str, ...]
    llm: str | None = None


class Searches:
    """What a client does with single searches."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        settings: Settings,
        tasks_: Tasks,
        trust: DomainTrust,
        engines: tuple[str, ...],
        wake: Callable[[], None],
    ) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._tasks = tasks_
        self._trust = trust
        self._engines = engines
        self._wake = wake

    def seen_through(self, tasks_: Tasks) -> "Searches":
        """The same for the person whose tasks these are."""
        return Searches(self._db, self._clock, self._settings, tasks_, self._trust, self._engines, self._wake)

    async def start(
        self,
        task_id: str,
        query: str,
        options: SearchOptions,
        *,
        extend_pages: int = 0,
        extend_seconds: float = 0.0,
    ) -> Search:
        """Put a search in the queue; it runs here or in any other process on this data directory."""
        task = await self._tasks.get_own(task_id)
        await self._tasks.record_call(task.id)
        self.check_options(options)
        await self._check_claims(task, options)
        await self._check_library(options)
        text = self.check_query(query)
        if extend_pages or extend_seconds:
            await self._db.write(tasks.extend_budget, task.id, extend_pages, extend_seconds)
            task = await self._tasks.get(task.id)
        _check_budget(task)
        await self._check_queue(task.id)
        now = self._clock.now()
        search = Search(new_id("s"), task.id, text, options, SearchStatus.RUNNING, now)
        job = Job(
            id=new_id("j"),
            kind=SEARCH_JOB,
            state=JobState.QUEUED,
            created_at=now,
            payload={"search_id": search.id},
            priority=Priority.SERP,
            task_id=task.id,
            cause_id=search.id,
        )
        await self._db.write(_begin, search, job)
        self._wake()
        return search

    async def _check_queue(self, task_id: str) -> None:
        """Back-pressure: refuse a search where too many wait."""
        most, waiting = self._settings.jobs.max_queued, await self._db.read(jobs.waiting, task_id)
        if waiting >= most:
            raise PipelineError(
                f"{waiting} searches wait already; {most} may.",
                remedy="Wait until some have ended; get_status shows them.",
                retry_after_s=_BUSY_S,
            )

    def check_query(self, query: str, name: str = "query") -> str:
        """The query in normal form; InvalidParams where no engine could be asked: it shall leave no search behind.

        `name` is what the client calls it.
        """
        text = checked_text(query, name, self._settings.server.max_query_chars)
        reject_foreign_address(query)
        normalise_query(text)
        return text

    def check_options(self, options: SearchOptions) -> None:
        """InvalidParams for an engine or a source that is not here."""
        unknown = [name for name in options.engines or () if name not in self._engines]
        if unknown:
            raise InvalidParams(
                f"There is no engine {unknown[0][:60]!r}.", remedy=f"Use any of: {', '.join(self._engines)}."
            )
        absent = [source for source in options.sources or () if source not in self._sources()]
        if absent:
            raise InvalidParams(
                f"The source {absent[0].value!r} is not available.",
                remedy=f"Use any of: {', '.join(self._sources())}.",
            )

    async def _check_claims(self, task: Task, options: SearchOptions) -> None:
        known = {claim.id for claim in await self._db.read(claims.of_task, task.id)} if options.claim_ids else set()
        missing = [name for name in options.claim_ids if name not in known]
        if missing:
            raise InvalidParams(
                f"The task has no claim {missing[0][:60]!r}.",
                remedy="List its claims: query_graph \"SELECT id, claim_text FROM claims WHERE task_id = '…'\".",
            )

    async def _check_library(self, options: SearchOptions) -> None:
        if Source.LIBRARY in (options.sources or ()) and not await self._db.read(libraries.exists):
            raise InvalidParams(
                "There is no library of documents yet.", remedy="A person adds a folder: `lyra library add DIR`."
            )

    def _sources(self) -> tuple[Source, ...]:
        is_on = {
            Source.WEB: True,
            Source.ACADEMIC: self._settings.academic.enabled,
            Source.LIBRARY: True,
            Source.REGISTRIES: bool(self._settings.registries.enabled),
        }
        return tuple(source for source, on in is_on.items() if on)

    async def wait(self, search_id: str, limit_s: float, progress: Progress = no_progress) -> SearchReport:
        """The search when it has ended, or as it is after `limit_s`; a failed one raises its error.

        Where a person has paused its task, it is returned at once as it is.
        """
        search = await self.get(search_id)
        keep_alive = ClientKeepAlive(self._tasks, self._clock, search.task_id)
        reporter = _ProgressReporter(progress, self._settings.research.pages_per_search)

        async def ended() -> Search | None:
            search = await self.get(search_id)
            if search.status is not SearchStatus.RUNNING:
                return search
            await reporter.report(search)
            await keep_alive.refresh()
            is_held = search.phase in WAITING_PHASES and (await self._tasks.get(search.task_id)).held_at is not None
            return search if is_held else None

        limit_s = min(limit_s, self._settings.server.max_wait_seconds)
        search = await wait_until(ended, self._clock, every_s=_POLL_S, limit_s=limit_s) or await self.get(search_id)
        await reporter.report(search)
        if search.status is SearchStatus.FAILED:
            (error,) = (await errors_of(self._db, [search], self._clock.now())).values()
            error.details["problems"] = list(await self._problems(search.id))
            raise error
        return await self.report(search)

    async def cancel(self, search_id: str) -> None:
        """End one search; its task and everything found stay. One that has ended is left as it is."""
        await self._tasks.get_own((await self.get(search_id)).task_id)
        await self._db.write(transactions.cancel_search, search_id, "cancelled by the client", self._clock.now())

    async def get(self, search_id: str) -> Search:
        """The stored search. Raises InvalidParams where there is none."""
        search = await self._db.read(searches.get, search_id)
        if search is None or not await self._tasks.is_visible(search.task_id):
            raise InvalidParams(f"There is no search {search_id[:60]!r}.", remedy="get_status lists the searches.")
        return search

    async def visible(self, search_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these searches whose tasks the person sees."""
        found = [await self._db.read(searches.get, one) for one in search_ids]
        return tuple([one.id for one in found if one is not None and await self._tasks.is_visible(one.task_id)])

    async def _problems(self, search_id: str) -> tuple[str, ...]:
        """What the search could not do, each thing once; pages judged in part come first, for they were read."""
        in_part = await self._db.read(candidates.partly_judged, search_id, _PROBLEMS_SHOWN)
        found = await self._db.read(candidates.problems, search_id, _PROBLEMS_READ)
        return (*map(partly_judged_text, in_part), *problem_texts(found))[:_PROBLEMS_SHOWN]

    async def report(self, search: Search) -> SearchReport:
        """All that the client sees of a search."""
        task = await self._tasks.get(search.task_id)
        found = await self._db.read(claims.claims_found, search.id, _CLAIMS_RANKED)
        brought = await asyncio.to_thread(by_relevance, search.query, found)
        refuting = (
            await self._db.read(quotes.refutations, search.id, _REFUTATIONS_SHOWN) if search.options.refute else ()
        )
        pages_left = max(0, task.budget.max_pages - task.pages_used)
        if search.status is SearchStatus.RUNNING and task.held_at is not None:
            search = replace(search, reason=PAUSED_BY_PERSON)
        return SearchReport(
            search=search,
            hypotheses=await self._db.read(claims.hypotheses, task.id),
            changed=await self._db.read(verdicts.changes, search),
            claims=brought[:_CLAIMS_SHOWN],
            has_more_claims=len(brought) > _CLAIMS_SHOWN,
            refutations=refuting,
            problems=await self._problems(search.id),
            llm=llm_use(await self._db.read(journal.last_event, search.id, LLM_USE)),
            pages_left=pages_left,
            seconds_left=max(0.0, task.budget.max_seconds - task.seconds_used),
            percent_left=percent_left(task),
            unverified_domains=await self._trust.unverified(await self._db.read(status.unverified_domains, task.id)),
            blocked_domains=tuple(row.domain for row in await self._trust.blocked(self._tasks.person)),
        )


def _begin(connection: "Connection", search: Search, job: Job) -> None:
    """A search with its job, and the verdicts that it may change."""
    transactions.start_search(connection, search, job)
    verdicts.note(connection, search, search.created_at)


class _ProgressReporter:
    """Tells progress when a search has moved on. The figure always grows, as the protocol demands: pages, and between
    two pages a fraction that comes nearer to the next with every step."""

    def __init__(self, progress: Progress, pages_per_search: int) -> None:
        self._progress = progress
        self._pages_per_search = pages_per_search
        self._seen: tuple[object, ...] = ()
        self._steps = 0

    async def report(self, search: Search) -> None:
        state = (search.phase, search.pages_fetched, search.useful_fragments)
        if state == self._seen:
            return
        self._seen = state
        total = search.options.max_pages or self._pages_per_search
        message = f"{search.phase}: {search.pages_fetched} pages, {search.useful_fragments} useful fragments"
        await self._progress(min(search.pages_fetched, total) + self._steps / (self._steps + 1), total + 1, message)
        self._steps += 1


def percent_left(task: Task) -> int:
    """The scarcer of pages and seconds, in whole percent."""
    pages = _percent(task.budget.max_pages - task.pages_used, task.budget.max_pages)
    seconds = _percent(task.budget.max_seconds - task.seconds_used, task.budget.max_seconds)
    return max(0, min(pages, seconds))


def _percent(left: float, whole: float) -> int:
    return int(100 * left / whole) if whole else 0


def _check_budget(task: Task) -> None:
    if task.pages_used < task.budget.max_pages and task.seconds_used < task.budget.max_seconds:
        return
    raise BudgetExhausted(
        f"The task has used {task.pages_used} of {task.budget.max_pages} pages"
        f" and {task.seconds_used:.0f} of {task.budget.max_seconds:.0f} seconds.",
        remedy="Pass options.extend_budget, or end with stop_task.",
    )
