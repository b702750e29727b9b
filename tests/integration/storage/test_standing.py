"""What is remembered of domains, engines, answers and events."""

from datetime import timedelta

from lyra.model.domain import BreakerState, DomainRecord, RobotsFile, ServiceHealth
from lyra.model.event import Event
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.model.task import BlockedDomain
from lyra.model.trust import TrustLevel
from lyra.storage import caches, causal_chains, domains, journal, service_health, tasks

DAY = timedelta(days=1)


async def test_an_outcome_says_nothing_about_trust(db, make):
    """A refused request makes a domain rest; what the list of known domains says of it still holds."""
    rest = make.now + timedelta(minutes=30)

    refused = ServiceHealth("domain:nejm.org", make.now, BreakerState.OPEN, 2, rest, "blocked")
    await db.write(service_health.save, refused)

    assert await db.read(domains.get, "nejm.org") == DomainRecord(
        "nejm.org", make.now, trust_level=None, cooldown_until=rest, failures=2, last_outcome="blocked"
    )
    assert await db.read(domains.get, "unknown.example") is None


async def test_blocking_remembers_what_was_before_and_restoring_forgets_it(db, make, later):
    """A block has time, reason, cause and the level it can be restored to; blocking twice keeps the first time."""
    low, blocked = TrustLevel.LOW, TrustLevel.BLOCKED
    await db.write(domains.set_trust, "spam.example", low, "promoted", now=make.now)
    await db.write(domains.set_trust, "spam.example", blocked, "hidden orders", now=later, cause_id="e1")
    await db.write(domains.set_trust, "spam.example", blocked, "again", now=later + DAY, cause_id="e2")
    listed = await db.read(domains.blocked)
    await db.write(domains.set_trust, "spam.example", low, "the user's override", now=later + DAY)

    restored = await db.read(domains.get, "spam.example")

    assert listed == (BlockedDomain("spam.example", "2026-03-14T10:30:00.000Z", "again", "e2", "low"),)
    assert restored == DomainRecord("spam.example", later + DAY, low, "the user's override")
    assert await db.read(domains.all) == (restored,)


async def test_health_is_replaced_as_a_whole(db, make):
    """The circuit breaker's state lives in the database: every process sees it."""
    opened = ServiceHealth("engine:mojeek", make.now, BreakerState.OPEN, 2, make.now + DAY, "blocked", "captcha")
    await db.write(service_health.save, ServiceHealth("engine:mojeek", make.now))
    await db.write(service_health.save, opened)

    assert await db.read(service_health.all, "engine") == (opened,)
    assert await db.read(service_health.get, "engine:mojeek") == opened
    assert await db.read(service_health.get, "engine:duckduckgo") is None


async def test_a_kept_answer_is_used_until_it_is_too_old(db, make):
    """24 hours for result pages: one second later it is asked again."""
    item = SerpItem("心不全と糖尿病薬", "https://example.jp/", "…", "mojeek", 1, date="2024-01-01")
    answer = EngineAnswer("mojeek", "心不全", SearchOutcome.RESULTS, (item,))
    await db.write(caches.save_serp, "mojeek:心不全", answer, make.now)

    fresh = await db.read(caches.serp, "mojeek:心不全", make.now - timedelta(seconds=1))
    stale = await db.read(caches.serp, "mojeek:心不全", make.now)

    assert (fresh, stale) == (answer, None)


async def test_robots_files_are_kept_with_their_status(db, make):
    """A missing robots.txt (404) is an answer too."""
    file = RobotsFile("https://example.org", "User-agent: *\nDisallow: /private", 200, make.now)
    await db.write(caches.save_robots, RobotsFile("https://example.org", "", 404, make.now - DAY))
    await db.write(caches.save_robots, file)

    fresh = await db.read(caches.robots, "https://example.org", make.now - DAY)

    assert fresh == file
    assert await db.read(caches.robots, "https://example.org", make.now) is None


async def test_old_answers_are_forgotten(db, make):
    """What nobody may use any more takes no room."""
    answer = EngineAnswer("mojeek", "心不全", SearchOutcome.EMPTY)
    await db.write(caches.save_serp, "old", answer, make.now - DAY)
    await db.write(caches.save_serp, "new", answer, make.now)
    await db.write(caches.save_robots, RobotsFile("https://example.org", "", 404, make.now - DAY))

    deleted = await db.write(caches.forget, make.now - DAY)

    assert deleted == 2
    assert await db.read(caches.serp, "new", make.now - DAY) == answer


async def test_events_come_back_in_order_after_a_known_one(db, make):
    """The causal chain: kind, subject, details and cause survive; a reader goes on where it stopped."""
    await db.write(tasks.insert, make.task())
    rows = [
        Event("search", make.now, "s_1", {"query": "心不全"}, task_id=make.task_id, search_id="s_1"),
        Event("fetch", make.now, "https://example.org", {"status": 200}, task_id=make.task_id, cause_id="1"),
        Event("startup", make.now),
    ]
    await db.write(journal.append, rows)
    first, second = await db.read(causal_chains.events, make.task_id, after=0, limit=100)

    rest = await db.read(causal_chains.events, make.task_id, after=first.id, limit=100)

    assert (first.details, second.cause_id, rest) == ({"query": "心不全"}, "1", (second,))
