"""Answers kept for a while: result pages and robots.txt files."""

import json
from dataclasses import asdict
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.domain import RobotsFile
from lyra.model.search import EngineAnswer, SearchOutcome, SerpItem
from lyra.storage.columns import moment, to_json


def serp(connection: Connection, key: str, newer_than: datetime) -> EngineAnswer | None:
    """The answer kept under this key, unless it is older."""
    row = connection.execute(
        "select answer from serp_cache where key = ? and created_at > ?", (key, stamp(newer_than))
    ).fetchone()
    return None if row is None else _answer(row[0])


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
    row = connection.execute(
        """
        select origin, body, status_code, fetched_at
        from robots_cache
        where origin = ? and fetched_at > ?
        """,
        (origin, stamp(newer_than)),
    ).fetchone()
    return None if row is None else RobotsFile(row[0], row[1], row[2], moment(row[3]))


def save_robots(connection: Connection, file: RobotsFile) -> None:
    connection.execute(
        """
        insert into robots_cache (origin, body, status_code, fetched_at)
        values (?, ?, ?, ?)
        on conflict (origin) do update
        set body = excluded.body, status_code = excluded.status_code, fetched_at = excluded.fetched_at
        """,
        (file.origin, file.body, file.status_code, stamp(file.fetched_at)),
    )


def forget(connection: Connection, older_than: datetime) -> int:
    """Delete what nobody may use any more; returns how many answers."""
    connection.execute("delete from serp_cache where created_at <= ?", (stamp(older_than),))
    deleted = connection.changes()
    connection.execute("delete from robots_cache where fetched_at <= ?", (stamp(older_than),))
    return deleted + connection.changes()


def _answer(text: str) -> EngineAnswer:
    stored = json.loads(text)
    return EngineAnswer(
        engine=stored["engine"],
        query=stored["query"],
        outcome=SearchOutcome(stored["outcome"]),
        items=tuple(SerpItem(**item) for item in stored["items"]),
        reason=stored["reason"],
        retry_after_s=stored["retry_after_s"],
        url=stored.get("url"),
        record_id=stored.get("record_id"),
    )
