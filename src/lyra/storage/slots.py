"""Seats of slots over all processes: who holds one, who waits for one, and who is next. Both are leases.

A seat is a lease on `slot:ROOM/NUMBER`, a place in the waiting line one on `line:ROOM/USE`.
"""

from dataclasses import dataclass
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.job import SlotUse
from lyra.storage.leases import LONGEST_LEASE
from lyra.storage.rows import insert, read

_SEAT, _LINE = "slot:", "line:"


@dataclass(frozen=True, slots=True)
class _Lease:
    name: str
    owner: str
    priority: int
    asked_at: str

    @property
    def place(self) -> tuple[int, str, str]:
        """Lower comes first: the higher priority, among equals who asked first."""
        return -self.priority, self.asked_at, self.owner


def take(
    connection: Connection, use: SlotUse, capacity: int, now: datetime, until: datetime, patient_until: datetime
) -> bool:
    """Take a free seat of the use's room, or keep the one it has, until then; otherwise wait in line.

    Whoever has the higher priority goes first, among equals whoever asked first. A use that waits must ask again
    before `patient_until`, or it has left the line.
    """
    connection.execute(
        "delete from leases where slot is not null and (until <= ? or until > ?)",
        (stamp(now), stamp(now + LONGEST_LEASE)),
    )
    seats = _leases(connection, f"{_SEAT}{use.room}/")
    line = _leases(connection, f"{_LINE}{use.room}/")
    own = next((one for one in line if one.owner == use.id), None)
    seat = next((one.name for one in seats if one.owner == use.id), None)
    if seat is None:
        place = own.place if own else (-use.priority, "9", use.id)
        ahead = sum(one.place < place for one in line if one.owner != use.id)
        taken = {one.name for one in seats}
        free = [name for number in range(capacity) if (name := f"{_SEAT}{use.room}/{number}") not in taken]
        seat = free[0] if len(free) > ahead else None
    lease = {
        "name": seat or f"{_LINE}{use.room}/{use.id}",
        "owner": use.id,
        "until": stamp(until if seat else patient_until),
        "slot": use.slot,
        "priority": use.priority,
        "asked_at": own.asked_at if own else stamp(now),
    }
    if seat and own:
        connection.execute("delete from leases where name = ?", (own.name,))
    insert(connection, "leases", lease, "(name) do update set until = excluded.until")
    return seat is not None


def release_seat(connection: Connection, use_id: str) -> None:
    """Give the seat back, or leave the line."""
    connection.execute("delete from leases where owner = ? and slot is not null", (use_id,))


def taken_seats(connection: Connection, now: datetime) -> dict[str, int]:
    """Seats taken now, by slot."""
    return _count(connection, _SEAT, now)


def waiting(connection: Connection, now: datetime) -> dict[str, int]:
    """Uses in line now, by slot."""
    return _count(connection, _LINE, now)


def _leases(connection: Connection, prefix: str) -> tuple[_Lease, ...]:
    sql = "select name, owner, priority, asked_at from leases where name >= ? and name < ? order by name"
    return read(connection, _Lease, sql, (prefix, prefix[:-1] + chr(ord("/") + 1)))


def _count(connection: Connection, prefix: str, now: datetime) -> dict[str, int]:
    rows = connection.execute(
        """
        select slot, count(*)
        from leases
        where slot is not null and name >= ? and name < ? and until > ?
        group by slot
        """,
        (prefix, prefix[:-1] + ";", stamp(now)),
    )
    return {str(slot): int(count) for slot, count in rows}
