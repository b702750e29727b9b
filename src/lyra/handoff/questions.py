"""Questions to a person: asked once, answered by whoever is first, on whatever face, also after a restart."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lyra.clock import Clock, stamp
from lyra.errors import InvalidParams
from lyra.ids import new_id
from lyra.model.handoff import Question, QuestionStatus
from lyra.storage import questions
from lyra.storage.database import Database
from lyra.text import normalise, strip_control_chars, without_surrogates

if TYPE_CHECKING:
    from apsw import Connection

_POLL_S = 0.25
_LONGEST_ANSWER = 4_000


class Questions:
    """Asks, waits and answers; everything is in the database."""

    def __init__(self, db: Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock

    async def ask(self, prompt: str, choices: Sequence[str], timeout_s: float) -> Question:
        """A new question, open for `timeout_s` seconds."""
        now = self._clock.now()
        question = Question(new_id("wait"), prompt, now, now + timedelta(seconds=timeout_s), tuple(choices))
        await self._db.write(questions.insert, question)
        return question

    async def get(self, question_id: str) -> Question:
        """The question as it stands; InvalidParams where there is none."""
        found = await self._db.read(questions.get, question_id)
        if found is None:
            raise InvalidParams(
                f"There is no question {question_id[:60]!r}.",
                remedy="Ask anew: wait_for_user without a wait_id. In a terminal, `lyra answer` shows what is asked.",
            )
        return found

    async def open(self) -> tuple[Question, ...]:
        """What waits for an answer now, oldest first."""
        return await self._db.read(questions.open_at, self._clock.now())

    async def wait(self, question_id: str, limit_s: float) -> Question:
        """The question as soon as it is settled or has timed out, at the latest after `limit_s`."""
        deadline = self._clock.monotonic() + limit_s
        question = await self.get(question_id)
        while self.is_open(question) and self._clock.monotonic() < deadline:
            await self._clock.sleep(_POLL_S)
            question = await self.get(question_id)
        return question

    def is_open(self, question: Question) -> bool:
        """Whether an answer would still be in time."""
        return question.status is QuestionStatus.PENDING and self._clock.now() < question.expires_at

    async def answer(self, question_id: str, text: str, via: str) -> Question:
        """Take a person's answer. After the time-out it is kept, marked late; a second one is refused."""
        question = await self.get(question_id)
        response, index = read_answer(question, text)
        return await self._db.write(_settle, question.id, response, index, via, self._clock.now())

    async def decline(self, question_id: str, via: str) -> Question:
        """Note that the person does not want to answer."""
        question = await self.get(question_id)
        return await self._db.write(_decline, question.id, via, self._clock.now())


def readable(text: str) -> str:
    """A client's words as a person reads them: its own characters and lines, without those that steer a screen."""
    return without_surrogates(strip_control_chars(text.replace("\r\n", "\n"))).strip()


def read_answer(question: Question, text: str) -> tuple[str, int | None]:
    """The answer in words and, among choices, its place: named by its words or by its number from 1."""
    said = text.strip()
    if not said:
        raise InvalidParams("The answer is empty.", remedy="Say something, or leave the question open.")
    if len(said) > _LONGEST_ANSWER:
        raise InvalidParams(f"The answer has {len(said)} characters; at most {_LONGEST_ANSWER} are taken.")
    if not question.choices:
        return said, None
    for form in (str.casefold, _folded):  # as it was written, else in another width
        same = [index for index, choice in enumerate(question.choices) if form(choice) == form(said)]
        if len(same) == 1:
            return question.choices[same[0]], same[0]
    if said.isdecimal() and 1 <= int(said) <= len(question.choices):
        return question.choices[int(said) - 1], int(said) - 1
    listed = ", ".join(f"{number} {choice}" for number, choice in enumerate(question.choices, 1))
    raise InvalidParams(f"{said[:60]!r} is none of the choices.", remedy=f"Choose one of: {listed}.")


def _folded(text: str) -> str:
    return normalise(text).strip().casefold()


def _settle(
    connection: "Connection", question_id: str, response: str, index: int | None, via: str, now: datetime
) -> Question:
    question = _known(connection, question_id)
    status = QuestionStatus.ANSWERED if now < question.expires_at else QuestionStatus.LATE
    if not questions.settle(connection, question_id, status, via=via, now=now, response=response, choice_index=index):
        raise _settled(question)
    return _known(connection, question_id)


def _decline(connection: "Connection", question_id: str, via: str, now: datetime) -> Question:
    question = _known(connection, question_id)
    if not questions.settle(connection, question_id, QuestionStatus.DECLINED, via=via, now=now):
        raise _settled(question)
    return _known(connection, question_id)


def _known(connection: "Connection", question_id: str) -> Question:
    question = questions.get(connection, question_id)
    assert question is not None  # questions are never deleted
    return question


def _settled(question: Question) -> InvalidParams:
    when = stamp(question.answered_at) if question.answered_at else "before"
    return InvalidParams(
        f"The question was {question.status.value} already, at {when} ({question.answered_via}).",
        remedy="The first answer stands.",
    )
