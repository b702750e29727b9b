"""One run of a recheck: every search of the task once more, without caches, and what is different afterwards.

Everything in it may be done again: a process that goes on after a crash finds which searches have ended.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.errors import LyraError, NetworkUnavailable
from lyra.ids import derived_id
from lyra.model.job import Job, JobState
from lyra.model.recheck import FailedSearch, RecheckReport, RecheckRun, RecheckState, RecheckVerdictChange
from lyra.model.search import Search, SearchStatus
from lyra.research.pipeline import Pipeline
from lyra.research.recheck import scheduled_job
from lyra.research.recheck_news import differences
from lyra.research.recompute import reassess
from lyra.research.search_run import SearchParts
from lyra.storage import jobs, rechecks, searches, works
from lyra.storage.rows import to_column

if TYPE_CHECKING:
    from apsw import Connection

# Without a network the run is tried again after this long; it stays due.
_RETRY = timedelta(minutes=15)
_LOOKED_UP_AT_ONCE = 50


class RecheckRunner:
    """Handles recheck jobs."""

    def __init__(self, parts: SearchParts, pipeline: Pipeline) -> None:
        self._parts = parts
        self._pipeline = pipeline

    async def run(self, job: Job) -> JobState:
        """Repeat the searches of a task; queued again where there is no network, paused with its task."""
        run = await self._parts.db.write(_begin, job, self._parts.clock.now())
        if run is None or run.state.is_ended:  # not watched any more, or a process died between its report and its end
            return JobState.DONE
        try:
            await self._look_up_works(run)
            for search in await self._parts.db.read(searches.of_recheck, run.id):
                if await self._repeat(search, job) is JobState.PAUSED:
                    return JobState.PAUSED
        except NetworkUnavailable as exc:
            await self._parts.db.write(_put_off, run, job, exc.message, self._parts.clock.now() + _RETRY)
            return JobState.QUEUED
        await reassess(self._parts)
        await self._parts.db.write(_finish, run.id, self._parts.clock.now())
        return JobState.DONE

    async def failed(self, job: Job, error: LyraError) -> None:
        """Write why the run ended without a report; the next one is due after an interval."""
        await self._parts.db.write(_fail, job, error.message, self._parts.clock.now())

    async def _repeat(self, search: Search, job: Job) -> JobState:
        """One search; what it fails by is written on it, and only a missing network ends the run."""
        if search.status is not SearchStatus.RUNNING and search.error_code != NetworkUnavailable.code:
            return JobState.DONE
        known = await self._parts.db.read(rechecks.pages_to_visit, search)
        pages = search.options.max_pages or self._parts.settings.research.pages_per_search
        own = Job(
            id=job.id,
            kind=job.kind,
            state=JobState.RUNNING,
            created_at=search.created_at,
            payload={"search_id": search.id, "asks_again": True},
            task_id=search.task_id,
            # Pages that are visited again take no place of new ones.
            budget={"max_pages": pages + len(known)},
        )
        try:
            return await self._pipeline.run(own)
        except LyraError as exc:
            await self._pipeline.failed(own, exc)
            if isinstance(exc, NetworkUnavailable):
                raise
            return JobState.DONE

    async def _look_up_works(self, run: RecheckRun) -> None:
        """What the academic indexes say now of the papers behind the evidence: that one is retracted, before all."""
        if not self._parts.settings.academic.enabled:
            return
        wanted = await self._parts.db.read(rechecks.identifiers_of_works, run.task_id)
        for start in range(0, len(wanted), _LOOKED_UP_AT_ONCE):
            answer = await self._parts.catalogue.look_up(wanted[start : start + _LOOKED_UP_AT_ONCE], cause_id=run.id)
            for work in answer.works:
                await self._parts.db.write(works.save, work)


def _begin(connection: "Connection", job: Job, now: datetime) -> RecheckRun | None:
    """The run of the job with its searches, as an earlier process left them or new; None where nobody watches."""
    recheck = rechecks.get(connection, str(job.task_id))
    if recheck is None:
        return None
    began = RecheckRun(
        id=str(job.payload["run_id"]),
        task_id=recheck.task_id,
        state=RecheckState.RUNNING,
        due_at=job.due_at or now,
        started_at=now,
        budget=recheck.budget,
    )
    run = rechecks.begin_run(connection, began)
    if run.state is RecheckState.WAITING:
        run = replace(run, state=RecheckState.RUNNING, reason=None)
        rechecks.save_run(connection, run)
    if not searches.of_recheck(connection, run.id):
        for number, one in enumerate(_distinct(searches.of_task(connection, run.task_id))):
            searches.insert(connection, _repetition(run, one, number))
    return run


def _distinct(found: Sequence[Search]) -> list[Search]:
    """The searches to repeat: none that was cancelled, and of equal ones the last."""
    wanted = {(one.query, to_column(one.options)): one for one in found if one.status is not SearchStatus.CANCELLED}
    return list(wanted.values())


def _repetition(run: RecheckRun, search: Search, number: int) -> Search:
    """Times a millisecond apart keep the order."""
    return Search(
        id=derived_id("s", run.id, search.id),
        task_id=search.task_id,
        query=search.query,
        options=search.options,
        status=SearchStatus.RUNNING,
        created_at=run.started_at + timedelta(milliseconds=number),
        recheck_id=run.id,
        repeats_id=search.id,
    )


def _put_off(connection: "Connection", run: RecheckRun, job: Job, reason: str, again_at: datetime) -> None:
    rechecks.save_run(connection, replace(run, state=RecheckState.WAITING, reason=reason))
    jobs.postpone(connection, job.id, again_at)


def _finish(connection: "Connection", run_id: str, now: datetime) -> None:
    """The report, what the next one is compared with, and the next job: all of it or nothing, and once."""
    run = rechecks.get_run(connection, run_id)
    recheck = rechecks.get(connection, run.task_id) if run is not None else None
    if run is None or recheck is None or run.state.is_ended:
        return
    before = rechecks.stored_snapshot(connection, run.task_id)
    after = rechecks.current_snapshot(connection, run.task_id, run.id, before)
    since = _since(connection, run, recheck.created_at)
    found = differences(before, after)
    told = rechecks.claim_texts(connection, [claim_id for claim_id, _, _ in found.verdicts])
    moved = {claim_id: (was, now_) for claim_id, was, now_ in found.verdicts}
    repeated = searches.of_recheck(connection, run.id)
    report = RecheckReport(
        since=since,
        searches=len(repeated),
        failed=tuple(FailedSearch(one.query, one.reason or "") for one in repeated if not _is_whole(one, run)),
        visited=len(rechecks.answered_pages(connection, run.id)),
        new=rechecks.page_news(connection, run.task_id, found.new),
        changed=rechecks.page_news(connection, run.task_id, found.changed, since),
        corrected=rechecks.page_news(connection, run.task_id, found.corrected),
        gone=rechecks.page_news(connection, run.task_id, found.gone),
        retracted=rechecks.page_news(connection, run.task_id, found.retracted),
        verdicts=tuple(
            RecheckVerdictChange(claim_id, text, is_hypothesis, *moved[claim_id])
            for claim_id, (text, is_hypothesis) in told.items()
        ),
        new_claims=found.new_claims,
        unread=rechecks.unread_pages(
            connection, run.task_id, run.id, reason="It was not asked for: the search ended before."
        ),
    )
    rechecks.save_run(connection, replace(run, state=RecheckState.DONE, finished_at=now, report=report))
    rechecks.set_snapshot(connection, run.task_id, after)
    _schedule_next(connection, run.task_id, recheck.every_s, now)


def _is_whole(search: Search, run: RecheckRun) -> bool:
    """Whether a search was repeated in full: it did not fail, and the budget of the run did not end it."""
    pages, seconds = run.budget.max_pages, run.budget.max_seconds
    spent = (f"budget of {pages} pages is used up", f"budget of {seconds:.0f} seconds is used up")
    return search.status is not SearchStatus.FAILED and not (search.reason or "").endswith(spent)


def _since(connection: "Connection", run: RecheckRun, watched_since: datetime) -> datetime:
    """When the last report before this run was made; else since when the task is watched."""
    ended = [one.finished_at for one in rechecks.runs(connection, run.task_id, 50) if one.report and one.finished_at]
    return max(ended, default=watched_since)


def _fail(connection: "Connection", job: Job, reason: str, now: datetime) -> None:
    run = rechecks.get_run(connection, str(job.payload["run_id"]))
    recheck = rechecks.get(connection, str(job.task_id))
    if run is not None and not run.state.is_ended:
        for search in searches.of_recheck(connection, run.id):
            searches.end(connection, search.id, SearchStatus.FAILED, reason, now)
        rechecks.save_run(connection, replace(run, state=RecheckState.FAILED, finished_at=now, reason=reason))
    if recheck is not None:
        _schedule_next(connection, recheck.task_id, recheck.every_s, now)


def _schedule_next(connection: "Connection", task_id: str, every_s: int, now: datetime) -> None:
    """One interval from now, unless one is waiting: what was missed while nothing ran is not made up for."""
    if any(one.state is JobState.QUEUED and one.due_at for one in jobs.of_task(connection, task_id)):
        return
    jobs.enqueue(connection, scheduled_job(task_id, now + timedelta(seconds=every_s), now))
