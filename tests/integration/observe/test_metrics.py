"""The metrics over a journal whose every line is known: each figure by hand, and unknown where nothing was seen."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lyra.errors import TaskNotFound
from lyra.model.domain import BreakerState, ServiceHealth
from lyra.model.event import Event, Metric
from lyra.model.page import Fragment, FragmentType, GroupKind, Page, PageGroup
from lyra.model.search import Candidate, Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.observe.metrics import MetricsReader, metric_fields, prometheus
from lyra.storage import candidates, journal, page_groups, pages, searches, service_health, tasks
from lyra.storage.database import Database
from tests.conftest import NewDatabase

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ONE, TWO = "task_000000000001", "task_000000000002"


class Noon:
    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody sleeps here")


def fetched(url: str, outcome: str, *, rung: str = "http", cause: str | None = None, **details: Any) -> Event:
    told = {"lane": "page", "outcome": outcome, "rung": rung, **details}
    return Event("fetch", NOON, url, told, cause_id=cause)


@pytest.fixture
async def db(tmp_path: Path, new_database: NewDatabase) -> AsyncIterator[Database]:
    db = await Database.open(new_database(tmp_path / "lyra.db"))
    for task_id in (ONE, TWO):
        await db.write(tasks.insert, Task(task_id, "心不全", TaskStatus.EXPLORING, NOON, Budget()))
    yield db
    await db.close()


async def figures(db: Database, task_id: str | None = None, since: datetime | None = None) -> dict[str, Any]:
    """Values by name and labels."""
    found = await MetricsReader(db, Noon()).read(task_id, since)
    return {" ".join([one.name, *one.labels.values()]): one.value for one in found}


async def test_exposure_is_counted_from_the_journal(db: Database) -> None:
    """Eight requests were sent and two pages never asked for; shares are of what was sent. That a result page is known
    does not mean that it was named."""
    searched = Search("s_1", ONE, "q", SearchOptions(), SearchStatus.PARTIAL, NOON)
    await db.write(searches.insert, searched)
    found = Candidate("i_1", "s_1", "https://a.org/1", "t", "", "mojeek", 1, referer="https://www.mojeek.com/search")
    await db.write(candidates.add, [found])
    events = [
        fetched("https://a.org/1", "ok", cause="i_1", is_referred=False),
        fetched("https://a.org/1", "not_modified", is_referred=True),
        fetched("https://a.org/1", "ok", is_referred=False),
        fetched("https://b.org/", "challenge", challenge="captcha", status_code=403),
        fetched("https://b.org/", "blocked", status_code=429, rung="tor"),
        fetched("https://b.org/", "ok", rung="headful"),
        fetched("https://c.org/", "ok", rung="headless"),
        fetched("https://c.org/x", "not_found"),
        fetched("https://d.org/", "robots_denied"),
        fetched("https://e.org/", "cooling_down"),
        replace(fetched("https://engine.example/", "ok"), details={"lane": "serp", "outcome": "ok", "rung": "http"}),
    ]
    await db.write(journal.append, events)

    got = await figures(db)

    assert {name: got[name] for name in got if "share" in name or "rate" in name or name == "requests"} == {
        "requests": 8.0,
        "block_rate": 0.25,
        "block_rate_by_kind 429": 0.1,
        "block_rate_by_kind captcha": 0.1,
        "block_rate_by_kind cooling_down": 0.1,
        "block_rate_by_kind robots_denied": 0.1,
        "tor_share": 0.125,
        "browser_share": 0.25,
        "headful_share": 0.125,
        "referer_share": 0.3333,
        "not_modified_share": 0.5,
        "captcha_rate b.org": 0.3333,
        "forbidden_rate b.org": 0.3333,
        "harvest_rate": None,
        "satisfied_share": 0.0,
        "duplicate_rate": None,
        "ipv6_success_share": None,
        "ip_switch_success_share": None,
        "citation_loop_share": None,
        "narrative_share": None,
        "contradiction_rate": None,
        "timeline_share": None,
        "aggregator_share": None,
        "auth_notified_share": None,
        "window_raised_share": None,
        "auth_solved_share": None,
    }


async def test_figures_of_one_task_are_its_own(db: Database) -> None:
    """What was fetched for another task, or for none, does not count; nor does what is older than asked for."""
    await db.write(searches.insert, Search("s_1", ONE, "q", SearchOptions(), SearchStatus.PARTIAL, NOON))
    await db.write(candidates.add, [Candidate("i_1", "s_1", "https://a.org/1", "t", "", "mojeek", 1)])
    await db.write(journal.append, [fetched("https://a.org/1", "ok", cause="i_1"), fetched("https://b.org/", "ok")])

    own = await figures(db, ONE)
    other = await figures(db, TWO)
    later = await figures(db, ONE, NOON + timedelta(seconds=1))

    assert (own["requests"], other["requests"], later["requests"]) == (1.0, 0.0, 0.0)


async def test_novelty_is_a_mean_over_searches(db: Database) -> None:
    """Those that read nothing have none; running ones do not count yet."""
    base = Search("s_1", ONE, "q", SearchOptions(), SearchStatus.SATISFIED, NOON, novelty_score=0.5)
    made = [
        replace(base, started_at=NOON, finished_at=NOON + timedelta(seconds=10)),
        replace(base, id="s_2", status=SearchStatus.PARTIAL, novelty_score=0.3),
        replace(base, id="s_3", status=SearchStatus.EXHAUSTED, novelty_score=None),
        replace(base, id="s_4", status=SearchStatus.RUNNING, novelty_score=0.9),
    ]
    for one in made:
        await db.write(searches.insert, one)

    got = await figures(db)

    assert (got["novelty_score"], got["satisfied_share"]) == (0.4, 0.3333)
    assert got["search_seconds"] == pytest.approx(10.0, abs=0.01)


async def test_the_trend_of_novelty_is_how_the_later_searches_differ(db: Database) -> None:
    """From 0.8 in the earlier half to 0.2 in the later one; a single search has no trend."""
    for number, novelty in enumerate((0.9, 0.7, 0.3, 0.1)):
        name, when = f"s_{number}", NOON + timedelta(minutes=number)
        made = Search(name, ONE, "q", SearchOptions(), SearchStatus.PARTIAL, when, novelty_score=novelty)
        await db.write(searches.insert, made)

    whole = await figures(db)
    last = await figures(db, since=NOON + timedelta(minutes=3))

    assert (whole["novelty_trend"], last["novelty_trend"]) == (-0.6, None)


async def test_a_page_first_served_long_ago_is_visited_again(db: Database) -> None:
    """For the figures of an hour, or of a task, it is a re-visit whoever was served first, and whenever."""
    await db.write(searches.insert, Search("s_1", TWO, "q", SearchOptions(), SearchStatus.PARTIAL, NOON))
    await db.write(candidates.add, [Candidate("i_1", "s_1", "https://a.org/1", "t", "", "mojeek", 1)])
    long_ago = replace(fetched("https://a.org/1", "ok"), created_at=NOON - timedelta(days=3))
    await db.write(journal.append, [long_ago, fetched("https://a.org/1", "not_modified", cause="i_1")])

    hour = await figures(db, since=NOON - timedelta(hours=1))
    task = await figures(db, TWO)

    assert (hour["not_modified_share"], task["not_modified_share"]) == (1.0, 1.0)


async def test_figures_of_the_last_hours_are_of_the_graphs_searched_then(db: Database) -> None:
    """The pages of a task that nobody searched since count only without a limit."""
    for task_id, domain, when in ((ONE, "old.org", NOON - timedelta(days=2)), (TWO, "new.org", NOON)):
        await db.write(
            searches.insert, Search(f"s_{domain}", task_id, "q", SearchOptions(), SearchStatus.PARTIAL, when)
        )
        await db.write(pages.save, stored_page(domain, "index" if task_id == ONE else "article"), ())
        await db.write(reach, domain, task_id)

    whole = await figures(db)
    recent = await figures(db, since=NOON - timedelta(hours=1))

    assert (whole["aggregator_share"], recent["aggregator_share"]) == (0.5, 0.0)


async def test_the_largest_narrative_is_measured_within_its_task(db: Database) -> None:
    """Two of a task's four pages tell the same story: half, though three of another's eight do so too."""
    for number in range(4):
        await db.write(pages.save, stored_page(f"{number}.org", "article"), ())
        await db.write(reach, f"{number}.org")
    for number in range(4, 12):
        await db.write(pages.save, stored_page(f"{number}.org", "article"), ())
        await db.write(reach, f"{number}.org", TWO)
    story = PageGroup(GroupKind.NARRATIVE, frozenset({"p_0.org", "p_1.org"}))
    await db.write(page_groups.replace_all, ONE, [story])
    longer = PageGroup(GroupKind.NARRATIVE, frozenset({"p_4.org", "p_5.org", "p_6.org"}))
    await db.write(page_groups.replace_all, TWO, [longer])

    assert (await figures(db))["narrative_share"] == 0.5


async def test_the_work_of_people_is_counted(db: Database) -> None:
    """Notifications that were shown, windows raised, items solved, and how long they waited (A8)."""
    events = [
        Event("notification", NOON, "n_1", {"event": "auth_required", "shown_on": ["libnotify"]}),
        Event("notification", NOON, "n_2", {"event": "auth_required", "shown_on": []}),
        Event("notification", NOON, "n_3", {"event": "info", "shown_on": []}),
        Event("handoff", NOON, "auth_1", {"became": "queued"}, ONE),
        Event("handoff", NOON, "auth_1", {"became": "shown", "window": "raised"}, ONE),
        Event("handoff", NOON, "auth_1", {"became": "resolved", "waited_s": 30.0}, ONE),
        Event("handoff", NOON, "auth_2", {"became": "skipped", "waited_s": 90.0}, ONE),
    ]
    await db.write(journal.append, events)

    got = await figures(db)
    own = {one.name: one for one in await MetricsReader(db, Noon()).read(ONE)}

    assert (own["auth_notified_share"].value, own["auth_notified_share"].why_unknown) == (
        None,
        "notifications belong to no task",
    )
    assert (own["auth_solved_share"].value, own["window_raised_share"].value) == (0.5, 1.0)
    assert (got["auth_notified_share"], got["window_raised_share"]) == (0.5, 1.0)
    assert (got["auth_solved_share"], got["auth_wait_seconds"]) == (0.5, 60.0)


async def test_a_page_that_came_back_was_not_solved(db: Database) -> None:
    """Said to be solved, and in the queue again a minute later; one whose session lapsed the next day was solved."""
    events = [
        Event("handoff", NOON, "auth_1", {"became": "resolved", "waited_s": 30.0}, ONE),
        Event("handoff", NOON + timedelta(minutes=1), "auth_1", {"became": "queued"}, ONE),
        Event("handoff", NOON, "auth_2", {"became": "resolved", "waited_s": 30.0}, ONE),
        Event("handoff", NOON + timedelta(days=1), "auth_2", {"became": "queued"}, ONE),
    ]
    await db.write(journal.append, events)

    assert (await figures(db))["auth_solved_share"] == 0.5


async def test_names_looked_up_past_tor_are_counted(db: Database) -> None:
    """A request over Tor for whose address this machine knows the protocol was resolved here."""
    events = [fetched("https://a.org/", "ok", rung="tor", ip_version=version) for version in (None, None, 4)]
    await db.write(journal.append, events)

    assert (await figures(db))["dns_leaks"] == 1.0


async def test_pages_that_only_gather_are_aggregators(db: Database) -> None:
    """A list of links, and a page half of which another site had said; not who said it first, nor repeats of a site's
    own words."""
    pages_of = {
        "origin.org": ("article", (None, None)),
        "retold.com": ("article", ("f_origin.org_0", None)),
        "retold.org": ("article", ("f_retold.org_1", None)),
        "links.net": ("index", (None,)),
    }
    for domain, (kind, originals) in pages_of.items():
        await db.write(pages.save, stored_page(domain, kind), stored_fragments(domain, len(originals)))
        named = [(f"f_{domain}_{number}", original) for number, original in enumerate(originals)]
        await db.write(pages.set_near_duplicates, named)
        await db.write(reach, domain)

    assert (await figures(db))["aggregator_share"] == 0.5


def stored_page(domain: str, kind: str) -> Page:
    return Page(f"p_{domain}", f"https://{domain}/", domain, "DPP-4阻害薬", "ja", NOON, page_type=kind)


def stored_fragments(domain: str, count: int) -> list[Fragment]:
    kind = FragmentType.PARAGRAPH
    return [
        Fragment(f"f_{domain}_{n}", f"p_{domain}", "心不全", kind, "", (), n, n, 0, 3, f"h_{domain}_{n}", "ja")
        for n in range(count)
    ]


def reach(connection: Any, domain: str, task_id: str = ONE) -> None:
    connection.execute("insert into task_pages (task_id, page_id) values (?, ?)", (task_id, f"p_{domain}"))


async def test_a_circuit_whose_time_is_over_is_half_open(db: Database) -> None:
    """The next request is let through: nobody should be told that the engine is left alone."""
    for engine, minutes in (("ecosia", 1), ("mojeek", -1)):
        until = NOON + timedelta(minutes=minutes)
        await db.write(service_health.save, ServiceHealth(f"engine:{engine}", NOON, BreakerState.OPEN, 2, until))

    got = await figures(db)

    assert {name: value for name, value in got.items() if name.startswith("engine_circuit")} == {
        "engine_circuit ecosia open": 2.0,
        "engine_circuit mojeek half_open": 1.0,
    }


async def test_an_unknown_task_is_an_error(db: Database) -> None:
    """Not a table of zeros."""
    with pytest.raises(TaskNotFound):
        await figures(db, "task_00000000000f")


def test_prometheus_text_says_what_is_unknown() -> None:
    """NaN for what nobody measured; labels are escaped, each name is explained once, figures keep all their digits."""
    found = [
        Metric("harvest_rate", "Useful fragments per page.", 0.5, 4),
        Metric("jobs", "Jobs by state.", 1_234_567.0, 2, {"state": "queued"}),
        Metric("jobs", "Jobs by state.", 1.0, 1, {"state": 'a"b\\'}),
        Metric("dns_leaks", "Leaks.", None, 0, {}, "nobody looks"),
    ]

    assert prometheus(found) == (
        "# HELP lyra_harvest_rate Useful fragments per page.\n# TYPE lyra_harvest_rate gauge\nlyra_harvest_rate 0.5\n"
        "# HELP lyra_jobs Jobs by state.\n# TYPE lyra_jobs gauge\n"
        'lyra_jobs{state="queued"} 1234567\nlyra_jobs{state="a\\"b\\\\"} 1\n'
        "# HELP lyra_dns_leaks Leaks.\n# TYPE lyra_dns_leaks gauge\nlyra_dns_leaks NaN\n"
    )
    assert metric_fields(found[3])["why_unknown"] == "nobody looks"
