"""How many requests run at once follows how they end: once a minute over all processes, logged with its figures."""

import json
from pathlib import Path
from typing import Any

import pytest

from lyra.model.event import Event
from lyra.model.page import FetchOutcome, FetchResult
from lyra.policy.domain_policy import DomainPolicy
from lyra.policy.pressure import LIMITS, Pressure, seats_under
from lyra.settings import Politeness
from lyra.storage import journal
from lyra.storage.database import Database
from tests.clocks import HeldClock

ABOUT = {limit.name: limit.about for limit in LIMITS}


class Line:
    """The journal of a line that fails as it is told, and what Lyra makes of it."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.clock = HeldClock()
        self.told: list[int] = []
        self.pressure = Pressure(db, self.clock, 4, self.told.append)

    async def minute(self, *outcomes: str, rung: str = "http", status_code: int | None = None) -> int:
        """A minute in which requests ended so."""
        more = {"rung": rung, "status_code": status_code}
        events = [Event("fetch", self.clock.now(), "https://a.org/", {"outcome": one, **more}) for one in outcomes]
        await self.db.write(journal.append, events)
        self.clock.pass_by(60)
        return await self.pressure.tick()

    async def changes(self) -> list[Any]:
        def read(connection: Any) -> list[Any]:
            return list(connection.execute("select details from event_log where kind = 'policy_change' order by id"))

        return [json.loads(details) for (details,) in await self.db.read(read)]


@pytest.fixture
async def line(tmp_path: Path) -> Any:
    db = await Database.open(tmp_path / "lyra.db")
    yield Line(db)
    await db.close()


async def test_a_failing_line_is_used_less_and_then_more_again(line: Line) -> None:
    """Down to a quarter, never to nothing; back only after five minutes, and only once both averages have calmed."""
    bad = [await line.minute("timed_out", "failed", "ok") for _ in range(6)]
    good = [await line.minute("ok", "ok", "ok") for _ in range(30)]

    assert bad == [4, 4, 2, 1, 1, 1]
    assert good[:5] == [1, 1, 1, 1, 1]
    assert good[-1] == 4
    assert line.told[-1] == 4


async def test_a_server_in_trouble_is_not_a_line_in_trouble(line: Line) -> None:
    """It answers, with an error: nobody else's requests are held back for it."""
    allowed = [await line.minute("failed", "failed", status_code=503) for _ in range(6)]

    assert allowed == [4] * 6
    assert await line.changes() == []


async def test_every_change_is_logged_with_its_figures(line: Line) -> None:
    """From what to what, why, and the averages behind it."""
    for _ in range(3):
        await line.minute("timed_out", "failed")

    assert await line.changes() == [
        {
            "parameter": "network_pressure",
            "before": "1",
            "after": "2",
            "reason": "unanswered requests: the short average 0.66 reached 0.30",
            "figures": {"short": 0.657, "long": 0.271, "samples": 3, "sent": 2, "failed": 2},
        }
    ]


async def test_it_is_not_turned_round_within_five_minutes(line: Line) -> None:
    """However good the next minutes are; the first step back comes when five have passed."""
    for _ in range(4):
        await line.minute("timed_out")

    allowed = [await line.minute(*["ok"] * 50) for _ in range(11)]

    told = await line.changes()
    assert [change["after"] for change in told[:2]] == ["2", "4"]
    assert allowed[:4] == [1, 1, 1, 1]
    assert told[2]["after"] == "2"


async def test_a_quiet_minute_teaches_nothing(line: Line) -> None:
    """Without requests, and with pages that nobody was asked for, nothing moves."""
    allowed = [await line.minute() for _ in range(5)]
    allowed.append(await line.minute("robots_denied", "cooling_down"))

    assert allowed == [4] * 6
    assert await line.changes() == []


async def test_of_several_processes_one_looks_each_minute(line: Line) -> None:
    """The others take over what it found."""
    other = Pressure(line.db, line.clock, 4, line.told.append)
    for _ in range(3):
        await line.minute("timed_out")

    allowed = await other.tick()

    assert allowed == 2
    assert len(await line.changes()) == 1


@pytest.mark.parametrize(("pressure", "seats"), [(1.0, 4), (2.0, 2), (4.0, 1), (100.0, 1)])
def test_seats_under_pressure(pressure: float, seats: int) -> None:
    """A share of four, and never none."""
    assert seats_under(pressure, 4) == seats


@pytest.mark.parametrize(
    ("rung", "parameter"),
    [("tor", "tor_pressure"), ("headful", "headful_pressure"), ("undetected", "headful_pressure")],
)
async def test_a_way_that_seldom_helps_is_taken_less(line: Line, rung: str, parameter: str) -> None:
    """Four minutes of refusals halve its share; the line itself is sound, and how many run at once stays."""
    for _ in range(4):
        allowed = await line.minute("blocked", "challenge", "unavailable", rung=rung)

    assert allowed == 4
    assert await line.changes() == [
        {
            "parameter": parameter,
            "before": "1",
            "after": "2",
            "reason": f"{ABOUT[parameter]}: the short average 0.76 reached 0.70",
            "figures": {"short": 0.76, "long": 0.344, "samples": 4, "sent": 2, "failed": 2},
        }
    ]


async def test_the_domain_policy_heeds_the_shares(line: Line) -> None:
    """What a minute's look has found holds for the next fetch of any domain: of the day's ten requests over windows
    five are too many."""
    policy = DomainPolicy(line.db, line.clock, Politeness())
    for rung in ["http"] * 5 + ["headful"] * 5:
        await policy.note("a.org", FetchResult("https://a.org/", FetchOutcome.OK, rung=rung))
    before = (await policy.advice("b.org")).barred

    for _ in range(4):
        await line.minute("blocked", rung="headful")

    why = "windows seldom helped; their share is 50%"
    assert before == {}
    assert (await policy.advice("b.org")).barred == {"headful": why, "undetected": why}
