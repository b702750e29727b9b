"""What is remembered of search engines and academic APIs."""

from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import BreakerState, EngineHealth
from lyra.storage.columns import moment, moment_or_none, stamp_or_none

_SELECT = """
select engine, updated_at, state, failures, open_until, last_outcome, last_reason, success_1h, success_24h,
    captcha_24h, drift_24h, latency_s, asked_day, asked_today
from engine_health
"""


def get(connection: Connection, engine: str) -> EngineHealth | None:
    row = connection.execute(_SELECT + "where engine = ?", (engine,)).fetchone()
    return None if row is None else _health(row)


def all(connection: Connection) -> tuple[EngineHealth, ...]:
    """Every known engine, by name."""
    return tuple(_health(row) for row in connection.execute(_SELECT + "order by engine"))


def save(connection: Connection, health: EngineHealth) -> None:
    connection.execute(
        """
        insert into engine_health (engine, updated_at, state, failures, open_until, last_outcome, last_reason,
            success_1h, success_24h, captcha_24h, drift_24h, latency_s, asked_day, asked_today)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (engine) do update
        set updated_at = excluded.updated_at, state = excluded.state, failures = excluded.failures,
            open_until = excluded.open_until, last_outcome = excluded.last_outcome,
            last_reason = excluded.last_reason, success_1h = excluded.success_1h,
            success_24h = excluded.success_24h, captcha_24h = excluded.captcha_24h, drift_24h = excluded.drift_24h,
            latency_s = excluded.latency_s, asked_day = excluded.asked_day, asked_today = excluded.asked_today
        """,
        (
            health.engine,
            stamp(health.updated_at),
            health.state,
            health.failures,
            stamp_or_none(health.open_until),
            health.last_outcome,
            health.last_reason,
            health.success_1h,
            health.success_24h,
            health.captcha_24h,
            health.drift_24h,
            health.latency_s,
            health.asked_day,
            health.asked_today,
        ),
    )


def _health(row: tuple[Any, ...]) -> EngineHealth:
    return EngineHealth(
        engine=row[0],
        updated_at=moment(row[1]),
        state=BreakerState(row[2]),
        failures=row[3],
        open_until=moment_or_none(row[4]),
        last_outcome=row[5],
        last_reason=row[6],
        success_1h=row[7],
        success_24h=row[8],
        captcha_24h=row[9],
        drift_24h=row[10],
        latency_s=row[11],
        asked_day=row[12],
        asked_today=row[13],
    )
