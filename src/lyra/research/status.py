"""The status of a task: numbers and facts for the client, never advice."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lyra.clock import Clock, wait_until
from lyra.errors import AuthRequired, LyraError
from lyra.model.claim import AssessedClaim, VerdictChange
from lyra.model.handoff import HandoffSummary
from lyra.model.search import Search, SearchProblem, SearchStatus
from lyra.model.task import BlockedDomain, Task, TaskTotals, VerificationAlert
from lyra.rank.query_claims import by_relevance
from lyra.research.findings import Finding, make_finding
from lyra.research.problems import given_up_texts, problem_texts
from lyra.research.search_run import harvest_rate
from lyra.research.searches import WAITING_PHASES, Progress, errors_of, no_progress, percent_left
from lyra.research.task_figures import TaskFigures
from lyra.research.tasks import ClientKeepAlive, Tasks, checked_id
from lyra.research.trust import DomainTrust
from lyra.storage import (
    candidates,
    claim_sources,
    claims,
    derived_queries,
    handoffs,
    journal,
    quotes,
    searches,
    tasks,
    verdicts,
)
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

_POLL_S = 0.25
_PROBLEMS_READ = 200
_GIVEN_UP_SHOWN = 3
_LOW_BUDGET_PERCENT = 20
_WARNING_PENDING = 3
_CRITICAL_PENDING = 5
_CRITICAL_HIGH = 2


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The status of a task. By search: `changed` are the verdicts that those that have ended changed, `errors` what its
    failed ones ended with."""

    task: Task
    searches: tuple[Search, ...]
    hypotheses: tuple[AssessedClaim, ...]
    totals: TaskTotals
    auth: HandoffSummary
    blocked_domains: tuple[BlockedDomain, ...]
    unverified_domains: tuple[str, ...]
    verification_alerts: tuple[VerificationAlert, ...]
    warnings: tuple[str, ...]
    queries_sent: Mapping[str, Mapping[str, int]]
    harvest_rate: float
    changed: Mapping[str, tuple[VerdictChange, ...]]
    errors: Mapping[str, LyraError]

    @property
    def satisfied_count(self) -> int:
        return sum(1 for search in self.searches if search.status is SearchStatus.SATISFIED)

    @property
    def percent_left(self) -> int:
        return percent_left(self.task)


class Status:
    """The read-model behind `get_status`; asking also continues a task that paused because no client called.

    `troubles` lists what is wrong with this server's models, whatever the task.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        tasks_: Tasks,
        trust: DomainTrust,
        troubles: Callable[[], tuple[str, ...]],
        figures: TaskFigures | None = None,
    ) -> None:
        self._db = db
        self._figures = figures or TaskFigures(db, clock, trust.unverified)
        self._clock = clock
        self._tasks = tasks_
        self._trust = trust
        self._troubles = troubles

    def troubles(self) -> tuple[str, ...]:
        """What is wrong with this process's models now."""
        return self._troubles()

    def seen_through(self, tasks_: Tasks) -> "Status":
        """The same for the person whose tasks these are."""
        return Status(self._db, self._clock, tasks_, self._trust, self._troubles, self._figures)

    async def wait(
        self, task_id: str, limit_s: float, progress: Progress = no_progress, *, until_done: bool = False
    ) -> TaskReport:
        """The report as soon as a running search has moved on, at once where none runs, at the latest after `limit_s`.

        With `until_done`, as soon as no search runs, or those that do wait for the person who has paused the task.
        """
        keep_alive = ClientKeepAlive(self._tasks, self._clock, task_id)
        await keep_alive.refresh()
        first = seen = await self._db.read(searches.of_task, task_id) if limit_s > 0 else ()
        told = 0

        async def has_moved() -> bool | None:
            nonlocal seen, told
            await keep_alive.refresh()
            now = await self._db.read(searches.of_task, task_id)
            if _progress_state(now) != _progress_state(seen):
                told += 1
                await _report_progress(now, told / (told + 1), progress)
            seen = now
            if not any(one.status is SearchStatus.RUNNING for one in now):
                return True
            is_other = _progress_state(now) != _progress_state(first)
            return (await self._is_held(task_id, now) if until_done else is_other) or None

        if limit_s > 0:
            await wait_until(has_moved, self._clock, every_s=_POLL_S, limit_s=limit_s)
        report = await self.report(task_id)
        await _report_progress(report.searches, 1, progress)
        return report

    async def _is_held(self, task_id: str, found: tuple[Search, ...]) -> bool:
        """Whether a person has paused the task and no search is still at a page."""
        running = (one for one in found if one.status is SearchStatus.RUNNING)
        if not all(one.phase in WAITING_PHASES for one in running):
            return False
        return (await self._tasks.get(task_id)).held_at is not None

    async def report(self, task_id: str) -> TaskReport:
        """Everything about the task now."""
        read = await self._db.read(_read, checked_id(task_id))
        task = self._tasks.visible(read.task)
        figures = await self._figures.of(task_id, (read.last_event, _progress_state(read.searches)))
        return TaskReport(
            task=task,
            searches=read.searches,
            hypotheses=read.hypotheses,
            totals=figures.totals,
            auth=read.auth,
            blocked_domains=await self._trust.blocked(self._tasks.person),
            unverified_domains=figures.unverified_domains,
            verification_alerts=figures.verification_alerts,
            warnings=(
                *warnings(task, read.auth, read.searches, self._trust.problem),
                *given_up_texts(read.given_up, _GIVEN_UP_SHOWN),
                *self._troubles(),
            ),
            queries_sent=read.queries_sent,
            harvest_rate=harvest_rate(figures.tally.useful_fragments, figures.tally.pages_read),
            changed=read.changed,
            errors=await errors_of(self._db, read.searches, self._clock.now()),
        )

    async def findings(self, task_id: str) -> tuple[Finding, ...]:
        """What is known about each hypothesis, in the order given."""
        found = await self._db.read(claims.hypotheses, task_id)
        claim_ids = [one.claim.id for one in found]
        quoted = await self._db.read(quotes.of_claims, claim_ids)
        sources_of_claims = await self._db.read(claim_sources.of_pages, claim_ids)
        return tuple(
            make_finding(one, quoted.get(one.claim.id, ()), sources_of_claims.get(one.claim.id, {})) for one in found
        )

    async def unasked_sources(self, task_id: str) -> tuple[str, ...]:
        """Sources that the task's searches could not ask, or that did not answer, each once and with the reason; and
        the first pages that were given up."""
        found = await self._db.read(searches.of_task, task_id)
        lists = [await self._db.read(candidates.problems, one.id, _PROBLEMS_READ) for one in found]
        given_up = await self._db.read(candidates.given_up, task_id, _PROBLEMS_READ)
        return (
            *problem_texts(one for problems in lists for one in problems if one.outcome is not None),
            *given_up_texts(given_up, _GIVEN_UP_SHOWN),
        )

    async def claims_for_question(self, task_id: str) -> tuple[AssessedClaim, ...]:
        """The claims that the task has found, those with the words of its question first."""
        task = await self._tasks.get(task_id)
        found = await self._db.read(claims.assessed_of_task, task.id)
        return await asyncio.to_thread(by_relevance, task.query, found)


@dataclass(frozen=True, slots=True)
class _StatusRows:
    """What is read again for every status, in one snapshot."""

    task: Task
    searches: tuple[Search, ...]
    hypotheses: tuple[AssessedClaim, ...]
    auth: HandoffSummary
    queries_sent: Mapping[str, Mapping[str, int]]
    changed: Mapping[str, tuple[VerdictChange, ...]]
    given_up: tuple[SearchProblem, ...]
    last_event: int


def _read(connection: "Connection", task_id: str) -> _StatusRows:
    found = searches.of_task(connection, task_id)
    return _StatusRows(
        tasks.get(connection, task_id),
        found,
        claims.hypotheses(connection, task_id),
        handoffs.summary(connection, task_id),
        derived_queries.counts(connection, task_id),
        verdicts.changes_of_ended(connection, found),
        candidates.given_up(connection, task_id, _PROBLEMS_READ),
        journal.last_of_tasks(connection, [task_id]),
    )


def _progress_state(found: tuple[Search, ...]) -> tuple[tuple[object, ...], ...]:
    return tuple((one.id, one.status, one.phase, one.pages_fetched, one.useful_fragments) for one in found)


async def _report_progress(found: tuple[Search, ...], fraction: float, progress: Progress) -> None:
    """The figure always grows, as the protocol demands: searches that ended, and a fraction between two of them."""
    ended = sum(1 for search in found if search.status is not SearchStatus.RUNNING)
    await progress(ended + fraction, (len(found) + 1) if found else None, f"{ended} of {len(found)} searches ended")


def warnings(
    task: Task, auth: HandoffSummary, found: tuple[Search, ...], trust_problem: str | None = None
) -> tuple[str, ...]:
    """Facts a client should not overlook: that a person holds the task back, the auth queue's alerts (SPEC §2), a low
    budget, failed searches, a list of overrides that cannot be read."""
    lines = [f"paused: {task.reason}"] if task.held_at is not None else []
    if auth.pending_count >= _CRITICAL_PENDING or auth.high_priority_count >= _CRITICAL_HIGH:
        lines.append(
            f"critical: {auth.pending_count} pages wait for a person ({auth.high_priority_count} high priority)"
        )
    elif auth.pending_count >= _WARNING_PENDING:
        lines.append(f"warning: {auth.pending_count} pages wait for a person")
    left = percent_left(task)
    if left <= _LOW_BUDGET_PERCENT:
        lines.append(f"budget: {left} % left")
    lines += [f"the overrides in domains.yaml were not applied: {trust_problem}"] if trust_problem else []
    # A search that only waits for a person has not failed for good, and the queue speaks of it.
    broken = (s for s in found if s.status is SearchStatus.FAILED and s.error_code != AuthRequired.code)
    lines += [f"search {s.id} failed: {s.reason}" for s in broken]
    return tuple(lines)
