"""A search whose process died stops where it would have stopped: the next one knows what was read."""

from datetime import timedelta
from typing import Any

from lyra.ids import derived_id
from lyra.model.page import Page
from lyra.model.search import Candidate, CandidateState
from lyra.research.search_run import StopReason
from lyra.storage import candidates, journal, pages, searches

USELESS = (False,) * 20


async def test_what_was_not_new_is_remembered(office: Any) -> None:
    """Two cycles without anything new end the search, also where another process had read the first."""
    task = await office.task()
    search, job = await office.begun(task)
    await office.db.write(journal.append, [searches.novelty_event(task.id, search.id, USELESS, office.clock.now())])
    office.clock.pass_by(20)

    after = await office.run(await office.search(search.id))
    forgetful = await after.should_stop()
    await after.load_progress(job.created_at)

    assert forgetful is None
    assert await after.should_stop() == StopReason("nothing new was found over two cycles")


async def test_a_new_job_of_the_search_begins_anew(office: Any) -> None:
    """Pages that a person has opened are read, however little was new before; its novelty is of its whole life."""
    task = await office.task()
    search, job = await office.begun(task)
    await office.db.write(journal.append, [searches.novelty_event(task.id, search.id, USELESS, office.clock.now())])
    office.clock.pass_by(20)

    resumed = await office.run(await office.search(search.id))
    await resumed.load_progress(job.created_at + timedelta(seconds=20))
    stop = await resumed.should_stop()
    await resumed.count_page((True,) * 5)

    assert stop is None
    assert (await office.search(search.id)).novelty_score == 0.25


async def test_a_page_that_was_read_but_not_yet_counted_counts(office: Any) -> None:
    """The process died between noting the page and the search's figures: the limit of the search holds all the same."""
    task = await office.task()
    search, job = await office.begun(task)
    url = "https://www.fdso.gov/safety/dpp4-heart-failure"
    await office.db.write(pages.save, Page("p_1", url, "fdso.gov", "DPP-4", "en", office.clock.now()), [])
    found = Candidate(derived_id("r", search.id, url), search.id, url, "", "", "mojeek", 1)
    await office.db.write(candidates.add, [found])
    await office.db.write(candidates.set_state, found.id, CandidateState.FETCHED, None, "p_1")

    run = await office.run(await office.search(search.id))
    before = run.search.pages_fetched
    await run.load_progress(job.created_at)

    assert (before, run.search.pages_fetched) == (0, 1)
