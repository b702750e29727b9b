"""Parameters of the whole machine that adapt, shared by all processes."""

from dataclasses import dataclass
from datetime import datetime

from apsw import Connection

from lyra.storage.rows import Table, read_one


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


_PARAMETERS = Table("knobs", ParameterRecord)


def get(connection: Connection, name: str) -> ParameterRecord | None:
    return read_one(connection, ParameterRecord, f"select {_PARAMETERS.columns()} from knobs where name = ?", (name,))


def all(connection: Connection) -> dict[str, tuple[float, int]]:
    """Every parameter that was ever looked at: its value, and the minutes behind it."""
    rows = connection.execute("select name, value, samples from knobs order by name")
    return {str(name): (float(str(value)), int(str(samples))) for name, value, samples in rows}


def save(connection: Connection, parameter: ParameterRecord) -> None:
    _PARAMETERS.save(connection, parameter, "name")
