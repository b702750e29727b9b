"""The auth queue: what waits, what one solution sets free, and what happens when words come late or twice."""

from datetime import timedelta
from typing import Any

import pytest

from lyra.answers.handoff import AuthQueueAnswer, ResolveAuthAnswer
from lyra.errors import InvalidParams
from lyra.model.domain import BreakerState, ServiceHealth
from lyra.model.handoff import HandoffStatus
from lyra.model.search import CandidateState, SearchStatus
from lyra.storage import cleanup, handoffs, metrics, service_health, transactions

ONE, TWO = "task_000000000001", "task_000000000002"
PAGE = "https://www.fdso.gov/safety/dpp4"
OTHER_PAGE = "https://www.fdso.gov/safety/insulin"
ELSEWHERE = "https://journals.example.org/a"


async def test_an_item_names_the_searches_it_blocks(office: Any) -> None:
    """Two searches of a task found the same page: one item, both searches."""
    await office.search("s_3", ONE)
    await office.found("s_1", PAGE)
    await office.found("s_3", PAGE)
    await office.file(PAGE)
    await office.file(PAGE, search_id="s_3")

    (item,) = await office.queue.pending(ONE)

    assert (item.domain, item.auth_type, item.title, item.blocking_searches) == (
        "fdso.gov",
        "captcha",
        "会員ページ",
        ("s_1", "s_3"),
    )


async def test_high_priority_comes_first_and_can_be_asked_for_alone(office: Any) -> None:
    """A primary source waits before others, however late it came."""
    await office.file(PAGE)
    urgent = await office.file(ELSEWHERE, domain="example.org", priority="high")

    everything = await office.queue.pending()
    high = await office.queue.pending(None, "high")

    assert [item.priority for item in everything] == ["high", "normal"]
    assert [item.id for item in high] == [urgent]


async def test_the_queue_by_domain_has_the_fields_of_the_requirements(office: Any) -> None:
    """§3.2.1, name for name."""
    await office.file(PAGE)
    await office.file(OTHER_PAGE, TWO, "s_2", priority="high")

    fields = AuthQueueAnswer.from_items(await office.queue.pending(), "domain").cli_fields()

    assert fields == {
        "total_pending": 2,
        "total_domains": 1,
        "domains": [
            {
                "domain": "fdso.gov",
                "pending_count": 2,
                "high_priority_count": 1,
                "affected_tasks": [TWO, ONE],
                "auth_types": ["captcha"],
            }
        ],
    }


async def test_one_solution_opens_the_domain_in_every_task(office: Any) -> None:
    """Both tasks' searches are queued again, their pages first in line, the domain's rest forgotten."""
    await office.found("s_1", PAGE)
    await office.found("s_2", OTHER_PAGE)
    await office.found("s_2", "https://www.fdso.gov/late", reason="cooling_down: it rests for 30 minutes")
    await office.found("s_2", ELSEWHERE)
    item = await office.file(PAGE)
    await office.file(OTHER_PAGE, TWO, "s_2")

    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert made.unblocked_searches == ("s_1", "s_2")
    assert made.affected_tasks == (ONE, TWO)
    assert await office.queue.pending() == ()
    assert await office.rows("select url, state from serp_items order by url") == [
        (ELSEWHERE, "blocked"),
        ("https://www.fdso.gov/late", "pending"),
        (PAGE, "pending"),
        (OTHER_PAGE, "pending"),
    ]
    assert await office.rows("select id, status, phase from queries order by id") == [
        ("s_1", "running", "queued"),
        ("s_2", "running", "queued"),
    ]
    assert await office.rows("select cause_id, state, priority, budget from jobs order by cause_id") == [
        ("s_1", "queued", 90, '{"max_pages":3}'),
        ("s_2", "queued", 90, '{"max_pages":4}'),
    ]
    assert office.freed == ["freed"]


async def test_an_engine_that_a_person_opened_is_asked_again(office: Any) -> None:
    """Its circuit closes, and the whole search is queued once more with its usual number of pages."""
    engine = ServiceHealth("engine:mojeek", office.clock.now(), BreakerState.OPEN, 2, office.clock.now())
    await office.db.write(service_health.save, engine)
    item = await office.file_engine("mojeek")

    (waiting,) = await office.queue.pending()
    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert waiting.blocking_searches == ("s_1",)
    assert made.unblocked_searches == ("s_1",)
    assert await office.rows("select state, failures, open_until from service_health") == [("closed", 0, None)]
    assert await office.rows("select payload ->> 'asks_again', budget from jobs") == [(1, '{"max_pages":32}')]


async def test_every_search_that_the_engines_refuse_waits_for_their_wall(office: Any) -> None:
    """Not only the one that met it first: all that failed for want of engines are named, and asked again."""
    await office.search("s_3", ONE, SearchStatus.FAILED, 0, error_code="ALL_ENGINES_BLOCKED")
    await office.search("s_4", ONE, SearchStatus.FAILED, 0, error_code="PIPELINE_ERROR")
    item = await office.file_engine("mojeek")

    (waiting,) = await office.queue.pending()
    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert waiting.blocking_searches == ("s_1", "s_3")
    assert made.unblocked_searches == ("s_1", "s_3")
    assert await office.rows("select cause_id, payload ->> 'asks_again' from jobs order by cause_id") == [
        ("s_1", 1),
        ("s_3", 1),
    ]


async def test_a_paused_search_asks_the_engine_that_was_opened(office: Any) -> None:
    """It had come as far as fetching without that engine; it begins again, and the others' answers are remembered."""
    await office.search("s_3", ONE, SearchStatus.RUNNING, 1, phase="paused")
    item = await office.file_engine("mojeek", ONE, "s_3")

    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert await office.rows("select status, phase from queries where id = 's_3'") == [("running", "queued")]


async def test_a_wall_before_an_engine_is_known_to_every_task(office: Any) -> None:
    """A task whose search is refused because the engine rests can wait for the same wall; pages are no engines."""
    first = await office.file_engine("mojeek")
    office.clock.pass_by(1)
    await office.file_engine("mojeek", TWO, "s_2")
    await office.found("s_1", PAGE)
    await office.file(PAGE)

    known = await office.db.read(handoffs.pending_of_engines, ("duckduckgo", "mojeek"))

    assert {engine: item.id for engine, item in known.items()} == {"mojeek": first}


async def test_a_running_search_gets_its_page_after_its_own_end(office: Any) -> None:
    """It is not reopened, for it has not ended; the extra page is added to its usual limit."""
    await office.search("s_3", ONE, SearchStatus.RUNNING, 0)
    await office.found("s_3", PAGE)
    item = await office.file(PAGE, search_id="s_3")

    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert made.unblocked_searches == ("s_3",)
    assert await office.rows("select budget from jobs") == [('{"max_pages":31}',)]


@pytest.mark.parametrize("status", [HandoffStatus.SKIPPED, HandoffStatus.FAILED])
async def test_doing_without_resumes_nothing(office: Any, status: HandoffStatus) -> None:
    """A skipped or failed page stays blocked; other items of its domain still wait."""
    await office.found("s_1", PAGE)
    item = await office.file(PAGE)
    other = await office.file(OTHER_PAGE)

    made = await office.queue.decide_item(item, status, "terminal")

    assert (made.status, made.unblocked_searches) == (status, ())
    assert [one.id for one in await office.queue.pending()] == [other]
    assert await office.rows("select state from serp_items") == [("blocked",)]


async def test_a_skipped_domain_is_not_asked_for_again_in_the_task(office: Any) -> None:
    """Whoever said that a site which needs a login is not worth it is not bothered with its next page."""
    await office.file(PAGE)
    await office.queue.decide_domain("www.fdso.gov", HandoffStatus.SKIPPED, "client")

    await office.file(OTHER_PAGE)
    await office.file(OTHER_PAGE, TWO, "s_2")

    assert [(one.task_id, one.url) for one in await office.queue.pending()] == [(TWO, OTHER_PAGE)]


async def test_a_skipped_domain_can_be_opened_after_all(office: Any) -> None:
    """Its pages are fetched, and what is met there later waits for a person again."""
    await office.found("s_1", PAGE)
    item = await office.file(PAGE)
    await office.queue.decide_domain("fdso.gov", HandoffStatus.SKIPPED, "terminal")

    made = await office.queue.decide_domain("fdso.gov", HandoffStatus.RESOLVED, "terminal")
    await office.file(OTHER_PAGE)

    assert ResolveAuthAnswer.from_domain(made, is_stored=False).cli_fields() == {
        "domain": "fdso.gov",
        "status": "resolved",
        "resolved_count": 1,
        "affected_tasks": [ONE],
        "unblocked_searches": ["s_1"],
        "session_stored": False,
        "note": None,
    }
    assert (await office.queue.get(item)).status is HandoffStatus.RESOLVED
    assert [one.url for one in await office.queue.pending()] == [OTHER_PAGE]


async def test_a_page_skipped_by_itself_stays_skipped(office: Any) -> None:
    """Another page of its domain was solved: the one that was not worth it is neither fetched nor asked for again."""
    await office.found("s_1", PAGE)
    await office.found("s_1", OTHER_PAGE)
    unwanted = await office.file(PAGE)
    await office.queue.decide_item(unwanted, HandoffStatus.SKIPPED, "terminal")
    wanted = await office.file(OTHER_PAGE)

    made = await office.queue.decide_item(wanted, HandoffStatus.RESOLVED, "terminal")

    assert [one.id for one in made.decided] == [wanted]
    assert (await office.queue.get(unwanted)).status is HandoffStatus.SKIPPED
    assert await office.rows("select url from serp_items where state = 'pending'") == [(OTHER_PAGE,)]


async def test_a_solved_page_that_is_walled_again_waits_again(office: Any) -> None:
    """Sessions lapse; the item comes back with a new time."""
    item = await office.file(PAGE)
    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")
    office.clock.pass_by(3600)

    await office.file(PAGE)

    (again,) = await office.queue.pending()
    assert (again.id, again.status, again.queued_at) == (item, HandoffStatus.PENDING, office.clock.now())


@pytest.mark.parametrize("status", [HandoffStatus.SKIPPED, HandoffStatus.FAILED])
async def test_a_page_that_was_given_up_is_not_asked_for_again(office: Any, status: HandoffStatus) -> None:
    """Whatever other search of the task meets it."""
    item = await office.file(PAGE)
    await office.queue.decide_item(item, status, "client")

    await office.file(PAGE)

    assert await office.queue.pending() == ()
    assert (await office.queue.get(item)).status is status


async def test_a_solved_domain_no_longer_rests(office: Any) -> None:
    """The refusals that led to its rest are forgotten: it may be asked at once."""
    later = office.clock.now() + timedelta(minutes=30)
    refused = ServiceHealth("domain:fdso.gov", office.clock.now(), BreakerState.OPEN, 2, later, "challenge")
    await office.db.write(service_health.save, refused)
    item = await office.file(PAGE)

    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert await office.rows("select failures, cooldown_until from domains") == [(0, None)]


async def test_of_two_people_the_first_word_stands(office: Any) -> None:
    """The second is told so, and nothing is resumed twice."""
    await office.found("s_1", PAGE)
    item = await office.file(PAGE)
    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "terminal")

    second = await office.queue.decide_item(item, HandoffStatus.SKIPPED, "client")
    third = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert ResolveAuthAnswer.from_item(item, second, is_stored=False).cli_fields() == {
        "auth_id": item,
        "domain": "fdso.gov",
        "status": "resolved",
        "unblocked_searches": [],
        "affected_tasks": [],
        "session_stored": False,
        "note": "It was resolved before; nothing was changed.",
    }
    assert third.decided == ()
    assert await office.rows("select count(*) from jobs") == [(1,)]


async def test_a_person_at_work_keeps_the_task_awake(office: Any) -> None:
    """The client may be silent for long: what the person opened is fetched at once all the same, while it is open."""
    await office.found("s_1", PAGE)
    item = await office.file(PAGE)
    office.clock.pass_by(3600)

    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "terminal")

    woken = await office.rows("select id, last_call_at from tasks where last_call_at is not null")
    assert woken == [(ONE, "2026-03-01T13:00:00.000Z")]


async def test_solving_undoes_an_earlier_skip(office: Any) -> None:
    """A person may come back to a page that was given up."""
    await office.found("s_1", PAGE)
    item = await office.file(PAGE)
    await office.queue.decide_item(item, HandoffStatus.SKIPPED, "terminal")

    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "terminal")

    assert (made.status, made.unblocked_searches) == (HandoffStatus.RESOLVED, ("s_1",))


async def test_the_item_of_a_deleted_task_is_gone_with_it(office: Any) -> None:
    """The word comes too late: a clear answer, and the other task's item is untouched."""
    item = await office.file(PAGE)
    other = await office.file(PAGE, TWO, "s_2")
    await office.db.write(cleanup.delete_task, ONE, is_hard=False, now=office.clock.now())

    with pytest.raises(InvalidParams) as refused:
        await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert refused.value.remedy == "get_auth_queue lists what waits; the items of a deleted task are gone with it."
    assert [one.id for one in await office.queue.pending()] == [other]


async def test_a_stopped_task_is_not_woken_by_a_solution_elsewhere(office: Any) -> None:
    """Its item no longer waits, neither in the queue nor in any count, and its search stays ended."""
    await office.found("s_1", PAGE)
    await office.found("s_2", PAGE)
    await office.file(PAGE)
    await office.file(PAGE, TWO, "s_2")
    await office.db.write(transactions.stop_task, ONE, "completed", "completed", office.clock.now())

    waiting = await office.queue.pending()
    counted = [(await office.db.read(handoffs.summary, name)).pending_count for name in (ONE, TWO)]
    metered = [await office.db.read(metrics.pending_handoffs, name) for name in (None, ONE, TWO)]
    made = await office.queue.decide_domain("fdso.gov", HandoffStatus.RESOLVED, "client")

    assert [one.task_id for one in waiting] == [TWO]
    assert (counted, metered) == ([0, 1], [1, 0, 1])
    assert made.unblocked_searches == ("s_2",)


async def test_a_domain_for_which_nothing_waits_changes_nothing(office: Any) -> None:
    """A word about it is taken, and does nothing."""
    made = await office.queue.decide_domain("example.org", HandoffStatus.RESOLVED, "client")

    assert (made.domain, made.decided, made.unblocked_searches, office.freed) == ("example.org", (), (), [])


@pytest.mark.parametrize("name", ["co.uk", "com", " .GO.JP. ", "https://co.uk/"])
async def test_a_public_suffix_is_no_domain(office: Any, name: str) -> None:
    """A word about it would seem to be one about every site below it, and be one about none."""
    await office.file("https://shop.example.co.uk/a", domain="example.co.uk")

    with pytest.raises(InvalidParams) as caught:
        await office.queue.decide_domain(name, HandoffStatus.RESOLVED, "client")

    assert (caught.value.code, caught.value.remedy) == (
        "INVALID_PARAMS",
        "Give the site's own domain, as get_auth_queue shows it.",
    )


async def test_a_public_suffix_that_is_a_host_can_wait(office: Any) -> None:
    """gov.uk answers by itself: what waits there is decided like any other domain."""
    item = await office.file("https://gov.uk/guidance", domain="gov.uk")

    made = await office.queue.decide_domain("gov.uk", HandoffStatus.SKIPPED, "terminal")

    assert (made.domain, [one.id for one in made.decided]) == ("gov.uk", [item])


async def test_every_step_of_an_item_is_in_the_journal(office: Any) -> None:
    """Queued, and decided with who said so and how long it had waited (§3.6.3)."""
    item = await office.file(PAGE)
    office.clock.pass_by(90)
    await office.queue.decide_item(item, HandoffStatus.FAILED, "terminal")

    told = await office.rows(
        "select details ->> 'became', details ->> 'via', details ->> 'waited_s' from event_log where kind = 'handoff'"
    )

    assert told == [("queued", None, None), ("failed", "terminal", 90.0)]


async def test_a_page_that_three_rungs_could_not_open_is_tried_again(office: Any) -> None:
    """It is in the queue for its own sake, whatever it failed of."""
    await office.found("s_1", PAGE, CandidateState.FAILED, "failed: the connection broke")
    item = await office.file(PAGE)

    made = await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert made.unblocked_searches == ("s_1",)
    assert await office.rows("select state from serp_items") == [("pending",)]


async def test_pages_that_failed_for_other_reasons_stay_where_they_are(office: Any) -> None:
    """Only what stood behind the wall is fetched again."""
    await office.found("s_1", PAGE)
    await office.found("s_1", OTHER_PAGE, CandidateState.FAILED, "timed_out: no answer")
    await office.found("s_1", "https://www.fdso.gov/robots", reason="robots_denied: robots.txt forbids it")
    item = await office.file(PAGE)

    await office.queue.decide_item(item, HandoffStatus.RESOLVED, "client")

    assert await office.rows("select url from serp_items where state = 'pending'") == [(PAGE,)]
