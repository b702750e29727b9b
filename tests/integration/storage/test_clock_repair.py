"""A clock that was a year ahead, and was set right: nothing waits for that year."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from lyra.clock import stamp
from lyra.health import check_installation
from lyra.health.finding import Finding
from lyra.model.domain import BreakerState, DomainHabit, ServiceHealth
from lyra.model.event import Event
from lyra.model.job import Job, JobState, Priority, Slot, SlotUse
from lyra.model.search import Search, SearchOptions, SearchStatus
from lyra.model.task import Budget, Task, TaskStatus
from lyra.policy import breaker
from lyra.settings import Settings
from lyra.storage import (
    clock_repair,
    domain_policies,
    jobs,
    journal,
    leases,
    searches,
    service_health,
    slots,
    tasks,
)
from lyra.storage.database import Database

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
THEN = NOW + timedelta(days=365)
LEASE = timedelta(seconds=15)


@pytest.fixture
async def db(tmp_path: Path):
    database = await Database.open(tmp_path / "lyra.db")
    yield database
    await database.close()


async def test_a_name_held_or_resting_until_then_is_free_now(db: Database) -> None:
    """A lease and a pause of that time hold nobody up, even before anything was repaired."""
    await db.write(leases.acquire, "domain:a.example", "old", THEN, THEN + LEASE)
    await db.write(leases.acquire, "domain:b.example", "old", THEN, THEN + LEASE)
    await db.write(leases.release, "domain:b.example", "old", THEN + timedelta(seconds=5))

    held = await db.write(leases.acquire, "domain:a.example", "new", NOW, NOW + LEASE)
    rested = await db.write(leases.acquire, "domain:b.example", "new", NOW, NOW + LEASE)

    assert (held, rested) == ((True, None), (True, None))


async def test_a_pause_that_its_rule_allows_is_kept(db: Database) -> None:
    """A server may ask for a day."""
    await db.write(leases.acquire, "domain:a.example", "old", NOW, NOW + LEASE)
    await db.write(leases.release, "domain:a.example", "old", NOW + timedelta(hours=23))

    asked = await db.write(leases.acquire, "domain:a.example", "new", NOW, NOW + LEASE)

    assert asked == (False, NOW + timedelta(hours=23))


async def test_a_job_and_a_seat_of_then_can_be_taken_now(db: Database) -> None:
    """The process that held them is long gone."""
    await db.write(jobs.enqueue, Job("j_1", "search", JobState.QUEUED, NOW))
    await db.write(jobs.claim_next, "old", THEN, THEN + LEASE, ("search",))
    seat = SlotUse("old", Slot.GPU, Priority.LLM_FAST)
    await db.write(slots.take, seat, 1, THEN, THEN + LEASE, THEN + LEASE)

    state = await db.read(jobs.queue_state, "new", NOW, ("search",))
    job = await db.write(jobs.claim_next, "new", NOW, NOW + LEASE, ("search",))
    new = SlotUse("new", Slot.GPU, Priority.LLM_FAST)
    has_seat = await db.write(slots.take, new, 1, NOW, NOW + LEASE, NOW + LEASE)

    assert (state.is_claimable, state.next_lapse, has_seat) == (True, None, True)
    assert job is not None
    assert (job.id, job.lease_owner) == ("j_1", "new")


async def test_a_rest_of_then_lasts_as_long_as_it_was_meant_to(db: Database) -> None:
    """Half an hour from now instead of a year and half an hour; what was noted in time is not touched."""
    late = ServiceHealth("domain:a.example", THEN, BreakerState.OPEN, 2, THEN + timedelta(minutes=30))
    sound = ServiceHealth("domain:b.example", NOW, BreakerState.OPEN, 2, NOW + timedelta(hours=4))
    for health in (late, sound):
        await db.write(service_health.save, health)

    changed = await db.write(clock_repair.shorten_long_waits, NOW)
    again = await db.write(clock_repair.shorten_long_waits, NOW)

    found = [await db.read(service_health.get, name) for name in (late.name, sound.name)]
    assert [one.open_until for one in found if one] == [NOW + timedelta(minutes=30), NOW + timedelta(hours=4)]
    assert (changed.shortened, again.shortened) == (1, 0)


async def test_a_failed_search_of_then_asks_for_the_patience_it_was_meant_to(db: Database) -> None:
    """A client that is told to wait for a year would not come back."""
    await db.write(tasks.insert, Task("task_00000000000a", "Why?", TaskStatus.EXPLORING, NOW, Budget()))
    ended = (("s_1", THEN), ("s_2", NOW))
    for search_id, end in ended:
        search = Search(search_id, "task_00000000000a", "q", SearchOptions(), SearchStatus.RUNNING, NOW)
        await db.write(searches.insert, search)
        await db.write(searches.end, search_id, SearchStatus.FAILED, "…", end, retry_at=end + timedelta(minutes=30))

    changed = await db.write(clock_repair.shorten_long_waits, NOW)

    found = await db.read(searches.of_task, "task_00000000000a")
    assert [one.retry_at for one in found] == [NOW + timedelta(minutes=30)] * 2
    assert changed.shortened == 1


async def test_what_was_learned_then_is_forgotten_in_a_day(db: Database) -> None:
    """A rung that is remembered and a way that is barred, both for a day by their rule."""
    habit = DomainHabit(
        "a.example", THEN, rung="browser", rung_until=THEN, tor_barred_until=THEN, pause_changed_at=THEN
    )
    await db.write(domain_policies.save, habit)

    await db.write(clock_repair.shorten_long_waits, NOW)

    found = await db.read(domain_policies.get, "a.example")
    assert found is not None
    assert (found.rung_until, found.tor_barred_until) == (NOW + timedelta(days=1), NOW + timedelta(days=1))
    assert (found.pause_changed_at, found.updated_at) == (NOW, NOW)


async def test_answers_of_then_are_not_fresh_for_a_year(db: Database) -> None:
    """They are asked for anew."""
    row = ("k", "{}", stamp(THEN))
    await db.write(lambda c: c.execute("insert into serp_cache values (?, ?, ?)", row).fetchall())

    await db.write(clock_repair.shorten_long_waits, NOW)

    assert await db.read(_count_answers) == 0


def _count_answers(connection: apsw.Connection) -> object:
    return connection.execute("select count(*) from serp_cache").get


def test_no_circuit_says_to_wait_longer_than_a_day() -> None:
    """Also before anything was repaired."""
    health = ServiceHealth("engine:mojeek", THEN, BreakerState.OPEN, 2, THEN)

    assert breaker.wait_s(health, NOW) == 86_400.0


@pytest.fixture
def clock_findings(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Awaitable[list[str]]]:
    """What the doctor says about the clock."""

    async def nothing(*_: object) -> list[Finding]:
        return []

    async def one(*_: object) -> Finding:
        return Finding("x", True, "")

    monkeypatch.setattr("lyra.health.check_models", nothing)
    monkeypatch.setattr("lyra.health.check_tor", one)

    async def ask() -> list[str]:
        found = await check_installation(Settings(data_dir=tmp_path))
        return [each.detail for each in found if each.name == "clock"]

    return ask


async def test_the_doctor_says_that_the_clock_was_ahead(
    db: Database, clock_findings: Callable[[], Awaitable[list[str]]]
) -> None:
    """With the latest time of the journal, which stays as it was written."""
    later = datetime(2126, 1, 31, 9, 30, tzinfo=UTC)
    await db.write(journal.append, [Event("answer", later)])

    found = await clock_findings()

    assert found == [
        "the journal has times up to 2126-01-31T09:30:00.000Z: the clock of this machine was ahead, or is behind now; "
        "leases and cooldowns are shortened to what their rules allow from now"
    ]


async def test_the_doctor_says_once_what_it_has_shortened(
    db: Database, clock_findings: Callable[[], Awaitable[list[str]]]
) -> None:
    """Leases, rests and memories of then, also where the journal tells nothing of that time; afterwards all is well."""
    then = datetime(2126, 1, 31, 9, 30, tzinfo=UTC)
    await db.write(leases.acquire, "domain:a.example", "run_future", then, then + LEASE)
    await db.write(service_health.save, ServiceHealth("domain:a.example", NOW, BreakerState.OPEN, 2, then))
    await db.write(domain_policies.save, DomainHabit("a.example", NOW, rung="browser", rung_until=then))

    first = await clock_findings()
    second = await clock_findings()

    assert first == [
        "waits until 2126-01-31T09:30:15.000Z were stored: the clock of this machine was ahead, or is behind now; "
        "shortened to what their rules allow from now: leases 1, cooldowns 1, others 1"
    ]
    assert second == []


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("insert into leases (name, next_at) values ('a', ?)", id="a pause"),
        pytest.param("insert into serp_cache values ('k', '{}', ?)", id="an answer"),
    ],
)
async def test_the_latest_time_is_found_wherever_it_stands(db: Database, statement: str) -> None:
    """Of what is shortened or forgotten."""
    await db.write(lambda c: c.execute(statement, (stamp(THEN),)).fetchall())

    found = await db.write(clock_repair.shorten_long_waits, NOW)

    assert (found.latest, found.shortened) == (THEN, 1)
