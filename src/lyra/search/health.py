"""Which engines may be asked: their circuit breakers, kept in the database for every process."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from lyra.clock import Clock
from lyra.model.search import EngineAnswer, Outcome
from lyra.model.standing import EngineHealth
from lyra.policy import breaker
from lyra.settings import Politeness
from lyra.storage import engine_health
from lyra.storage.database import Database

if TYPE_CHECKING:
    from apsw import Connection

_MAX_REASON_CHARS = 300


@dataclass(frozen=True, slots=True)
class Health:
    """Reads and moves the circuits of engines."""

    db: Database
    clock: Clock
    politeness: Politeness

    async def wait_s(self, engine: str) -> float:
        """Seconds until the engine may be asked; 0 where it may be asked now."""
        known = await self.db.read(engine_health.get, engine)
        return breaker.wait_s(known, self.clock.now()) if known else 0.0

    async def record(self, answer: EngineAnswer) -> None:
        """Move the circuit by an answer that a request brought."""
        await self.db.write(_record, answer, self.clock.now(), self.politeness)


def _record(connection: "Connection", answer: EngineAnswer, now: datetime, politeness: Politeness) -> None:
    before = engine_health.get(connection, answer.engine) or EngineHealth(answer.engine, now)
    outcome = answer.outcome.value
    if answer.outcome in {Outcome.RESULTS, Outcome.EMPTY}:
        after = breaker.succeeded(before, now, outcome)
    else:
        reason = (answer.reason or "")[:_MAX_REASON_CHARS]
        after = breaker.failed(before, now, politeness, outcome, reason, answer.retry_after_s)
    engine_health.save(connection, after)
