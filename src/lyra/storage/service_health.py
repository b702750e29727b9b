"""How what we ask answers: one record for each domain, engine and API, with its breaker, cooldown and health."""

from dataclasses import replace
from datetime import datetime

from apsw import Connection

from lyra.model.domain import BreakerState, ServiceHealth
from lyra.storage.rows import Table, read, read_one

_HEALTH = Table("service_health", ServiceHealth)
_SELECT = f"select {_HEALTH.columns()} from service_health "


def get(connection: Connection, name: str) -> ServiceHealth | None:
    """What is known of a name such as `engine:mojeek`."""
    return read_one(connection, ServiceHealth, _SELECT + "where name = ?", (name,))


def all(connection: Connection, kind: str) -> tuple[ServiceHealth, ...]:
    """Every known `domain`, `engine` or `api`, by name."""
    return read(connection, ServiceHealth, _SELECT + "where name glob ? || ':*' order by name", (kind,))


def save(connection: Connection, health: ServiceHealth) -> None:
    _HEALTH.save(connection, health, "name")


def close(connection: Connection, health: ServiceHealth, now: datetime) -> None:
    """Let it be asked again at once, its failures forgotten."""
    closed = replace(health, state=BreakerState.CLOSED, failures=0, open_until=None, updated_at=now)
    save(connection, closed)
