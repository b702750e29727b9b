"""The gate over a real database: exclusive turns, default pauses, and leases that lapse with their process."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from lyra.policy.gate import Gate
from lyra.settings import Politeness
from lyra.storage import leases
from lyra.storage.database import Database

DOMAIN = "domain:fdso.gov"
# What the pauses are on a working day, whatever day and zone this machine is in.
WORKING = Politeness(quiet_factor=1)


def gate(db: Database, clock: Any, chance: Any, owner: str = "p1", concurrency: int = 4) -> Gate:
    return Gate(db, clock, chance, WORKING, owner, concurrency)


@pytest.mark.parametrize(
    ("name", "pause_s"),
    [(DOMAIN, 5.0), ("engine:mojeek", 4.5), ("api:openalex", 1.0)],
)
async def test_default_delay_lies_between_two_turns(
    db: Database, leaping: Any, middle: Any, name: str, pause_s: float
) -> None:
    """The defaults of the specification, to the second, without anybody sleeping."""
    door = gate(db, leaping, middle)
    async with door.turn([name]):
        pass

    async with door.turn([name]):
        waited_s = leaping.monotonic()

    assert waited_s == pause_s


async def test_pauses_are_longer_in_quiet_times(db: Database, leaping: Any, middle: Any) -> None:
    """A holiday by this machine's clock: five seconds become seven and a half."""
    settings = Politeness(holidays=(f"{leaping.now().astimezone():%Y-%m-%d}",))
    door = Gate(db, leaping, middle, settings, "p1", 4)
    async with door.turn([DOMAIN]):
        pass

    async with door.turn([DOMAIN]):
        waited_s = leaping.monotonic()

    assert waited_s == 7.5


async def test_other_names_do_not_wait(db: Database, leaping: Any, middle: Any) -> None:
    """The pause of one domain is nobody else's."""
    door = gate(db, leaping, middle)
    async with door.turn([DOMAIN]):
        pass

    async with door.turn(["domain:nimeth.gov"]):
        waited_s = leaping.monotonic()

    assert waited_s == 0.0


async def test_pause_holds_in_another_process(db: Database, leaping: Any, middle: Any, tmp_path: Any) -> None:
    """Another process, with its own database connections on the same file, waits just as long."""
    other_db = await Database.open(tmp_path / "lyra.db")
    async with gate(db, leaping, middle).turn([DOMAIN]):
        pass

    async with gate(other_db, leaping, middle, "p2").turn([DOMAIN]):
        waited_s = leaping.monotonic()
    await other_db.close()

    assert waited_s == 5.0


async def test_longer_pause_is_kept_where_it_is_asked_for(db: Database, leaping: Any, middle: Any) -> None:
    """A crawl delay above our own pause decides."""
    door = gate(db, leaping, middle)
    async with door.turn([DOMAIN]) as turn:
        turn.pause_at_least(30.0)

    async with door.turn([DOMAIN]):
        waited_s = leaping.monotonic()

    assert waited_s == 30.0


async def test_too_long_a_pause_is_told_instead_of_waited(db: Database, leaping: Any, middle: Any) -> None:
    """Nobody stands at the gate for ten minutes: the caller learns when to come back."""
    door = gate(db, leaping, middle)
    async with door.turn([DOMAIN]) as turn:
        turn.pause_at_least(600.0)

    async with door.turn([DOMAIN]) as second:
        busy_for_s = second.busy_for_s

    assert (busy_for_s, leaping.slept) == (600.0, [])


async def test_unused_turn_costs_no_pause(db: Database, leaping: Any, middle: Any) -> None:
    """Who sends nothing after all passes the turn on at once."""
    door = gate(db, leaping, middle)
    async with door.turn([DOMAIN]) as turn:
        turn.pass_on()

    async with door.turn([DOMAIN]):
        waited_s = leaping.monotonic()

    assert waited_s == 0.0


async def test_lease_of_a_dead_process_lapses(db: Database, leaping: Any, middle: Any) -> None:
    """A process that was killed in the middle of a request blocks its domain for fifteen seconds, no longer."""
    now = leaping.now()
    await db.write(leases.acquire, DOMAIN, "killed/u_1", now, now + timedelta(seconds=15))

    async with gate(db, leaping, middle).turn([DOMAIN]):
        waited_s = leaping.monotonic()

    assert waited_s == 15.0


async def test_living_process_keeps_its_lease(db: Database, held: Any, middle: Any) -> None:
    """A request that takes longer than the lease stays alone: the holder renews it."""
    async with gate(db, held, middle).turn([DOMAIN]):
        for _ in range(5):
            await held.advance(5.0)
        await held.somebody_sleeps()
        now = held.now()
        is_taken, again_at = await db.write(leases.acquire, DOMAIN, "p2/u_1", now, now + timedelta(seconds=15))

    assert (is_taken, again_at - now) == (False, timedelta(seconds=15))


async def test_names_are_taken_together_or_not_at_all(db: Database, leaping: Any, middle: Any) -> None:
    """An engine waits for its domain without keeping others from the engine's name."""
    door = gate(db, leaping, middle)
    async with door.turn([DOMAIN]):
        pass

    async with door.turn(["engine:mojeek", DOMAIN]):
        waited_s = leaping.monotonic()
    async with door.turn([DOMAIN]):
        pause_s = leaping.monotonic() - waited_s

    assert (waited_s, pause_s) == (5.0, 4.5)


async def test_line_is_first_come_first_served(db: Database, leaping: Any, middle: Any) -> None:
    """Within a process nobody is overtaken."""
    door = gate(db, leaping, middle)
    served: list[int] = []

    async def visit(number: int) -> None:
        async with door.turn([DOMAIN]):
            served.append(number)

    await asyncio.gather(*(visit(number) for number in range(6)))

    assert served == [0, 1, 2, 3, 4, 5]


async def test_turn_is_given_back_when_the_request_breaks(db: Database, leaping: Any, middle: Any) -> None:
    """An exception in the middle of a turn leaves nothing locked."""
    door = gate(db, leaping, middle)
    with pytest.raises(RuntimeError):
        async with door.turn([DOMAIN]):
            raise RuntimeError("the disk is full")

    async with door.turn([DOMAIN]):
        waited_s = leaping.monotonic()

    assert waited_s == 5.0


async def test_slots_bound_what_is_under_way(db: Database, leaping: Any, middle: Any) -> None:
    """Over all names no more requests run at once than the setting says."""
    door = gate(db, leaping, middle, concurrency=2)
    under_way = 0
    most = 0
    both = asyncio.Barrier(2)

    async def visit(number: int) -> None:
        nonlocal under_way, most
        async with door.turn([f"domain:{number}.example"]) as turn:
            turn.pass_on()
            under_way += 1
            most = max(most, under_way)
            await both.wait()
            await db.read(lambda connection: connection.execute("select 1").get)
            under_way -= 1

    async with asyncio.timeout(30):
        await asyncio.gather(*(visit(number) for number in range(8)))

    assert most == 2


async def test_users_rate_lies_between_two_turns(db: Database, leaping: Any, middle: Any) -> None:
    """A domain that `domains.yaml` gives one request in twenty seconds waits twenty seconds."""
    door = Gate(db, leaping, middle, WORKING, "p1", 4, qps_of={"fdso.gov": 0.05}.get)
    async with door.turn([DOMAIN]):
        began_s = leaping.monotonic()

    async with door.turn([DOMAIN]):
        waited_s = leaping.monotonic() - began_s

    assert waited_s == 20.0
