"""What a client hears of its hypotheses, and how long it may wait for it."""

from dataclasses import replace
from typing import Any

import pytest

from lyra.answers.research import StatusAnswer
from lyra.errors import InvalidParams
from lyra.model.claim import Verdict, VerdictChange
from lyra.model.search import Search, SearchOptions, SearchPhase, SearchStatus, Source
from lyra.model.task import Budget, Hypothesis, TaskConfig
from lyra.research.asking import MAX_HYPOTHESES, start_asking
from lyra.storage import claims, searches

SAFE, HARMFUL = Hypothesis("Gliptins are safe."), Hypothesis("Gliptins cause pancreatitis.")


async def judge(office: Any, claim_id: str, verdict: Verdict) -> None:
    """As if evidence had given the claim this verdict."""
    stored = await office.db.read(claims.get, claim_id)
    changed = replace(stored.assessment, verdict=verdict)
    await office.db.write(claims.save_assessments, [changed], office.clock.now())


async def test_status_lists_the_hypotheses_in_the_order_given(office: Any) -> None:
    """Each with its assessment; claims that were found are not among them."""
    task, ids = await office.tasks.create("q", TaskConfig(hypotheses=(SAFE, HARMFUL)))
    await judge(office, ids[1], Verdict.CONTESTED)

    report = await office.status.report(task.id)

    assert [(one.claim.id, one.assessment.verdict) for one in report.hypotheses] == [
        (ids[0], Verdict.UNVERIFIED),
        (ids[1], Verdict.CONTESTED),
    ]


async def test_search_tells_which_verdicts_changed_since_it_began(office: Any) -> None:
    """While it runs, up to now."""
    task, ids = await office.tasks.create("q", TaskConfig(hypotheses=(SAFE, HARMFUL)))
    search, _ = await office.begun(task)
    await judge(office, ids[1], Verdict.LIKELY_FALSE)

    report = await office.searches.wait(search.id, 0)

    assert report.changed == (VerdictChange(ids[1], Verdict.UNVERIFIED, Verdict.LIKELY_FALSE),)
    assert [one.claim.id for one in report.hypotheses] == ids


async def test_what_changes_after_a_search_is_not_its_doing(office: Any) -> None:
    """Its own changes are those up to its end, whenever it is asked for again."""
    task, (claim_id,) = await office.tasks.create("q", TaskConfig(hypotheses=(SAFE,)))
    search, _ = await office.begun(task)
    await judge(office, claim_id, Verdict.SUPPORTED)
    await (await office.run(search)).finish(SearchStatus.SATISFIED)
    await judge(office, claim_id, Verdict.CONTESTED)

    report = await office.searches.wait(search.id, 0)

    assert report.changed == (VerdictChange(claim_id, Verdict.UNVERIFIED, Verdict.SUPPORTED),)


async def test_status_tells_what_each_ended_search_changed(office: Any) -> None:
    """So that a client that waited for the end learns it; of one that runs nothing is told yet, words are explained."""
    task, (claim_id,) = await office.tasks.create("q", TaskConfig(hypotheses=(SAFE,)))
    ended, _ = await office.begun(task)
    await judge(office, claim_id, Verdict.SUPPORTED)
    await (await office.run(ended)).finish(SearchStatus.SATISFIED)
    running = await office.searches.start(task.id, "q", SearchOptions())
    await judge(office, claim_id, Verdict.CONTESTED)

    answer = StatusAnswer.from_report(await office.status.report(task.id))

    assert {one.id: one.model_dump(exclude_unset=True).get("changed") for one in answer.searches or ()} == {
        ended.id: [{"id": claim_id, "verdict_before": "unverified", "verdict_after": "supported"}],
        running.id: None,
    }
    assert list(answer.meaning or ()) == ["verdict supported", "verdict contested", "verdict unverified"]


async def test_until_done_waits_past_every_page(office: Any) -> None:
    """A page that was read wakes a client that waits for a change, not one that waits for the end."""
    task = await office.task()
    search, _ = await office.begun(task)
    told: list[float] = []

    async def next_step(done: float, total: float | None, message: str) -> None:
        told.append(done)

    pages = iter(range(1, 4))
    sleep = office.clock.sleep

    async def work(seconds: float) -> None:
        await sleep(seconds)
        page = next(pages, None)
        stored = replace(await office.search(search.id), phase="fetch", pages_fetched=page or 3)
        ended = stored if page else replace(stored, status=SearchStatus.SATISFIED)
        await office.db.write(searches.save, ended)

    office.clock.sleep = work
    changed = await office.status.wait(task.id, 60)
    done = await office.status.wait(task.id, 60, next_step, until_done=True)

    assert (changed.searches[0].status, changed.searches[0].pages_fetched) == (SearchStatus.RUNNING, 1)
    assert (done.searches[0].status, done.searches[0].pages_fetched) == (SearchStatus.SATISFIED, 3)
    assert told == sorted(set(told))
    assert office.clock.monotonic() == 1.0


async def test_until_done_does_not_wait_for_a_person_who_paused_the_task(office: Any) -> None:
    """Nothing will move until the task is resumed."""
    task = await office.task()
    await office.searches.start(task.id, "saxagliptin", SearchOptions())
    await office.tasks.pause(task.id)

    report = await office.status.wait(task.id, 600, until_done=True)

    assert (report.searches[0].phase, office.clock.monotonic()) == (SearchPhase.QUEUED, 0.0)


async def planned(office: Any, task_id: str) -> list[Search]:
    return list(await office.db.read(searches.of_task, task_id))


async def test_asking_searches_for_the_question_and_against_each_hypothesis(office: Any) -> None:
    """Their own words, nothing else; pages are shared out evenly."""
    config = TaskConfig(budget=Budget(max_pages=10), hypotheses=(SAFE, HARMFUL, SAFE))

    task = await start_asking(office.tasks, office.searches, "Are gliptins safe?", config, SearchOptions(), 30)

    first, second = (one.claim.id for one in (await office.status.report(task.id)).hypotheses)
    assert {(one.query, one.options) for one in await planned(office, task.id)} == {
        ("Are gliptins safe?", SearchOptions(max_pages=3)),
        ("Gliptins are safe.", SearchOptions(max_pages=3, refute=True, claim_ids=(first,))),
        ("Gliptins cause pancreatitis.", SearchOptions(max_pages=3, refute=True, claim_ids=(second,))),
    }


async def test_question_alone_is_searched_with_its_refutations(office: Any) -> None:
    """No hypothesis: what speaks against what is found is looked for by the question's own words."""
    task = await start_asking(
        office.tasks, office.searches, "Are gliptins safe?", TaskConfig(), SearchOptions(sources=(Source.WEB,)), 30
    )

    (search,) = await planned(office, task.id)
    assert (search.query, search.options) == (
        "Are gliptins safe?",
        SearchOptions(max_pages=30, refute=True, sources=(Source.WEB,)),
    )


@pytest.mark.parametrize(
    ("question", "hypotheses", "options", "message"),
    [
        ("q", (SAFE,) * (MAX_HYPOTHESES + 1), SearchOptions(), "There are 21 hypotheses; at most 20 are taken."),
        ("q", (Hypothesis("\u200b"),), SearchOptions(), "hypothesis 1 is empty."),
        ("q", (SAFE, Hypothesis(" ")), SearchOptions(), "hypothesis 2 is empty."),
        (" ", (SAFE,), SearchOptions(), "question is empty."),
        ("q", (SAFE,), SearchOptions(engines=("askjeeves",)), "There is no engine 'askjeeves'."),
        ("x" * 2001, (), SearchOptions(), "question has 2001 characters; at most 2000 are taken."),
    ],
    ids=[
        "too many hypotheses",
        "empty hypothesis",
        "empty second",
        "empty question",
        "unknown engine",
        "long question",
    ],
)
async def test_wrong_arguments_leave_no_task_behind(
    office: Any, question: str, hypotheses: tuple[Hypothesis, ...], options: SearchOptions, message: str
) -> None:
    """Everything is checked before anything is written."""
    config = TaskConfig(hypotheses=hypotheses)

    with pytest.raises(InvalidParams) as refused:
        await start_asking(office.tasks, office.searches, question, config, options, 30)

    assert refused.value.message == message
    assert await office.tasks.recent(10) == ()
