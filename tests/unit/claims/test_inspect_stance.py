"""`lyra inspect stance`: what is shown of a judgement."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lyra.claims.inspect_stance import inspect_stance, read_texts
from lyra.errors import InvalidParams
from lyra.model.edge import AnswerProbabilities, Relation, Stance


class Fixed:
    """A judge with one answer, whose reader's two answers may be unknown."""

    def thresholds(self, reader: str) -> dict[str, float]:
        return {"supports": 0.5, "refutes": 0.6} if reader == "large" else {}

    def __init__(self, answers: AnswerProbabilities | None = None) -> None:
        self._answers = answers

    def readings(self, premise: str, hypothesis: str) -> tuple[str, ...]:
        return (premise.split(". ")[-1], premise)

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Stance]:
        stance = Stance(
            label=Relation.REFUTES,
            confidence=0.71234,
            raw_confidence=0.9,
            probabilities=(0.1, 0.71234, 0.18766),
            model_id="lyra-reader@1",
            calibration_version="two_answers-1+v2",
            raw_probabilities=(0.05, 0.9, 0.05),
            rule="it speaks of another effect",
            reader="large",
            answers=self._answers,
        )
        return [stance] * len(pairs)


async def test_all_that_led_to_a_stance_is_shown() -> None:
    """Rounded to four places; half a character becomes a question mark, so that it can be printed."""
    judge = Fixed(AnswerProbabilities(0.95, 0.052632, 0.81234, 0.123104))

    rows = await inspect_stance(judge, [("It was \ud800 cold. Sales fell.", "Sales rose.")])

    assert rows == [
        {
            "premise": "It was ? cold. Sales fell.",
            "hypothesis": "Sales rose.",
            "label": "refutes",
            "confidence": 0.7123,
            "raw_probabilities": {"supports": 0.05, "refutes": 0.9, "neutral": 0.05},
            "probabilities": {"supports": 0.1, "refutes": 0.7123, "neutral": 0.1877},
            "thresholds": {"supports": 0.5, "refutes": 0.6},
            "rule": "it speaks of another effect",
            "windows": ["Sales fell.", "It was ? cold. Sales fell."],
            "reader": "large",
            "answers": {"bears_raw": 0.95, "side_raw": 0.0526, "bears": 0.8123, "side": 0.1231},
            "model": "lyra-reader@1",
            "calibration_version": "two_answers-1+v2",
        }
    ]


async def test_unknown_answers_are_shown_as_none() -> None:
    """A judgement without them, as a rule alone may make it, is no error."""
    (row,) = await inspect_stance(Fixed(), [("Sales fell.", "Sales rose.")])

    assert row["answers"] is None


def test_pairs_are_read_from_labelled_files_too(tmp_path: Path) -> None:
    """Other fields are left aside, blank lines skipped."""
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"premise": "雨が降った。", "hypothesis": "晴れた。", "label": "C"}\n\n', "utf-8")

    assert read_texts(path) == [("雨が降った。", "晴れた。")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("\n", "has no rows.", id="empty"),
        pytest.param('{"premise": "x"}', "pairs.jsonl, line 1: 'hypothesis' must be a text.", id="no hypothesis"),
        pytest.param('{"premise": " ", "hypothesis": "x"}', "line 1: 'premise' must be a text.", id="empty premise"),
    ],
)
def test_unfit_pairs_are_refused(tmp_path: Path, content: str, message: str) -> None:
    """The bad line is named."""
    path = tmp_path / "pairs.jsonl"
    path.write_text(content, "utf-8")

    with pytest.raises(InvalidParams) as caught:
        read_texts(path)

    assert caught.value.message.endswith(message)
