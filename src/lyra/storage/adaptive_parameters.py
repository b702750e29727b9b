"""Parameters of the whole machine that adapt, shared by all processes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.storage.columns import moment, moment_or_none, stamp_or_none


@dataclass(frozen=True, slots=True)
class ParameterRecord:
    """A row of `knobs`; `event_id` is the last entry of the journal that the averages have seen."""

    name: str
    value: float
    short: float
    long: float
    updated_at: datetime
    samples: int = 0
    event_id: int = 0
    turned_at: datetime | None = None
    direction: int = 0


def get(connection: Connection, name: str) -> ParameterRecord | None:
    row: Any = connection.execute(
        """
        select name, value, short, long, updated_at, samples, event_id, turned_at, direction
        from knobs
        where name = ?
        """,
        (name,),
    ).fetchone()
    if row is None:
        return None
    name, value, short, long, updated_at, samples, event_id, turned_at, direction = row
    return ParameterRecord(
        name, value, short, long, moment(updated_at), samples, event_id, moment_or_none(turned_at), direction
    )


def all(connection: Connection) -> dict[str, tuple[float, int]]:
    """Every parameter that was ever looked at: its value, and the minutes behind it."""
    rows = connection.execute("select name, value, samples from knobs order by name")
    return {str(name): (float(str(value)), int(str(samples))) for name, value, samples in rows}


def save(connection: Connection, parameter: ParameterRecord) -> None:
    connection.execute(
        """
        insert into knobs (name, value, short, long, updated_at, samples, event_id, turned_at, direction)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (name) do update
        set value = excluded.value, short = excluded.short, long = excluded.long, updated_at = excluded.updated_at,
            samples = excluded.samples, event_id = excluded.event_id, turned_at = excluded.turned_at,
            direction = excluded.direction
        """,
        (
            parameter.name,
            parameter.value,
            parameter.short,
            parameter.long,
            stamp(parameter.updated_at),
            parameter.samples,
            parameter.event_id,
            stamp_or_none(parameter.turned_at),
            parameter.direction,
        ),
    )
