"""Stance: what is asked of the model, and what is made of its answer."""

import math
from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
import pytest

from lyra.calibration.bundled import TwoChances, chance_of
from lyra.claims.stance import StanceJudge, decide
from lyra.claims.windows import read_for
from lyra.claims.words import content_words
from lyra.model.edge import Relation, Stance
from lyra.model.reader import Answer

CLAIM = "Once a day saxagliptin is taken."
KEY = "Saxagliptin is taken once a day with water."
LONG = f"The trial enrolled 16,492 patients. {KEY} Most were older than 60 years."


class Scripted:
    """Readers that answer each text with the probabilities they were told, and remember what they were asked."""

    def __init__(self, answers: dict[str, tuple[float, float, float]]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, str]] = []

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[Answer]:
        self.asked += pairs
        return [two_logits(*self._answers[text]) for text, _ in pairs]


def two_logits(supports: float, refutes: float, neutral: float) -> Answer:
    return Answer(math.log((1 - neutral) / neutral), math.log(supports / refutes), "english", "scripted@1")


class Halving:
    """A calibrator by which a Japanese text bears on a claim half as likely."""

    version = "halving-1"

    def chances(self, answers: Sequence[Answer], languages: Sequence[str]) -> list[TwoChances]:
        return [
            TwoChances(chance_of(answer.bears) * (0.5 if language == "ja" else 1.0), chance_of(answer.side))
            for answer, language in zip(answers, languages, strict=True)
        ]


THRESHOLDS = {"supports": 0.5, "refutes": 0.6}


def judge(answers: dict[str, tuple[float, float, float]]) -> tuple[StanceJudge, Scripted]:
    readers = Scripted(answers)
    return StanceJudge(readers, Halving(), THRESHOLDS), readers


def rounded(stance: Stance) -> tuple[Relation, float, float, tuple[float, ...]]:
    chances = tuple(round(one, 3) for one in stance.probabilities)
    return stance.label, round(stance.confidence, 3), round(stance.raw_confidence, 3), chances


async def test_a_single_sentence_is_judged_as_it_stands() -> None:
    """Label, calibrated and raw probability of that label, model and calibration are kept."""
    judging, readers = judge({KEY: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(KEY, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.8, 0.8, (0.8, 0.1, 0.1))
    assert (found.model_id, found.calibration_version, found.window) == ("scripted@1", "halving-1", KEY)
    assert readers.asked == [(KEY, CLAIM)]


async def test_several_sentences_are_read_whole_and_the_most_relevant_is_the_quote() -> None:
    """What stands around a sentence may turn it, so the model sees it; people are shown the sentence."""
    judging, readers = judge({LONG: (0.7, 0.05, 0.25)})

    (found,) = await judging.judge([(LONG, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.7, 0.7, (0.7, 0.05, 0.25))
    assert (found.window, readers.asked) == (KEY, [(LONG, CLAIM)])


async def test_calibration_is_by_the_language_of_the_claim() -> None:
    """A Japanese pair passes through the Japanese scaling; the raw probability stays the model's."""
    premise, hypothesis = "DPP-4阻害薬は朝に飲む薬である。", "DPP-4阻害薬は朝に服用する。"
    judging, _ = judge({premise: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(premise, hypothesis)])

    assert rounded(found) == (Relation.NEUTRAL, 0.55, 0.1, (0.4, 0.05, 0.55))


async def test_many_pairs_are_asked_at_once_and_answered_in_order() -> None:
    """One batch for a page: the model's process is not called pair by pair."""
    judging, readers = judge({"A is so.": (0.9, 0.05, 0.05), "B is not so.": (0.05, 0.9, 0.05), KEY: (0.2, 0.2, 0.6)})

    found = await judging.judge([("A is so.", "A holds."), ("B is not so.", "B holds."), (KEY, "C holds.")])

    assert [one.label for one in found] == [Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL]
    assert [hypothesis for _, hypothesis in readers.asked] == ["A holds.", "B holds.", "C holds."]


async def test_who_decided_and_both_answers_are_kept() -> None:
    """The reader's own chances beside the calibrated ones: that the text bears on the claim, and that it is for it."""
    premise, hypothesis = "DPP-4阻害薬は朝に飲む薬である。", "DPP-4阻害薬は朝に服用する。"
    judging, _ = judge({premise: (0.6, 0.2, 0.2)})

    (found,) = await judging.judge([(premise, hypothesis)])

    assert found.reader == "english"
    assert found.answers is not None
    assert astuple(found.answers) == pytest.approx((0.8, 0.75, 0.4, 0.75))
    assert found.raw_probabilities == pytest.approx((0.6, 0.2, 0.2))


async def test_no_pairs_ask_nothing() -> None:
    """A page without candidates costs no call."""
    judging, readers = judge({})

    assert (await judging.judge([]), readers.asked) == ([], [])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param((0.05, 0.9, 0.05), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said to refute"),
        pytest.param(
            (0.1, 0.1, 0.8), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said to be neutral"
        ),
        pytest.param((0.7, 0.1, 0.2), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said with doubt"),
        pytest.param((0.96, 0.02, 0.02), (Relation.SUPPORTS, 0.96, ""), id="said to support, surely"),
    ],
)
async def test_a_text_that_repeats_the_claim_supports_it(
    said: tuple[float, float, float], expected: tuple[Relation, float, str]
) -> None:
    """A sentence entails itself, whatever the reader makes of it; a surer reader decides alone."""
    judging, _ = judge({LONG: said})

    (found,) = await judging.judge([(LONG, "saxagliptin is taken ONCE a day, with water")])

    assert (found.label, round(found.confidence, 3), found.rule) == expected


async def test_what_a_rule_decides_leaves_the_reader_s_answers() -> None:
    """Probabilities and answers stay what the reader said, so that both can be looked at."""
    judging, _ = judge({KEY: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(KEY, KEY)])

    assert rounded(found) == (Relation.SUPPORTS, 0.9, 0.05, (0.05, 0.9, 0.05))
    assert found.answers is not None
    assert astuple(found.answers) == pytest.approx((0.95, 0.05 / 0.95, 0.95, 0.05 / 0.95))


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        pytest.param(KEY, CLAIM, id="other words"),
        pytest.param(KEY, "Saxagliptin is taken once a day.", id="a part of the sentence"),
        pytest.param(f"It is false that {KEY}", KEY, id="a sentence about it"),
    ],
)
async def test_the_reader_decides_where_the_claim_is_not_the_sentence(premise: str, claim: str) -> None:
    """What stands around the claim's words may turn them."""
    judging, _ = judge({premise: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(premise, claim)])

    assert (found.label, found.rule, rounded(found)[3]) == (Relation.REFUTES, "", (0.05, 0.9, 0.05))


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        pytest.param((0.5, 0.1, 0.4), 0, id="supports from its threshold on"),
        pytest.param((0.49, 0.1, 0.41), 2, id="below it neutral, though supports is likeliest"),
        pytest.param((0.1, 0.6, 0.3), 1, id="refutes from its threshold on"),
        pytest.param((0.1, 0.59, 0.31), 2, id="below it neutral, though refutes is likeliest"),
        pytest.param((0.45, 0.55, 0.0), 2, id="the likelier stance fails: the other does not step in"),
        pytest.param((0.1, 0.1, 0.8), 2, id="neutral"),
    ],
)
def test_labels_follow_the_shipped_thresholds(probabilities: tuple[float, float, float], expected: int) -> None:
    """A refutation is dearer than a support: it may reject a claim."""
    assert decide(np.array(probabilities), (0.5, 0.6)) == expected


@pytest.mark.parametrize(
    ("premise", "expected"),
    [
        pytest.param(LONG, KEY, id="the sentence with the claim's words"),
        pytest.param("No words. None here.", "No words.", id="the first where none has any"),
        pytest.param(KEY, KEY, id="one sentence"),
        pytest.param(
            "試験には患者が参加した。サキサグリプチンは一日一回飲む。",
            "試験には患者が参加した。",
            id="Japanese against English",
        ),
        pytest.param("", "", id="nothing"),
    ],
)
def test_the_most_relevant_sentence(premise: str, expected: str) -> None:
    """Shared words tell it; ties go to the first."""
    assert read_for(premise, CLAIM, content_words).best == expected


BEFORE, AFTER = "Patients were seen every month. " * 40, " They were weighed every month." * 40


@pytest.mark.parametrize(
    ("premise", "start", "end", "chars"),
    [
        pytest.param(LONG, "The trial enrolled", "60 years.", 110, id="one that fits is read whole"),
        pytest.param(f"{KEY}{AFTER}", KEY, "every month.", 787, id="what follows the sentence"),
        pytest.param(f"{BEFORE}{KEY}", "Patients", KEY, 811, id="at the end, what stands before it"),
        pytest.param(f"{BEFORE}{KEY}{AFTER}", KEY, "every month.", 787, id="in the middle, what follows first"),
        pytest.param("あ" * 2000, "ああ", "ああ", 2000, id="one endless sentence is left to the model's cut"),
    ],
)
def test_a_long_premise_is_read_around_its_most_relevant_sentence(
    premise: str, start: str, end: str, chars: int
) -> None:
    """Whole sentences, never beyond what the model can take beside the claim."""
    read = read_for(premise, CLAIM, content_words).text

    assert (read.startswith(start), read.endswith(end), len(read)) == (True, True, chars)


def test_japanese_holds_fewer_characters() -> None:
    """A Japanese token is about a character and a half: 19 sentences of 16 characters fit, not 40."""
    premise = "市は毎年この制度を見直している。" * 40

    assert len(read_for(premise, "市は制度を見直している。", content_words).text) == 304


@pytest.mark.parametrize(
    ("title", "premise", "expected"),
    [
        pytest.param(
            "学校給食費の無償化", "出生数は変わらない。", "学校給食費の無償化。出生数は変わらない。", id="Japanese"
        ),
        pytest.param("ALP-2 chargers", "It fell.", "ALP-2 chargers. It fell.", id="English"),
        pytest.param("It fell", "It fell. Again.", "It fell. Again.", id="the passage opens with it"),
        pytest.param("", "It fell.", "It fell.", id="no title"),
    ],
)
def test_the_title_of_the_page_is_read_before_the_passage(title: str, premise: str, expected: str) -> None:
    """The model is told what the page is about; what people are shown is the sentence alone."""
    read = read_for(premise, CLAIM, content_words, title)

    assert (read.text, title in read.best and bool(title)) == (expected, premise.startswith(title) and bool(title))


def test_the_most_relevant_sentence_tells_what_came_of_it() -> None:
    """The method shares more words with the claim; the finding has its effect and its unit."""
    claim = "A misalignment of five millimetres lowers the efficiency of an ALP-2 charger to about two thirds."
    finding = "An offset of 5 mm reduced the efficiency to 65.8%."

    read = read_for(f"We measured the efficiency of twelve ALP-2 chargers. {finding}", claim, content_words)

    assert read.best == finding
