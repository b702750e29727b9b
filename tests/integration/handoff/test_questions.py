"""Questions to a person: in time, late, twice, declined, and across a restart."""

from pathlib import Path
from typing import Any

import pytest

from lyra.answers.handoff import WaitAnswer
from lyra.errors import InvalidParams
from lyra.handoff.questions import Questions, readable
from lyra.model.handoff import QuestionStatus
from lyra.storage.database import Database

CHOICES = ("続ける", "やめる")


async def test_an_answer_in_time_reaches_whoever_waits(office: Any) -> None:
    """By its words or by its number; the place among the choices comes with it."""
    by_words = await office.questions.ask("続けますか？", CHOICES, 300)
    by_number = await office.questions.ask("Go on?", ("Yes", "No"), 300)

    await office.questions.answer(by_words.id, "やめる", "terminal")
    await office.questions.answer(by_number.id, "1", "terminal")

    first = await office.questions.wait(by_words.id, 25)
    second = await office.questions.wait(by_number.id, 25)
    assert WaitAnswer.from_question(first, is_open=False).cli_fields() == {
        "status": "answered",
        "response": "やめる",
        "choice_index": 1,
        "timed_out": False,
        "wait_id": by_words.id,
        "note": None,
    }
    assert (second.response, second.choice_index) == ("Yes", 0)


@pytest.mark.parametrize(
    ("choices", "said", "index"),
    [
        (("①案", "②案"), "2案", 1),
        (("Ａ社", "Ｂ社"), "b社", 1),
        (("①", "1"), "1", 1),
        (("1", "①"), "①", 1),
        (("①案", "②案"), "２", 1),
    ],
    ids=["circled", "wide", "as written first", "as written", "wide number"],
)
async def test_an_answer_in_another_width_is_the_clients_own_choice(
    office: Any, choices: tuple[str, ...], said: str, index: int
) -> None:
    """What comes back is the choice as the client wrote it, to the letter."""
    question = await office.questions.ask("どちら？", choices, 300)

    settled = await office.questions.answer(question.id, said, "terminal")

    assert (settled.response, settled.choice_index) == (choices[index], index)


def test_a_prompt_keeps_its_characters_and_lines() -> None:
    """Only what steers a screen is taken out: escape codes, turned directions, half characters."""
    assert readable(" ①案と②案？\r\n\tどちら\x1b[31m\u202e\ud800 👩‍⚕️ ") == "①案と②案？\n\tどちら[31m 👩‍⚕️"


async def test_without_an_answer_the_wait_ends_and_the_question_stays(office: Any) -> None:
    """After 25 seconds: pending, with the id to ask again with."""
    question = await office.questions.ask("Is this the right drug?", (), 300)

    waited = await office.questions.wait(question.id, 25)

    fields = WaitAnswer.from_question(waited, is_open=office.questions.is_open(waited)).cli_fields()
    assert (fields["status"], fields["timed_out"], fields["wait_id"]) == ("pending", False, question.id)
    assert (office.clock.monotonic(), await office.questions.open()) == (25.0, (question,))


async def test_after_the_time_out_nobody_is_waited_for(office: Any) -> None:
    """Timed out, at once."""
    question = await office.questions.ask("Is this the right drug?", (), 10)

    waited = await office.questions.wait(question.id, 600)

    fields = WaitAnswer.from_question(waited, is_open=office.questions.is_open(waited)).cli_fields()
    assert (fields["status"], fields["response"], fields["timed_out"]) == ("timed_out", None, True)
    assert (office.clock.monotonic(), await office.questions.open()) == (10.0, ())


async def test_an_answer_after_the_time_out_is_kept_and_called_late(office: Any) -> None:
    """It is not lost, and nobody takes it for one that came in time."""
    question = await office.questions.ask("Is this the right drug?", (), 10)
    office.clock.pass_by(70)

    late = await office.questions.answer(question.id, "Yes, saxagliptin", "terminal")

    assert late.status is QuestionStatus.LATE
    assert WaitAnswer.from_question(late, is_open=False).cli_fields() == {
        "status": "timed_out",
        "response": "Yes, saxagliptin",
        "choice_index": None,
        "timed_out": True,
        "wait_id": question.id,
        "note": "The answer came 60 s after the time-out.",
    }


async def test_of_two_answers_the_first_stands(office: Any) -> None:
    """The second person is told."""
    question = await office.questions.ask("続けますか？", CHOICES, 300)
    await office.questions.answer(question.id, "続ける", "the client's window")

    with pytest.raises(InvalidParams, match="answered already"):
        await office.questions.answer(question.id, "やめる", "terminal")

    assert (await office.questions.get(question.id)).response == "続ける"


async def test_a_person_may_decline(office: Any) -> None:
    """That is an outcome of its own: no answer, and no waiting for one."""
    question = await office.questions.ask("Your institution's name?", (), 300)

    declined = await office.questions.decline(question.id, "the client's window")

    fields = WaitAnswer.from_question(declined, is_open=office.questions.is_open(declined)).cli_fields()
    assert (fields["status"], fields["response"], fields["timed_out"]) == ("declined", None, False)


@pytest.mark.parametrize(
    "text", ["", "  \n", "たぶん", "3", "x" * 4001], ids=["empty", "blank", "other", "far", "huge"]
)
async def test_what_cannot_be_an_answer_is_refused_and_the_question_stays_open(office: Any, text: str) -> None:
    """Among two choices neither a third nor an essay is one."""
    question = await office.questions.ask("続けますか？", CHOICES, 300)

    with pytest.raises(InvalidParams):
        await office.questions.answer(question.id, text, "terminal")

    assert await office.questions.open() == (question,)


async def test_an_unknown_question_is_named(office: Any) -> None:
    """With what to do instead."""
    with pytest.raises(InvalidParams, match="There is no question 'wait_x'"):
        await office.questions.get("wait_x")


async def test_questions_and_answers_outlive_their_process(office: Any, tmp_path: Path) -> None:
    """Asked by one process, answered in another, read by a third."""
    question = await office.questions.ask("続けますか？", CHOICES, 300)
    other = await Database.open(tmp_path / "lyra.db")
    await Questions(other, office.clock).answer(question.id, "続ける", "terminal")
    await other.close()

    found = await office.questions.wait(question.id, 25)

    assert (found.status, found.response, found.answered_via) == (QuestionStatus.ANSWERED, "続ける", "terminal")
