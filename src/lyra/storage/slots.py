"""Seats of slots over all processes: who holds one, who waits for one, and who is next."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.job import SlotUse


def take(
    connection: Connection, use: SlotUse, capacity: int, now: datetime, until: datetime, patient_until: datetime
) -> bool:
    """Take a free seat of the use's room, or keep the one it has, until then; otherwise wait in line.

    Whoever has the higher priority goes first, among equals whoever asked first. A use that waits must ask again
    before `patient_until`, or it has left the line.
    """
    connection.execute("delete from slot_uses where until <= ?", (stamp(now),))
    seat = _seat_of(connection, use, capacity)
    connection.execute(
        """
        insert into slot_uses (use, slot, room, seat, priority, asked_at, until)
        values (:use, :slot, :room, :seat, :priority, :now, :until)
        on conflict (use) do update
        set seat = excluded.seat, until = excluded.until
        """,
        {
            "use": use.id,
            "slot": use.slot,
            "room": use.room,
            "seat": seat,
            "priority": use.priority,
            "now": stamp(now),
            "until": stamp(until if seat is not None else patient_until),
        },
    )
    return seat is not None


def leave(connection: Connection, use_id: str) -> None:
    """Give the seat back, or leave the line."""
    connection.execute("delete from slot_uses where use = ?", (use_id,))


def held(connection: Connection, now: datetime) -> dict[str, int]:
    """Seats taken now, by slot."""
    rows = connection.execute(
        "select slot, count(*) from slot_uses where seat is not null and until > ? group by slot", (stamp(now),)
    )
    return {str(slot): int(count) for slot, count in rows}


def waiting(connection: Connection, now: datetime) -> dict[str, int]:
    """Uses in line now, by slot."""
    rows = connection.execute(
        "select slot, count(*) from slot_uses where seat is null and until > ? group by slot", (stamp(now),)
    )
    return {str(slot): int(count) for slot, count in rows}


def _seat_of(connection: Connection, use: SlotUse, capacity: int) -> int | None:
    """The seat the use has, or the free one that is its due; none where others come first."""
    mine = connection.execute("select seat, asked_at from slot_uses where use = ?", (use.id,)).fetchone()
    if mine is not None and mine[0] is not None:
        return int(mine[0])
    taken = {
        int(seat)
        for (seat,) in connection.execute("select seat from slot_uses where room = ? and seat is not null", (use.room,))
    }
    free = [seat for seat in range(capacity) if seat not in taken]
    ahead = connection.execute(
        """
        select count(*)
        from slot_uses
        where room = :room and seat is null and use <> :use
            and (priority > :priority or (priority = :priority and (asked_at, use) < (:asked_at, :use)))
        """,
        {
            "room": use.room,
            "use": use.id,
            "priority": use.priority,
            "asked_at": mine[1] if mine is not None else "9",
        },
    ).get
    return free[0] if len(free) > int(str(ahead)) else None
