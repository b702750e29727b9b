"""Bodies that could not be read within the limits: how often each was tried."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp


def attempts(connection: Connection, key: str) -> tuple[int, str]:
    """How often, and how the last try ended; 0 where the body is not known."""
    found = connection.execute("select tries, reason from unread_bodies where key = ?", (key,)).fetchone()
    return (int(found[0]), str(found[1])) if found else (0, "")


def note(connection: Connection, key: str, reason: str, now: datetime, more: int) -> None:
    """Add `more` tries, and how the last one ended."""
    connection.execute(
        """
        insert into unread_bodies (key, tries, reason, tried_at)
        values (?, ?, ?, ?)
        on conflict (key) do update
        set tries = tries + excluded.tries, reason = excluded.reason, tried_at = excluded.tried_at
        """,
        (key, more, reason, stamp(now)),
    )


def forget(connection: Connection, key: str) -> None:
    connection.execute("delete from unread_bodies where key = ?", (key,))
