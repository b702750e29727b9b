"""Every change of an engine's circuit is in the journal, with the figures behind it (§4.6)."""

import json
from typing import Any

from lyra.model.search import EngineAnswer, SearchOutcome
from lyra.search.health import EngineHealthStore
from lyra.settings import Politeness
from lyra.storage.database import Database
from tests.clocks import HeldClock


async def changes(db: Database) -> list[Any]:
    def read(connection: Any) -> list[Any]:
        return list(connection.execute("select subject, details from event_log where kind = 'policy_change'"))

    return [(subject, json.loads(details)) for subject, details in await db.read(read)]


async def test_opening_and_closing_are_logged(db: Database, clock: HeldClock) -> None:
    """Two refusals open it; the trial after half an hour closes it; an answer that changes nothing is not noted."""
    health = EngineHealthStore(db, clock, Politeness())
    refused = EngineAnswer("mojeek", "心不全", SearchOutcome.BLOCKED, reason="automated queries")
    for answer, later_s in (
        (refused, 10),
        (refused, 1800),
        (EngineAnswer("mojeek", "心不全", SearchOutcome.EMPTY), 10),
    ):
        await health.record(answer)
        clock.pass_by(later_s)

    told = await changes(db)

    assert [(subject, one["before"], one["after"], one["reason"]) for subject, one in told] == [
        ("engine:mojeek", "closed", "open", "blocked: automated queries"),
        ("engine:mojeek", "half_open", "closed", "empty"),
    ]
    assert told[0][1]["figures"] == {"failures": 2, "success_1h": 0.49, "success_24h": 0.81, "open_s": 1800.0}
