"""Questions to a person and the answers, which outlive calls and processes."""

from collections.abc import Iterable
from datetime import datetime

from apsw import Connection

from lyra.clock import stamp
from lyra.model.handoff import Question, QuestionStatus
from lyra.storage.columns import ids_json
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


def delete_repeating(connection: Connection, task_id: str, texts: Iterable[str]) -> int:
    """Delete what was asked of a person since the task began, by whoever owns the task, and that names the task or
    repeats one of its texts; returns how many. A question has no task of its own."""
    found = read(
        connection,
        Question,
        f"""
        select {_QUESTIONS.columns("u")}
        from tasks t
        join user_questions u on u.asked_at >= t.created_at and u.owner is t.owner
        where t.id = ?
        """,
        (task_id,),
    )
    wanted = [one.casefold() for one in (task_id, *texts)]
    gone = [one.id for one in found if _repeats(one, wanted)]
    connection.execute("delete from user_questions where id in (select value from json_each(?))", (ids_json(gone),))
    return len(gone)


def _repeats(question: Question, texts: Iterable[str]) -> bool:
    words = "\n".join((question.prompt, *question.choices, question.response or "")).casefold()
    return any(text in words for text in texts)
