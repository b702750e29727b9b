"""Answers kept for a while: result pages and robots.txt files."""

from dataclasses import asdict
from datetime import datetime
from typing import cast

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import RobotsFile
from lyra.model.search import EngineAnswer
from lyra.storage.columns import to_json
from lyra.storage.rows import Table, from_json, read_one

_ROBOTS = Table("robots_cache", RobotsFile)


def serp(connection: Connection, key: str, newer_than: datetime) -> EngineAnswer | None:
    """The answer kept under this key, unless it is older."""
    kept = connection.execute(
        "select answer from serp_cache where key = ? and created_at > ?", (key, stamp(newer_than))
    ).get
    return None if kept is None else cast(EngineAnswer, from_json(EngineAnswer, kept))


def save_serp(connection: Connection, key: str, answer: EngineAnswer, now: datetime) -> None:
    connection.execute(
        """
        insert into serp_cache (key, answer, created_at)
        values (?, ?, ?)
        on conflict (key) do update
        set answer = excluded.answer, created_at = excluded.created_at
        """,
        (key, to_json(asdict(answer)), stamp(now)),
    )


def robots(connection: Connection, origin: str, newer_than: datetime) -> RobotsFile | None:
    """The robots.txt of this origin (`https://example.org`), unless it is older."""
    sql = f"select {_ROBOTS.columns()} from robots_cache where origin = ? and fetched_at > ?"
    return read_one(connection, RobotsFile, sql, (origin, stamp(newer_than)))


def save_robots(connection: Connection, file: RobotsFile) -> None:
    _ROBOTS.save(connection, file, "origin")


def forget(connection: Connection, older_than: datetime) -> int:
    """Delete what nobody may use any more; returns how many answers."""
    connection.execute("delete from serp_cache where created_at <= ?", (stamp(older_than),))
    deleted = connection.changes()
    connection.execute("delete from robots_cache where fetched_at <= ?", (stamp(older_than),))
    return deleted + connection.changes()
