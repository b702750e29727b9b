"""Questions to a person and the answers, which outlive calls and processes."""

import json
from datetime import datetime
from typing import Any

from apsw import Connection

from lyra.clock import stamp
from lyra.model.handoff import Question, QuestionStatus
from lyra.storage.columns import moment, moment_or_none, to_json

_SELECT = """
select id, prompt, asked_at, expires_at, choices, status, response, choice_index, answered_at, answered_via
from user_questions
"""


def insert(connection: Connection, question: Question) -> None:
    connection.execute(
        "insert into user_questions (id, prompt, asked_at, expires_at, choices) values (?, ?, ?, ?, ?)",
        (
            question.id,
            question.prompt,
            stamp(question.asked_at),
            stamp(question.expires_at),
            to_json(question.choices),
        ),
    )


def get(connection: Connection, question_id: str) -> Question | None:
    row = connection.execute(_SELECT + "where id = ?", (question_id,)).fetchone()
    return None if row is None else _question(row)


def open_at(connection: Connection, now: datetime) -> tuple[Question, ...]:
    """What still waits for an answer in time, oldest first."""
    rows = connection.execute(
        _SELECT + "where status = 'pending' and expires_at > ? order by asked_at, id", (stamp(now),)
    )
    return tuple(_question(row) for row in rows)


def write_answer(
    connection: Connection,
    question_id: str,
    status: QuestionStatus,
    *,
    via: str,
    now: datetime,
    response: str | None = None,
    choice_index: int | None = None,
) -> bool:
    """Write the answer of a question that has none; returns whether it was the first."""
    connection.execute(
        """
        update user_questions
        set status = ?, response = ?, choice_index = ?, answered_at = ?, answered_via = ?
        where id = ? and status = 'pending'
        """,
        (status, response, choice_index, stamp(now), via, question_id),
    )
    return bool(connection.changes())


def _question(row: tuple[Any, ...]) -> Question:
    return Question(
        id=row[0],
        prompt=row[1],
        asked_at=moment(row[2]),
        expires_at=moment(row[3]),
        choices=tuple(json.loads(row[4])),
        status=QuestionStatus(row[5]),
        response=row[6],
        choice_index=row[7],
        answered_at=moment_or_none(row[8]),
        answered_via=row[9],
    )
