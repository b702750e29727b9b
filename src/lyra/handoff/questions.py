"""Questions to a person: asked once; the first answer counts, from a client or a terminal, also after a restart."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock, stamp, wait_until
from lyra.errors import InvalidParams
from lyra.ids import new_id
from lyra.model.handoff import Question, QuestionStatus
from lyra.model.person import OWNER, Person
from lyra.storage import questions
from lyra.storage.database import Database
from lyra.text import normalise, strip_control_chars, without_surrogates

if TYPE_CHECKING:
    from apsw import Connection

_POLL_S = 0.25
_MAX_ANSWER_CHARS = 4_000


class Questions:
    """Asks, waits and answers; everything is in the database. A question of another is not there, except for admins."""

    def __init__(self, db: Database, clock: Clock, person: Person = OWNER) -> None:
        self._db = db
        self._clock = clock
        self._person = person

    async def ask(self, prompt: str, choices: Sequence[str], timeout_s: float) -> Question:
        """A new question, open for `timeout_s` seconds."""
        now = self._clock.now()
        expires_at = now + timedelta(seconds=timeout_s)
        owner = self._person.id or None
        question = Question(new_id("wait"), prompt, now, expires_at, tuple(choices), owner=owner)
        await self._db.write(questions.insert, question)
        return question

    async def get(self, question_id: str) -> Question:
        """The question; InvalidParams where there is none that the person may read."""
        found = await self._db.read(questions.get, question_id)
        if found is None or not self._person.may_change(found.owner):
            raise _unknown(question_id)
        return found

    async def open(self) -> tuple[Question, ...]:
        """What waits for an answer now, oldest first."""
        found = await self._db.read(questions.open_at, self._clock.now())
        return tuple(one for one in found if self._person.may_change(one.owner))

    async def wait(self, question_id: str, limit_s: float) -> Question:
        """The question as soon as it is answered or has timed out, at the latest after `limit_s`."""

        async def closed() -> Question | None:
            question = await self.get(question_id)
            return None if self.is_open(question) else question

        ended = await wait_until(closed, self._clock, every_s=_POLL_S, limit_s=limit_s)
        return ended or await self.get(question_id)

    def is_open(self, question: Question) -> bool:
        """Whether an answer would still be in time."""
        return question.status is QuestionStatus.PENDING and self._clock.now() < question.expires_at

    async def answer(self, question_id: str, text: str, via: str) -> Question:
        """Take a person's answer. After the time-out it is kept, marked late; a second one is refused."""
        question = await self.get(question_id)
        response, index = read_answer(question, text)
        return await self._db.write(_store_answer, question.id, response, index, via, self._clock.now())

    async def decline(self, question_id: str, via: str) -> Question:
        """Store that the person does not want to answer."""
        question = await self.get(question_id)
        return await self._db.write(_decline, question.id, via, self._clock.now())


def readable(text: str) -> str:
    """A client's text as a person reads it: its own characters and lines, without control characters."""
    return without_surrogates(strip_control_chars(text.replace("\r\n", "\n"))).strip()


def read_answer(question: Question, text: str) -> tuple[str, int | None]:
    """The answer and, among choices, its index: given as the choice itself or as its number from 1."""
    answer = text.strip()
    if not answer:
        raise InvalidParams("The answer is empty.", remedy="Give an answer, or leave the question open.")
    if len(answer) > _MAX_ANSWER_CHARS:
        raise InvalidParams(f"The answer has {len(answer)} characters; at most {_MAX_ANSWER_CHARS} are taken.")
    if not question.choices:
        return answer, None
    for form in (str.casefold, _folded):  # as it was written, else in another width
        same = [index for index, choice in enumerate(question.choices) if form(choice) == form(answer)]
        if len(same) == 1:
            return question.choices[same[0]], same[0]
    if answer.isdecimal() and 1 <= int(answer) <= len(question.choices):
        return question.choices[int(answer) - 1], int(answer) - 1
    listed = ", ".join(f"{number} {choice}" for number, choice in enumerate(question.choices, 1))
    raise InvalidParams(f"{answer[:60]!r} is not one of the choices.", remedy=f"Choose one of: {listed}.")


def _folded(text: str) -> str:
    return normalise(text).strip().casefold()


def _store_answer(
    connection: "Connection", question_id: str, response: str, index: int | None, via: str, now: datetime
) -> Question:
    question = _get(connection, question_id)
    status = QuestionStatus.ANSWERED if now < question.expires_at else QuestionStatus.LATE
    if not questions.write_answer(
        connection, question_id, status, via=via, now=now, response=response, choice_index=index
    ):
        raise _already_answered(question)
    return _get(connection, question_id)


def _decline(connection: "Connection", question_id: str, via: str, now: datetime) -> Question:
    question = _get(connection, question_id)
    if not questions.write_answer(connection, question_id, QuestionStatus.DECLINED, via=via, now=now):
        raise _already_answered(question)
    return _get(connection, question_id)


def _get(connection: "Connection", question_id: str) -> Question:
    question = questions.get(connection, question_id)
    if question is None:  # deleted with its task a moment ago
        raise _unknown(question_id)
    return question


def _unknown(question_id: str) -> InvalidParams:
    return InvalidParams(
        f"There is no question {question_id[:60]!r}.", remedy="wait_for_user without a wait_id asks again."
    )


def _already_answered(question: Question) -> InvalidParams:
    when = stamp(question.answered_at) if question.answered_at else "before"
    return InvalidParams(
        f"The question was {question.status.value} already, at {when} ({question.answered_via}).",
        remedy="The first answer counts.",
    )
