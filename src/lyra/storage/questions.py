"""Questions to a person and the answers, which outlive calls and processes."""

from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.handoff import Question, QuestionStatus
from lyra.storage.rows import Table, read, read_one

_QUESTIONS = Table("user_questions", Question)
_SELECT = f"select {_QUESTIONS.columns()} from user_questions "


def insert(connection: Connection, question: Question) -> None:
    _QUESTIONS.insert(connection, question)


def get(connection: Connection, question_id: str) -> Question | None:
    return read_one(connection, Question, _SELECT + "where id = ?", (question_id,))


def open_at(connection: Connection, now: datetime) -> tuple[Question, ...]:
    """What still waits for an answer in time, oldest first."""
    return read(
        connection,
        Question,
        _SELECT + "where status = 'pending' and expires_at > ? order by asked_at, id",
        (stamp(now),),
    )


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
