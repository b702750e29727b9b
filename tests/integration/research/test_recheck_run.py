"""Runs of rechecks over the durable queue: due times, crashes, a missing network, budgets; searches are played."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lyra.errors import AllEnginesBlocked, InvalidParams, LyraError, NetworkUnavailable, TaskNotFound
from lyra.model.edge import Relation
from lyra.model.job import Job, JobState
from lyra.model.recheck import RecheckState
from lyra.model.search import CandidateState, SearchStatus
from lyra.model.trust import TrustLevel
from lyra.research.assessing import Assessor
from lyra.research.pipeline import Pipeline
from lyra.research.recheck import RECHECK_JOB, Rechecks
from lyra.research.recheck_run import RecheckRunner
from lyra.research.search_run import SearchParts
from lyra.research.tasks import Tasks
from lyra.research.trust import DomainTrust
from lyra.settings import Settings
from lyra.storage import candidates, jobs, pages, rechecks, searches, tasks, transactions
from lyra.storage.database import Database
from lyra.trust.levels import TrustList
from tests.clocks import HeldClock
from tests.integration.research.conftest import NOW, TASK

WEEK = timedelta(days=7)
KINDS = (RECHECK_JOB,)


class Model:
    model_id = "minilm"


class Played(Pipeline):
    """Ends every search as the test says, and keeps which were run."""

    def __init__(self, parts: SearchParts, play: Callable[[str], None] = lambda _: None) -> None:
        super().__init__(parts)
        self.play = play
        self.ran: list[str] = []

    async def run(self, job: Job) -> JobState:
        search_id = str(job.payload["search_id"])
        search = await self._parts.db.read(searches.get, search_id)
        assert search is not None
        self.ran.append(search.query)
        await self._parts.db.write(searches.save, replace(search, status=SearchStatus.RUNNING))
        self.play(search.query)
        ended = replace(search, status=SearchStatus.SATISFIED, finished_at=self._parts.clock.now())
        await self._parts.db.write(searches.save, ended)
        return JobState.DONE


@pytest.fixture
def parts(db: Database, clock: HeldClock, tmp_path: Any) -> SearchParts:
    settings = Settings.model_validate({"data_dir": tmp_path, "academic": {"enabled": False}})
    trust = DomainTrust(db, clock, TrustList(tmp_path / "domains.yaml"))
    unused: Any = None
    return SearchParts(db, clock, settings, unused, unused, unused, unused, Model(), unused, trust, unused)  # type: ignore[arg-type]


@pytest.fixture
async def watched(db: Database, clock: HeldClock, parts: SearchParts, write: Any, said: Any) -> Rechecks:
    """One task with one search and one page, watched every week."""
    told = [said("https://a.example/1", "a.example", "It rose.", Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED)]
    await Assessor(parts, TASK).assess([await db.write(write, "It rose.", told)])
    service = Rechecks(db, clock, Tasks(db, clock, parts.settings), lambda: None)
    await service.add(TASK, "7d")
    return service


async def claimed(db: Database, clock: HeldClock, owner: str = "w_1") -> Job | None:
    now = clock.now()
    return await db.write(jobs.claim_next, owner, now, now + timedelta(seconds=15), KINDS)


async def work(db: Database, clock: HeldClock, runner: RecheckRunner) -> JobState:
    """What a worker does with the job that is due."""
    job = await claimed(db, clock)
    assert job is not None
    state = await runner.run(job)
    await db.write(jobs.finish, job.id, "w_1", state, None, clock.now())
    return state


async def test_a_job_is_taken_up_when_it_is_due_and_not_before(
    db: Database, clock: HeldClock, watched: Rechecks
) -> None:
    """The queue also says when the next one is due, so that an open server looks then."""
    early = await claimed(db, clock)
    state = await db.read(jobs.queue_state, "w_1", clock.now(), KINDS)
    clock.pass_by(WEEK.total_seconds())

    due = await claimed(db, clock)

    assert (early, state.is_claimable, state.next_lapse) == (None, False, NOW + WEEK)
    assert due is not None
    assert (due.kind, due.task_id, due.due_at) == (RECHECK_JOB, TASK, NOW + WEEK)


async def test_a_run_repeats_every_search_once_and_makes_the_next_due(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """Nothing is new, so nothing is told; repeated searches are no searches of the client."""
    clock.pass_by(WEEK.total_seconds())
    played = Played(parts)

    state = await work(db, clock, RecheckRunner(parts, played))

    (run,) = await watched.runs(TASK, 10)
    (listed,) = await watched.list()
    assert (state, played.ran) == (JobState.DONE, ["gliptins mortality"])
    assert run.report is not None
    assert run.state is RecheckState.DONE
    assert (run.report.searches, run.report.has_changes, run.report.since) == (1, False, NOW)
    assert (listed.due_at, listed.last_run_id) == (NOW + 2 * WEEK, run.id)
    assert [one.recheck_id for one in await db.read(searches.of_task, TASK)] == [None]


async def test_a_change_is_told_once_with_the_words_that_are_gone(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks, said: Any
) -> None:
    """The page says something else; the second run finds nothing more."""
    old = said("https://a.example/1", "a.example", "It rose.", Relation.SUPPORTS, 0.9, TrustLevel.UNVERIFIED)
    new = replace(old, words="It fell.")
    clock.pass_by(WEEK.total_seconds())
    page = replace(new.page, fetched_at=clock.now())
    await db.write(pages.save, page, [replace(new.fragment, id="f_new")])
    runner = RecheckRunner(parts, Played(parts))
    await work(db, clock, runner)
    clock.pass_by(WEEK.total_seconds())

    await work(db, clock, runner)

    second, first = [run.report for run in await watched.runs(TASK, 10)]
    assert first is not None
    assert second is not None
    assert [(one.url, one.quotes) for one in first.changed] == [("https://a.example/1", ("It rose.",))]
    assert [(one.before.value, one.after.value) for one in first.verdicts] == [("supported", "unverified")]
    assert second.has_changes is False


async def test_without_a_network_the_run_is_put_off_and_stays_due(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """It is tried again a quarter of an hour later with the same run, and then reports."""

    def unreachable(_: str) -> None:
        raise NetworkUnavailable("No search engine could be reached: mojeek.")

    clock.pass_by(WEEK.total_seconds())
    played = Played(parts, unreachable)
    runner = RecheckRunner(parts, played)
    first = await work(db, clock, runner)
    put_off = await watched.wait(TASK)
    still_due = [one.task_id for one in await watched.due()]
    too_early = await claimed(db, clock)
    clock.pass_by(15 * 60)
    played.play = lambda _: None

    second = await work(db, clock, runner)

    (run,) = await watched.runs(TASK, 10)
    assert put_off is not None
    assert still_due == [TASK]
    assert (first, put_off.state, put_off.reason) == (
        JobState.QUEUED, RecheckState.WAITING, "No search engine could be reached: mojeek.",
    )  # fmt: skip
    assert (too_early, second, run.id, run.state) == (None, JobState.DONE, put_off.id, RecheckState.DONE)
    assert played.ran == ["gliptins mortality"] * 2


async def test_who_comes_second_waits_for_the_run_of_the_first(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """Asked for while another process repeats it, the task is repeated once, and both have the same report."""
    await watched.start(TASK)
    job = await claimed(db, clock)
    assert job is not None
    other = Rechecks(db, clock, Tasks(db, clock, parts.settings), lambda: None)
    await other.start(TASK)
    second = await claimed(db, clock, "w_2")
    await RecheckRunner(parts, Played(parts)).run(job)

    seen = [await one.wait(TASK) for one in (watched, other)]

    assert second is None
    assert [one.id for one in seen if one is not None] == [job.payload["run_id"]] * 2


async def test_a_search_that_engines_refuse_is_named_and_the_run_goes_on(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """A refusal is no missing network: the report says what could not be repeated."""

    def refused(_: str) -> None:
        raise AllEnginesBlocked("Every search engine refuses for now.")

    clock.pass_by(WEEK.total_seconds())

    state = await work(db, clock, RecheckRunner(parts, Played(parts, refused)))

    (run,) = await watched.runs(TASK, 10)
    assert run.report is not None
    assert state is JobState.DONE
    assert [(one.query, one.reason) for one in run.report.failed] == [
        ("gliptins mortality", "Every search engine refuses for now.")
    ]


async def test_a_search_that_the_budget_cut_short_is_named(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """What was not visited may have changed: a report without news must not hide that."""
    cut = "the task's budget of 120 pages is used up"

    class Short(Played):
        async def run(self, job: Job) -> JobState:
            await super().run(job)
            search = await self._parts.db.read(searches.get, str(job.payload["search_id"]))
            assert search is not None
            await self._parts.db.write(searches.save, replace(search, reason=cut))
            return JobState.DONE

    clock.pass_by(WEEK.total_seconds())

    await work(db, clock, RecheckRunner(parts, Short(parts)))

    (run,) = await watched.runs(TASK, 10)
    assert run.report is not None
    assert [(one.query, one.reason) for one in run.report.failed] == [("gliptins mortality", cut)]


class Visits(Played):
    """Asks for the page of the evidence, with this end."""

    def __init__(self, parts: SearchParts, state: CandidateState, reason: str | None) -> None:
        super().__init__(parts)
        self.end = (state, reason)

    async def run(self, job: Job) -> JobState:
        search = await self._parts.db.read(searches.get, str(job.payload["search_id"]))
        assert search is not None
        (known,) = await self._parts.db.read(rechecks.pages_to_visit, search)
        await self._parts.db.write(candidates.add, [replace(known, id=f"r_{search.id}")])
        await self._parts.db.write(candidates.set_state, f"r_{search.id}", *self.end)
        return await super().run(job)


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (CandidateState.FAILED, "failed: Status 503: the server has an error."),
        (CandidateState.BLOCKED, "cooling_down: a.example rests after refusing requests."),
    ],
    ids=["no answer", "blocked"],
)
async def test_a_page_of_the_evidence_that_could_not_be_read_is_named(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks, state: CandidateState, reason: str
) -> None:
    """It is not counted as visited, and what it said stays as it was: neither gone nor changed."""
    clock.pass_by(WEEK.total_seconds())

    await work(db, clock, RecheckRunner(parts, Visits(parts, state, reason)))

    (run,) = await watched.runs(TASK, 10)
    assert run.report is not None
    assert [(one.url, one.reason, one.supports, one.refutes) for one in run.report.unread] == [
        ("https://a.example/1", reason, 1, 0)
    ]
    assert (run.report.visited, run.report.gone, run.report.changed) == (0, (), ())


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (CandidateState.REUSED, None),
        (CandidateState.FAILED, "not_found: Status 404: there is no such page."),
    ],
    ids=["as before", "gone"],
)
async def test_a_page_that_answered_is_not_said_to_be_unread(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks, state: CandidateState, reason: str | None
) -> None:
    """That a page is no longer there is an answer, too."""
    clock.pass_by(WEEK.total_seconds())

    await work(db, clock, RecheckRunner(parts, Visits(parts, state, reason)))

    (run,) = await watched.runs(TASK, 10)
    assert run.report is not None
    assert (run.report.unread, run.report.visited) == ((), 1)


async def test_pages_of_a_search_that_was_refused_are_named_as_not_visited(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """Nobody asked for them, so nothing is known of them either."""

    def refused(_: str) -> None:
        raise AllEnginesBlocked("Every search engine refuses for now.")

    clock.pass_by(WEEK.total_seconds())

    await work(db, clock, RecheckRunner(parts, Played(parts, refused)))

    (run,) = await watched.runs(TASK, 10)
    assert run.report is not None
    assert [(one.url, one.reason) for one in run.report.unread] == [
        ("https://a.example/1", "It was not asked for: the search ended before.")
    ]


class Killed(BaseException):
    """The process ends here."""


async def test_after_a_crash_another_process_goes_on_and_does_nothing_twice(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """Searches that had ended are left alone, and there is one run, one report and one next job."""
    first = (await db.read(searches.of_task, TASK))[0]
    await db.write(
        searches.insert, replace(first, id="s_2", query="gliptins heart", created_at=NOW + timedelta(seconds=1))
    )
    clock.pass_by(WEEK.total_seconds())

    def dies(query: str) -> None:
        if query == "gliptins heart":
            raise Killed

    played = Played(parts, dies)
    job = await claimed(db, clock)
    assert job is not None
    with pytest.raises(Killed):
        await RecheckRunner(parts, played).run(job)
    clock.pass_by(16)
    played.play = lambda _: None
    runner = RecheckRunner(parts, played)
    taken = await claimed(db, clock, "w_2")
    assert taken is not None
    await runner.run(taken)

    again = await runner.run(taken)  # died between its report and its end

    (run,) = await watched.runs(TASK, 10)
    waiting = [one for one in await db.read(jobs.of_task, TASK) if one.state is JobState.QUEUED]
    assert (taken.id, again, run.state) == (job.id, JobState.DONE, RecheckState.DONE)
    assert played.ran == ["gliptins mortality", "gliptins heart", "gliptins heart"]
    assert len(waiting) == 1


async def test_a_run_spends_its_own_budget_and_not_the_tasks(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """The client's pages stay the client's, and a run that has spent its own sees the end of them."""
    await watched.add(TASK, "7d", max_pages=1)
    clock.pass_by(WEEK.total_seconds())
    await work(db, clock, RecheckRunner(parts, Played(parts)))
    (run,) = await watched.runs(TASK, 1)
    (search,) = await db.read(searches.of_recheck, run.id)
    (candidate,) = await db.read(candidates.of_search, f"s_{TASK}")

    await db.write(transactions.note_fetched, search, candidate.id, candidate.page_id)

    own, task = await db.read(rechecks.task_with_budget, search), await db.read(tasks.get, TASK)
    assert (own.budget.max_pages, own.pages_used) == (1, 1)
    assert (task.budget.max_pages, task.pages_used) == (120, 0)


async def test_stopping_a_task_leaves_it_watched(db: Database, clock: HeldClock, watched: Rechecks) -> None:
    """Research that is done is what one watches."""
    await db.write(transactions.stop_task, TASK, "completed", "completed", clock.now())

    (listed,) = await watched.list()

    assert (listed.task_id, listed.job_state) == (TASK, JobState.QUEUED)


async def test_a_clock_that_is_set_back_does_not_put_the_next_run_off_for_years(
    db: Database, clock: HeldClock, watched: Rechecks
) -> None:
    """A due time more than an interval ahead was written by a clock that ran ahead."""
    clock.moment = NOW - timedelta(days=900)

    (listed,) = await watched.list()

    assert listed.due_at == NOW - timedelta(days=900) + WEEK


async def test_what_was_missed_is_not_made_up_for(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """A machine that was off for ten weeks, or a clock that jumped, makes one run."""
    clock.pass_by(10 * WEEK.total_seconds())
    await work(db, clock, RecheckRunner(parts, Played(parts)))

    more = await claimed(db, clock)

    (listed,) = await watched.list()
    assert (more, listed.due_at) == (None, NOW + 11 * WEEK)


async def test_who_removes_a_task_ends_the_run_under_way(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """The other process finds its job cancelled; removing twice is an error that says so."""
    clock.pass_by(WEEK.total_seconds())
    job = await claimed(db, clock)
    assert job is not None

    await watched.remove(TASK)

    state = await RecheckRunner(parts, Played(parts)).run(job)
    kept = await db.write(jobs.heartbeat, "w_1", [job.id], clock.now() + timedelta(seconds=15))
    with pytest.raises(InvalidParams, match="is not watched"):
        await watched.remove(TASK)
    assert (state, kept, await watched.list()) == (JobState.DONE, set(), ())


async def test_a_run_that_breaks_is_told_and_the_next_one_is_due(
    db: Database, clock: HeldClock, parts: SearchParts, watched: Rechecks
) -> None:
    """Given up after too many starts, for instance."""
    clock.pass_by(WEEK.total_seconds())
    job = await claimed(db, clock)
    assert job is not None
    runner = RecheckRunner(parts, Played(parts))
    await db.write(_begun, job)

    await runner.failed(job, LyraError("Given up after 3 starts."))

    (run,) = await watched.runs(TASK, 1)
    waiting = [one.due_at for one in await db.read(jobs.of_task, TASK) if one.state is JobState.QUEUED]
    assert (run.state, run.reason, waiting) == (RecheckState.FAILED, "Given up after 3 starts.", [NOW + 2 * WEEK])


def _begun(connection: Any, job: Job) -> None:
    from lyra.research.recheck_run import _begin

    _begin(connection, job, NOW + WEEK)


async def test_a_task_that_is_gone_or_has_no_search_cannot_be_watched(
    db: Database, clock: HeldClock, watched: Rechecks
) -> None:
    """Nothing is left behind by the attempt."""
    empty = replace(await db.read(tasks.get, TASK), id="task_00000000000e")
    await db.write(tasks.insert, empty)

    with pytest.raises(TaskNotFound):
        await watched.add("task_00000000000f", "7d")
    with pytest.raises(InvalidParams, match="has no search to repeat"):
        await watched.add(empty.id, "7d")

    assert [one.task_id for one in await watched.list()] == [TASK]
