"""Slots over processes: seats in the database, who goes first, who excludes whom, and what the dead leave behind."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lyra.clock import SystemClock
from lyra.jobs.slots import Slots, capacities
from lyra.model.job import Priority, Slot, SlotUse
from lyra.storage import slots
from lyra.storage.database import Database

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATER = NOON + timedelta(seconds=15)
PATIENT = NOON + timedelta(seconds=2)


@pytest.fixture
async def db(tmp_path: Path) -> AsyncIterator[Database]:
    db = await Database.open(tmp_path / "lyra.db")
    yield db
    await db.close()


@pytest.fixture
async def other(tmp_path: Path, db: Database) -> AsyncIterator[Database]:
    """The same file as another process has it open."""
    other = await Database.open(tmp_path / "lyra.db")
    yield other
    await other.close()


async def take(db: Database, name: str, slot: Slot, priority: int = Priority.EMBED, now: datetime = NOON) -> bool:
    ends = (now + timedelta(seconds=15), now + timedelta(seconds=2))
    return await db.write(slots.take, SlotUse(name, slot, priority), capacities(4)[slot], now, *ends)


async def test_inference_and_a_visible_browser_exclude_each_other(db: Database, other: Database) -> None:
    """While one process embeds, another gets no window; and the other way round."""
    embeds = await take(db, "one", Slot.GPU)
    shows = await take(other, "two", Slot.BROWSER_HEADFUL)
    await db.write(slots.release_seat, "one")
    shows_now = await take(other, "two", Slot.BROWSER_HEADFUL)
    embeds_again = await take(db, "three", Slot.GPU)

    assert (embeds, shows, shows_now, embeds_again) == (True, False, True, False)


async def test_four_requests_run_at_once_over_all_processes(db: Database, other: Database) -> None:
    """The fifth waits, whichever process it is in."""
    taken = [await take(one, f"u{n}", Slot.NETWORK_CLIENT) for n, one in enumerate([db, other, db, other, db])]

    assert taken == [True, True, True, True, False]


async def test_a_free_seat_goes_to_the_most_urgent_who_waits(db: Database) -> None:
    """A result page asked for later goes before an embedding that has waited longer."""
    await take(db, "holder", Slot.GPU)
    await take(db, "embeds", Slot.GPU, Priority.EMBED, NOON)
    await take(db, "window", Slot.BROWSER_HEADFUL, Priority.PREFETCH, NOON + timedelta(milliseconds=100))
    await db.write(slots.release_seat, "holder")

    early = await take(db, "embeds", Slot.GPU, Priority.EMBED, NOON + timedelta(milliseconds=200))
    urgent = await take(db, "window", Slot.BROWSER_HEADFUL, Priority.PREFETCH, NOON + timedelta(milliseconds=300))

    assert (early, urgent) == (False, True)


async def test_among_equals_who_asked_first_is_first(db: Database) -> None:
    """A newcomer of the same urgency does not step in front."""
    await take(db, "holder", Slot.GPU)
    await take(db, "first", Slot.GPU, now=NOON)
    await db.write(slots.release_seat, "holder")

    newcomer = await take(db, "second", Slot.GPU, now=NOON + timedelta(milliseconds=50))
    first = await take(db, "first", Slot.GPU, now=NOON + timedelta(milliseconds=60))

    assert (newcomer, first) == (False, True)


async def test_one_who_no_longer_asks_has_left_the_line(db: Database) -> None:
    """A process that died while waiting holds nobody up."""
    await take(db, "holder", Slot.GPU)
    await take(db, "dead", Slot.GPU, Priority.SERP)
    await db.write(slots.release_seat, "holder")

    soon = await take(db, "living", Slot.GPU, Priority.EMBED, NOON + timedelta(seconds=1))
    later = await take(db, "living", Slot.GPU, Priority.EMBED, NOON + timedelta(seconds=2))

    assert (soon, later) == (False, True)


async def test_the_seat_of_a_dead_process_lapses(db: Database, other: Database) -> None:
    """After fifteen seconds without a sign of life the seat is free."""
    await take(db, "dead", Slot.GPU)

    before = await take(other, "living", Slot.GPU, now=NOON + timedelta(seconds=14))
    after = await take(other, "living", Slot.GPU, now=NOON + timedelta(seconds=15))

    assert (before, after) == (False, True)


async def test_holding_gives_back_and_wakes_whoever_waits(db: Database, other: Database) -> None:
    """Two processes that both want the only seat have it one after the other."""
    one = Slots(db, SystemClock(), "p1", capacities(4))
    two = Slots(other, SystemClock(), "p2", capacities(4))
    order: list[str] = []

    async def work(mine: Slots, name: str, has_seat: asyncio.Event, go_on: asyncio.Event) -> None:
        async with mine.hold(Slot.GPU, Priority.EMBED):
            order.append(f"{name} begins")
            has_seat.set()
            await go_on.wait()
            order.append(f"{name} ends")

    first_in, first_out, second_in, second_out = (asyncio.Event() for _ in range(4))
    second_out.set()
    async with asyncio.TaskGroup() as group:
        group.create_task(work(one, "p1", first_in, first_out))
        await first_in.wait()
        group.create_task(work(two, "p2", second_in, second_out))
        while await db.read(slots.waiting, SystemClock().now()) != {Slot.GPU: 1}:
            pass
        first_out.set()

    assert order == ["p1 begins", "p1 ends", "p2 begins", "p2 ends"]
    assert await db.read(slots.taken_seats, SystemClock().now()) == {}


async def test_a_cancelled_wait_leaves_the_line(db: Database) -> None:
    """Nobody stands in line for a caller who has gone."""
    mine = Slots(db, SystemClock(), "p1", capacities(4))
    async with mine.hold(Slot.GPU, Priority.EMBED):
        waiting = asyncio.create_task(mine.hold(Slot.BROWSER_HEADFUL, Priority.SERP).__aenter__())
        while await db.read(slots.waiting, SystemClock().now()) != {Slot.BROWSER_HEADFUL: 1}:
            pass
        waiting.cancel()
        await asyncio.wait({waiting})

        left = await db.read(slots.waiting, SystemClock().now())

    assert left == {}


def test_seats_of_the_slots() -> None:
    """As SPEC §9 has them; the processor's are its cores unless the user says otherwise."""
    assert capacities(4, 3) == {Slot.GPU: 1, Slot.BROWSER_HEADFUL: 1, Slot.NETWORK_CLIENT: 4, Slot.CPU_NLP: 3}
