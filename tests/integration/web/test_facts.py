"""What screens say, read as plain answers: remedies, states of work, retractions, levels, figures."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from apsw import Connection

from lyra.ids import text_hash
from lyra.model.claim import Mention, Verdict
from lyra.model.edge import Edge, Relation
from lyra.model.job import Job, JobState
from lyra.model.page import PageNotice
from lyra.model.recheck import PageNews, RecheckReport, RecheckRun, RecheckState, RecheckVerdictChange
from lyra.model.task import Budget
from lyra.research.assessing import Assessor
from lyra.storage import claims, edges, jobs, rechecks, votes

from .conftest import (
    AGAINST,
    EMPTY,
    HYPOTHESIS,
    LARGE,
    NOW,
    PAGE_AGAINST,
    PAGE_FOR,
    QUESTION,
    TASK,
    Dashboard,
    claim_id,
    fragment_id,
    judged_edge,
    page_id,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def seen(dashboard: Dashboard, path: str, part: str = "main") -> str:
    """The words of a part of a screen, by its id, without markup."""
    answer = await dashboard.ask(path, headers={"Accept-Language": "en"})
    found = re.search(rf'<(\w+) id="{part}".*?</\1>', answer.text, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else ""


async def test_remedy_names_commands(dashboard: Dashboard) -> None:
    """A person in a browser has a terminal and no tools of a client."""
    english = await dashboard.ask("/tasks/task_nope", headers={"Accept-Language": "en"})
    japanese = await dashboard.ask("/tasks/task_nope", headers={"Accept-Language": "ja"})

    assert (english.status_code, japanese.status_code) == (404, 404)
    assert "Make one with `lyra task new`; `lyra task list` lists those there are." in english.text
    assert ("`lyra task list`" in japanese.text, "create_task" in japanese.text) == (True, False)


async def test_search_that_nobody_works_on_waits(dashboard: Dashboard) -> None:
    """A search runs while a process holds the lease on its job; before and after it waits, and what goes on with it is
    said. A task without a search under way is ready for the next one."""
    job = Job("j_1", "search", JobState.QUEUED, NOW, task_id=TASK, cause_id="s_1")
    waits = "waiting 1 search waits: `lyra serve` or `lyra search` goes on"
    await dashboard.lyra.db.write(jobs.enqueue, job)
    before = await seen(dashboard, f"/tasks/{TASK}", "state")
    now = dashboard.lyra.clock.now()
    await dashboard.lyra.db.write(jobs.claim_next, "process_1", now, now + timedelta(hours=1), ["search"])
    during = await seen(dashboard, f"/tasks/{TASK}", "state")
    listed = await seen(dashboard, "/")
    searches = await seen(dashboard, f"/tasks/{TASK}", "searches")
    await dashboard.lyra.db.write(jobs.release, "process_1", now)
    after = await seen(dashboard, f"/tasks/{TASK}", "state")
    searches_after = await seen(dashboard, f"/tasks/{TASK}", "searches")
    ready = await seen(dashboard, f"/tasks/{EMPTY}", "state")

    assert (before[: len(waits)], after[: len(waits)]) == (waits, waits)
    assert (during[:26], "1 search running" in listed) == ("searching 1 search running", True)
    assert (searches.startswith("running "), searches_after.startswith("waiting ")) == (True, True)
    assert ready.startswith("ready for the next search")


async def test_retraction_is_marked_wherever_a_claim_or_its_source_stands(dashboard: Dashboard) -> None:
    """A claim that only a retracted page states, whether or not it was judged; a hypothesis with one such source of
    two; and the page itself."""
    stated = Mention(claim_id(QUESTION), fragment_id(PAGE_AGAINST), AGAINST, 0, len(AGAINST), text_hash(AGAINST))
    await dashboard.lyra.db.write(claims.add_mentions, [stated])
    await dashboard.lyra.db.write(votes.note_page, page_id(PAGE_AGAINST), PageNotice(retraction="retracted"))
    marks = re.compile(r'<strong class="retracted">(.*?)</strong>')
    paths = {
        "claims": f"/tasks/{TASK}/claims",
        "claim": f"/claims/{claim_id(QUESTION)}",
        "task": f"/tasks/{TASK}",
        "page": f"/pages/{page_id(PAGE_AGAINST)}",
        "other page": f"/pages/{page_id(PAGE_FOR)}",
        "sources": f"/tasks/{TASK}/sources",
        "search": "/search?q=meals",
    }

    found = {name: marks.findall((await dashboard.ask(path)).text) for name, path in paths.items()}
    await dashboard.lyra.db.write(votes.note_page, page_id(PAGE_AGAINST), PageNotice())

    assert found == {
        "claims": ["1 source retracted", "its only source is retracted"],
        "claim": ["its only source is retracted"],
        "task": ["1 source retracted", "its only source is retracted", "retracted"],
        "page": ["retracted"],
        "other page": [],
        "sources": ["1 retracted"],
        "search": ["1 source retracted", "its only source is retracted", "retracted"],
    }


async def test_standing_is_said_in_the_words_of_the_report(dashboard: Dashboard) -> None:
    """Confidence with its range, and independent sources on either side."""
    claim = await seen(dashboard, f"/claims/{claim_id(HYPOTHESIS)}")
    listed = await seen(dashboard, f"/tasks/{TASK}/claims")
    overview = await seen(dashboard, f"/tasks/{TASK}")

    told = "independent sources: 1 for, 1 against confidence 0.50 (range 0.09–0.91)"
    assert [told in claim, told in listed, told in overview] == [True, True, True]
    assert ("unverified 1" in listed, "not decided" in listed) == (True, False)


async def test_level_of_now_stands_on_every_screen(dashboard: Dashboard) -> None:
    """Where it was another one when the text was judged, the claim says so."""
    claim = await seen(dashboard, f"/claims/{claim_id(HYPOTHESIS)}")
    source = await seen(dashboard, f"/pages/{page_id(PAGE_FOR)}")

    assert "example.gov government was unknown source when judged 2024-05-01" in claim
    assert "example.org unknown source 2024-05-01" in claim
    assert "example.gov government published 2024-05-01" in source


async def test_part_behind_the_end_leads_to_the_last(dashboard: Dashboard) -> None:
    """With what else the address asks for."""
    answer = await dashboard.ask(f"/tasks/{LARGE}/claims?verdict=unverified&part=999")

    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/tasks/{LARGE}/claims?verdict=unverified&part=60",
    )


async def test_pages_are_counted_by_one_word_each(dashboard: Dashboard) -> None:
    """Pages read are the same figure on the list and in the task; the budget counts those fetched from the web."""
    listed = await seen(dashboard, "/")
    overview = await seen(dashboard, f"/tasks/{TASK}", "state")

    assert "2 pages read 2 claims" in listed
    assert "2 pages read fetched from the web: 0 of the budget of 120 pages 2 claims" in overview


async def test_each_review_is_counted_down(dashboard: Dashboard) -> None:
    """Texts are counted, not sources: a second text of one source is one more to review."""
    words = "Meals changed nothing in test scores."
    second = replace(
        judged_edge(PAGE_AGAINST, claim_id(HYPOTHESIS), Relation.REFUTES, words),
        id="e_second",
        source_id="f_second",
    )
    await dashboard.lyra.db.write(_add_text, second, words)
    assessor = Assessor(dashboard.lyra.parts, TASK)
    await assessor.group_pages()
    await assessor.assess([claim_id(HYPOTHESIS)])
    await assessor.update_source_influence()

    before = await seen(dashboard, f"/tasks/{TASK}/review")
    await dashboard.send(f"/tasks/{TASK}/review", edge="e_second", stance="refutes")
    after = await seen(dashboard, f"/tasks/{TASK}/review")

    assert ("3 texts to review 0 reviewed" in before, "2 texts to review 1 reviewed" in after) == (True, True)


def _add_text(connection: Connection, edge: Edge, words: str) -> None:
    connection.execute(
        """
        insert into fragments (id, page_id, text_content, fragment_type, position, char_start, char_end, text_hash)
        values (?, ?, ?, 'paragraph', 1, 100, 137, 'second')
        """,
        (edge.source_id, page_id(PAGE_AGAINST), words),
    )
    edges.insert_many(connection, [edge])


async def test_a_task_can_be_kept_in_every_format(dashboard: Dashboard) -> None:
    """As files that a browser saves and never shows; a name of none is not there."""
    screen = await dashboard.ask(f"/tasks/{TASK}")
    names = re.findall(rf'href="/tasks/{TASK}/export/([^"]+)" download', screen.text)

    answers = [await dashboard.ask(f"/tasks/{TASK}/export/{name}") for name in names]
    missing = await dashboard.ask(f"/tasks/{TASK}/export/evidence.xml")

    assert names == [
        "evidence.json",
        "bibliography.bib",
        "bibliography.ris",
        "bibliography.csl.json",
        "evidence.csv",
        "graph.graphml",
        "ro-crate.zip",
        "obsidian.zip",
    ]
    assert [one.headers["content-disposition"] for one in answers] == [
        f'attachment; filename="{TASK}-{name}"' for name in names
    ]
    assert answers[0].json()["task_id"] == TASK
    assert missing.status_code == 404


async def test_what_the_last_recheck_found_stands_on_the_task(dashboard: Dashboard) -> None:
    """Counts, verdicts that moved and pages by kind, of the newest run that has ended; nothing where none has."""
    report = RecheckReport(
        since=NOW,
        retracted=(PageNews(page_id(PAGE_FOR), PAGE_FOR, "Page for", 1, 0),),
        verdicts=(RecheckVerdictChange(claim_id(HYPOTHESIS), HYPOTHESIS, True, Verdict.SUPPORTED, Verdict.CONTESTED),),
    )
    done = RecheckRun("rc_1", TASK, RecheckState.DONE, NOW, NOW, Budget(), finished_at=NOW, report=report)
    later = RecheckRun("rc_2", TASK, RecheckState.RUNNING, NOW, NOW + timedelta(days=1), Budget())
    before = await seen(dashboard, f"/tasks/{TASK}", "recheck")
    await dashboard.lyra.db.write(rechecks.begin_run, done)
    await dashboard.lyra.db.write(rechecks.save_run, done)
    await dashboard.lyra.db.write(rechecks.begin_run, later)

    found = await seen(dashboard, f"/tasks/{TASK}", "recheck")

    told = found.split(" · ", 1)[1]
    assert (before, told) == (
        "",
        "retracted: 1, verdicts moved: 1 Verdicts that moved: supported → contested "
        f"{HYPOTHESIS} Retracted: Page for 1 for, 0 against",
    )
