"""Stance: what is asked of the model, and what is made of its answer."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.claims.stance import StanceJudge, decide
from lyra.claims.windows import read_for
from lyra.claims.words import content_words
from lyra.model.edge import Relation, Stance

CLAIM = "Saxagliptin is taken once a day."
KEY = "Saxagliptin is taken once a day with water."
LONG = f"The trial enrolled 16,492 patients. {KEY} Most were older than 60 years."
RISK = "Saxagliptin increases the risk of heart failure."


class Scripted:
    """An entailer that answers each premise with the probabilities it was told, and remembers what it was asked."""

    model_id = "scripted@1"

    def __init__(self, answers: dict[str, tuple[float, float, float]]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, str]] = []

    async def logits(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked += pairs
        return np.log(np.array([self._answers[premise] for premise, _ in pairs], np.float32))


class Halving:
    """A calibrator that moves half of each stance to neutral, for Japanese only, and notes the languages."""

    version = "halving-1"

    def apply(self, logits: NDArray[np.floating], languages: Sequence[str]) -> NDArray[np.float64]:
        rows = np.exp(np.asarray(logits, np.float64))
        rows /= rows.sum(axis=1, keepdims=True)
        for row, language in zip(rows, languages, strict=True):
            row[:2] *= 0.5 if language == "ja" else 1.0
            row[2] = 1 - row[:2].sum()
        return rows


THRESHOLDS = {"supports": 0.5, "refutes": 0.6}


def judge(answers: dict[str, tuple[float, float, float]]) -> tuple[StanceJudge, Scripted]:
    entailer = Scripted(answers)
    return StanceJudge(entailer, Halving(), THRESHOLDS), entailer


def rounded(stance: Stance) -> tuple[Relation, float, float, tuple[float, ...]]:
    chances = tuple(round(one, 3) for one in stance.probabilities)
    return stance.label, round(stance.confidence, 3), round(stance.raw_confidence, 3), chances


async def test_a_single_sentence_is_judged_as_it_stands() -> None:
    """Label, calibrated and raw probability of that label, model and calibration are kept."""
    judging, entailer = judge({KEY: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(KEY, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.8, 0.8, (0.8, 0.1, 0.1))
    assert (found.model_id, found.calibration_version, found.window) == ("scripted@1", "halving-1", KEY)
    assert entailer.asked == [(KEY, CLAIM)]


async def test_several_sentences_are_read_whole_and_the_most_relevant_is_the_quote() -> None:
    """What stands around a sentence may turn it, so the model sees it; people are shown the sentence."""
    judging, entailer = judge({LONG: (0.7, 0.05, 0.25)})

    (found,) = await judging.judge([(LONG, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.7, 0.7, (0.7, 0.05, 0.25))
    assert (found.window, entailer.asked) == (KEY, [(LONG, CLAIM)])


async def test_calibration_is_by_the_language_of_the_claim() -> None:
    """A Japanese pair passes through the Japanese scaling; the raw probability stays the model's."""
    premise, hypothesis = "DPP-4阻害薬は朝に飲む薬である。", "DPP-4阻害薬は朝に飲む。"
    judging, _ = judge({premise: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(premise, hypothesis)])

    assert rounded(found) == (Relation.NEUTRAL, 0.55, 0.1, (0.4, 0.05, 0.55))


async def test_many_pairs_are_asked_at_once_and_answered_in_order() -> None:
    """One batch for a page: the model's process is not called pair by pair."""
    judging, entailer = judge({"A is so.": (0.9, 0.05, 0.05), "B is not so.": (0.05, 0.9, 0.05), KEY: (0.2, 0.2, 0.6)})

    found = await judging.judge([("A is so.", "A"), ("B is not so.", "B"), (KEY, "C")])

    assert [one.label for one in found] == [Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL]
    assert [hypothesis for _, hypothesis in entailer.asked] == ["A", "B", "C"]


async def test_no_pairs_ask_nothing() -> None:
    """A page without candidates costs no call."""
    judging, entailer = judge({})

    assert (await judging.judge([]), entailer.asked) == ([], [])


@pytest.mark.parametrize(
    ("premise", "expected"),
    [
        pytest.param(
            "Saxagliptin raised the rate of heart failure.",
            (Relation.SUPPORTS, (0.623, 0.277, 0.1)),
            id="the same effect",
        ),
        pytest.param(
            "Saxagliptin did not increase heart failure.", (Relation.REFUTES, (0.277, 0.623, 0.1)), id="no effect"
        ),
        pytest.param(
            "Saxagliptin reduced heart failure.", (Relation.REFUTES, (0.277, 0.623, 0.1)), id="the other effect"
        ),
        pytest.param(
            "Saxagliptin was studied in 2013.", (Relation.NEUTRAL, (0.45, 0.45, 0.1)), id="no word of an effect"
        ),
    ],
)
async def test_effects_lean_the_two_stances(premise: str, expected: tuple[Relation, tuple[float, ...]]) -> None:
    """Where the model wavers between the two, the words decide; how neutral a pair is they leave to the model."""
    judging, _ = judge({premise: (0.45, 0.45, 0.1)})

    (found,) = await judging.judge([(premise, RISK)])

    assert (found.label, rounded(found)[3]) == expected


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        pytest.param(0.39, Relation.NEUTRAL, id="too little in common"),
        pytest.param(0.4, Relation.REFUTES, id="enough in common"),
    ],
)
async def test_a_text_on_something_else_refutes_nothing(overlap: float, expected: Relation) -> None:
    """The share of common words comes from the prefilter; the probabilities stay as they are."""
    judging, _ = judge({KEY: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(KEY, CLAIM)], [overlap])

    assert (found.label, rounded(found)[3]) == (expected, (0.05, 0.9, 0.05))


async def test_little_in_common_does_not_hinder_support() -> None:
    """A paraphrase in other words may well support."""
    judging, _ = judge({KEY: (0.9, 0.05, 0.05)})

    (found,) = await judging.judge([(KEY, CLAIM)], [0.0])

    assert found.label is Relation.SUPPORTS


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


async def test_what_the_judge_withholds_has_a_reason() -> None:
    """A refutation from a text with too few words in common is neutral, and says why."""
    judging, _ = judge({KEY: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(KEY, CLAIM)], [0.1])

    assert found.rule == "it shares too few words with the claim to refute it"
