"""The life of tasks and searches in the database."""

from datetime import timedelta
from typing import Any

import pytest

from lyra.answers.research import StatusAnswer
from lyra.errors import (
    AllEnginesBlocked,
    BudgetExhausted,
    ChromeNotReady,
    DiskFull,
    InvalidParams,
    LyraError,
    PipelineError,
    StorageError,
    TaskNotFound,
)
from lyra.model.handoff import Handoff
from lyra.model.job import JobState
from lyra.model.search import SearchOptions, SearchPhase, SearchStatus, Source
from lyra.model.task import Budget, Hypothesis, TaskConfig, TaskStatus
from lyra.research.pipeline import Pipeline
from lyra.storage import claims, handoffs, searches, tasks


async def test_priority_domains_are_kept_as_publishers(office: Any) -> None:
    """A host or a subdomain means its publisher, as ranking compares them."""
    task = await office.task(priority_domains=("www.fdso.gov", "FDSO.gov", "news.example.co.jp"))

    assert (await office.get(task.id)).priority_domains == ("fdso.gov", "example.co.jp")


@pytest.mark.parametrize(("given", "kept"), [("ja", "ja"), (" ja-JP ", "ja"), ("EN_us", "en"), (None, None)])
async def test_main_language_is_kept_by_its_code(office: Any, given: str | None, kept: str | None) -> None:
    """Regions are left away: queries are derived for languages."""
    task, _ = await office.tasks.create("Do gliptins lower HbA1c?", TaskConfig(language=given))

    assert (await office.get(task.id)).language == kept


@pytest.mark.parametrize("given", ["日本語", "xx", "xx-JP", "jpn", ""])
async def test_language_that_is_no_code_is_refused(office: Any, given: str) -> None:
    """What is no code of ISO 639-1 would be kept and steer nothing."""
    with pytest.raises(InvalidParams, match=f"{given!r} is not a language code"):
        await office.tasks.create("Do gliptins lower HbA1c?", TaskConfig(language=given))


async def test_the_same_hypothesis_twice_is_one_claim(office: Any) -> None:
    """Both places of the answer name it."""
    config = TaskConfig(hypotheses=(Hypothesis("Gliptins are safe."), Hypothesis("GLIPTINS are  safe.")))

    task, ids = await office.tasks.create("q", config)

    assert ids[0] == ids[1]
    assert [claim.claim_text for claim in await office.db.read(claims.of_task, task.id)] == ["Gliptins are safe."]


async def test_a_bad_hypothesis_leaves_no_task_behind(office: Any) -> None:
    """All or nothing."""
    with pytest.raises(InvalidParams, match=r"^hypotheses is empty\.$"):
        await office.tasks.create("q", TaskConfig(hypotheses=(Hypothesis("Good."), Hypothesis("\u200b"))))

    assert await office.tasks.recent(10) == ()


@pytest.mark.parametrize("task_id", ["task_ffffffffffff", "", "TASK_ffffffffffff", "task_ffffffffffff ", "'"])
async def test_unknown_and_malformed_ids_are_the_same_error(office: Any, task_id: str) -> None:
    """TASK_NOT_FOUND, whatever was asked."""
    with pytest.raises(TaskNotFound):
        await office.status.wait(task_id, 0)
    with pytest.raises(TaskNotFound):
        await office.searches.start(task_id, "q", SearchOptions())
    with pytest.raises(TaskNotFound):
        await office.tasks.stop(task_id, "completed")


@pytest.mark.parametrize(
    ("reason", "final"),
    [
        ("completed", "completed"),
        ("user_cancelled", "cancelled"),
        ("budget_exhausted", "partial"),
        ("予算切れ", "partial"),
    ],
)
async def test_the_reason_decides_the_final_status(office: Any, reason: str, final: str) -> None:
    """SPEC §2: completed, cancelled, else partial; the reason is kept."""
    task = await office.task()

    stopped = await office.tasks.stop(task.id, reason)

    stored = await office.get(task.id)
    assert stopped.final_status == final
    assert (stored.status, stored.final_status, stored.reason) == (TaskStatus.COMPLETED, final, reason)


async def test_stopping_cancels_what_runs_for_good(office: Any) -> None:
    """The pipeline may still be at work for a moment: nothing it writes brings the search back to life."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)

    await office.tasks.stop(task.id, "completed")
    await run.enter_phase(SearchPhase.FETCH)
    await run.pause("idle")
    await run.finish(SearchStatus.SATISFIED, reason="late")

    stored = await office.search(search.id)
    assert (stored.status, stored.reason) == (SearchStatus.CANCELLED, "the task was stopped")
    assert (await office.get(task.id)).status is TaskStatus.COMPLETED
    assert await office.job_states(task) == [JobState.CANCELLED]


async def test_a_search_is_queued_and_the_worker_woken(office: Any) -> None:
    """Search and job are written together; the task explores."""
    task = await office.task()

    search = await office.searches.start(task.id, " saxagliptin\nheart failure ", SearchOptions(refute=True))

    stored = await office.search(search.id)
    assert (stored.query, stored.status, stored.phase) == ("saxagliptin heart failure", SearchStatus.RUNNING, "queued")
    assert stored.options.refute is True
    assert office.woken == ["woken"]
    assert (await office.get(task.id)).status is TaskStatus.EXPLORING


async def test_a_source_that_is_not_there_is_refused(office: Any) -> None:
    """Rather than searched and found empty."""
    task = await office.task()

    with pytest.raises(InvalidParams) as refused:
        await office.searches.start(task.id, "q", SearchOptions(sources=(Source.LIBRARY,)))

    assert refused.value.message == "There is no library of documents yet."
    assert refused.value.remedy == "A person adds a folder: `lyra library add DIR`."


@pytest.mark.parametrize(("pages", "seconds"), [(120, 0.0), (0, 1200.0)])
async def test_an_exhausted_budget_refuses_until_it_is_extended(office: Any, pages: int, seconds: float) -> None:
    """Pages or seconds; the extension stays."""
    task = await office.task()
    await office.db.write(tasks.add_usage, task.id, pages, seconds)

    with pytest.raises(BudgetExhausted):
        await office.searches.start(task.id, "q", SearchOptions())
    await office.searches.start(task.id, "q", SearchOptions(), extend_pages=10, extend_seconds=60)

    assert (await office.get(task.id)).budget == Budget(130, 1260)


async def test_waiting_ends_at_its_limit_with_what_there_is(office: Any) -> None:
    """The search goes on; the client is told that it runs."""
    task = await office.task()
    search, _ = await office.begun(task)

    report = await office.searches.wait(search.id, 20)

    assert office.clock.monotonic() == 20
    assert (report.search.status, report.pages_left, report.percent_left) == (SearchStatus.RUNNING, 120, 100)


async def test_nobody_waits_for_a_task_that_a_person_holds_back(office: Any) -> None:
    """Nothing will move before somebody resumes it: the client is told so at once."""
    task = await office.task()
    search, _ = await office.begun(task)
    await office.tasks.pause(task.id)

    report = await office.searches.wait(search.id, 20)

    assert office.clock.monotonic() == 0
    assert (report.search.status, report.search.reason) == (
        SearchStatus.RUNNING,
        "a person has paused the task; `lyra task resume` continues it",
    )


async def test_nobody_waits_longer_than_the_longest_wait(office: Any) -> None:
    """server.max_wait_seconds bounds what a client may ask for."""
    task = await office.task()
    search, _ = await office.begun(task)

    await office.searches.wait(search.id, 1_000_000)

    assert office.clock.monotonic() == office.settings.server.max_wait_seconds


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ALL_ENGINES_BLOCKED", AllEnginesBlocked),
        ("CHROME_NOT_READY", ChromeNotReady),
        ("INVALID_PARAMS", InvalidParams),
        ("PIPELINE_ERROR", PipelineError),
        ("INTERNAL_ERROR", StorageError),
    ],
)
async def test_a_failed_search_raises_what_it_failed_with(office: Any, code: str, kind: type[LyraError]) -> None:
    """The code survives the database; the time to come back counts down meanwhile."""
    task = await office.task()
    search, _ = await office.begun(task)
    now = office.clock.now()
    retry_at = now + timedelta(seconds=1800)
    await office.db.write(
        searches.end, search.id, SearchStatus.FAILED, "It failed.", now, error_code=code, retry_at=retry_at
    )
    office.clock.pass_by(600)

    with pytest.raises(kind) as raised:
        await office.searches.wait(search.id, 20)

    assert (raised.value.message, raised.value.retry_after_s) == ("It failed.", 1200)
    assert raised.value.details == {"search_id": search.id, "problems": []}


async def test_whoever_polls_is_told_the_error_of_a_search_that_failed_later(office: Any) -> None:
    """Code, whether to try again, when, and what to do, as the error itself had it; one that ended well has none."""
    task = await office.task()
    failed, job = await office.begun(task)
    await office.settle(job, JobState.FAILED)
    fine, _ = await office.begun(task)
    error = ChromeNotReady("The profile is held.", remedy="Close that browser and try again.", retry_after_s=60)
    await Pipeline(office.parts).failed(job, error)
    await office.db.write(searches.end, fine.id, SearchStatus.PARTIAL, "enough", office.clock.now())
    office.clock.pass_by(20)

    rows = {
        row["id"]: row for row in StatusAnswer.from_report(await office.status.report(task.id)).cli_fields()["searches"]
    }

    told = {name: rows[failed.id][name] for name in ("reason", "error_code", "retryable", "retry_after_s", "remedy")}
    assert told == {
        "reason": "The profile is held.",
        "error_code": "CHROME_NOT_READY",
        "retryable": True,
        "retry_after_s": 40,
        "remedy": "Close that browser and try again.",
    }
    assert [name for name in rows[fine.id] if name in told] == ["reason"]


async def test_a_full_disk_may_be_tried_again_though_its_code_may_not(office: Any) -> None:
    """INTERNAL_ERROR is not retryable, a full disk is: what the error said is kept."""
    task = await office.task()
    search, job = await office.begun(task)
    await Pipeline(office.parts).failed(job, DiskFull("The disk is full.", remedy="Free some space."))

    with pytest.raises(StorageError) as raised:
        await office.searches.wait(search.id, 20)

    assert (raised.value.code, raised.value.retryable, raised.value.remedy) == (
        "INTERNAL_ERROR",
        True,
        "Free some space.",
    )


async def test_a_search_that_a_person_can_free_says_so(office: Any) -> None:
    """Behind a wall before the engines the queue is the first remedy, and time the second."""
    task = await office.task()
    search, _ = await office.begun(task)
    now = office.clock.now()
    code = "ALL_ENGINES_BLOCKED"
    await office.db.write(searches.end, search.id, SearchStatus.FAILED, "They refuse.", now, error_code=code)
    wall = Handoff("auth_1", task.id, search.id, "mojeek.com", "https://www.mojeek.com/search?q=a", "captcha", now)
    await office.db.write(handoffs.insert, wall)

    with pytest.raises(AllEnginesBlocked) as raised:
        await office.searches.wait(search.id, 20)

    assert str(raised.value.remedy).startswith(
        "A person can open the pages that refuse: get_auth_queue lists them, and the search continues after"
    )


async def test_progress_is_told_once_for_each_step_and_always_grows(office: Any) -> None:
    """MCP wants a growing figure; phases without pages must not repeat it."""
    task = await office.task()
    search, _ = await office.begun(task)
    run = await office.run(search)
    phases = [SearchPhase.QUEUED, SearchPhase.DISCOVER, SearchPhase.IDENTIFY, SearchPhase.RANK]
    heard: list[tuple[float, float | None, str]] = []

    async def hear(done: float, total: float | None, message: str) -> None:
        heard.append((done, total, message))
        await run.enter_phase(phases[min(len(heard), 3)])

    await office.searches.wait(search.id, 2, hear)

    assert [message.split(":")[0] for _, _, message in heard] == ["queued", "discover", "identify", "rank"]
    assert [done for done, _, _ in heard] == [0, 1 / 2, 2 / 3, 3 / 4]
    assert {total for _, total, _ in heard} == {31}
