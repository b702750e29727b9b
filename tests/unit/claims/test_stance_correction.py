"""Stance: what users' corrections have taught is applied last, by language, and named."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.calibration.bundled import CalibratedAnswer, logistic
from lyra.claims.stance import StanceJudge
from lyra.model.edge import ReaderAnswer, Relation

THRESHOLDS = {"small": {"supports": 0.5, "refutes": 0.6}}


class Sure:
    """Readers that find every pair supported: 0.8 for, 0.1 against, 0.1 neutral."""

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        return [ReaderAnswer(math.log(9), math.log(8), "small", "sure@1")] * len(pairs)


class Plain:
    """The readers' own chances."""

    version = "plain-1"

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        return [CalibratedAnswer(logistic(answer.bears), logistic(answer.side)) for answer in answers]


class Doubting:
    """A correction that moves Japanese pairs to neutral, and remembers what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[list[list[float]], list[str]]] = []

    def apply(self, probabilities: NDArray[np.float64], languages: Sequence[str]) -> NDArray[np.float64]:
        self.given.append((probabilities.round(3).tolist(), list(languages)))
        doubtful = np.array([[0.3, 0.1, 0.6]])
        return np.where(np.array([[language == "ja"] for language in languages]), doubtful, probabilities)

    def named(self, bundled: str) -> str:
        return f"{bundled}+v3"


async def test_a_correction_is_applied_to_every_pair() -> None:
    """One row and one language for each pair; the label follows the correction."""
    correction = Doubting()

    async def learned() -> Doubting:
        return correction

    judge = StanceJudge(Sure(), Plain(), THRESHOLDS, learned)
    pairs = [
        ("Admissions were counted.", "Someone counted admissions."),
        ("入院を数えた。", "入院の数が調べられた。"),
    ]

    english, japanese = await judge.judge(pairs)

    assert correction.given == [([[0.8, 0.1, 0.1], [0.8, 0.1, 0.1]], ["en", "ja"])]
    assert (english.label, japanese.label) == (Relation.SUPPORTS, Relation.NEUTRAL)
    assert (japanese.confidence, round(japanese.raw_confidence, 3)) == (0.6, 0.1)
    assert [english.calibration_version, japanese.calibration_version] == ["plain-1+v3", "plain-1+v3"]


async def test_the_correction_in_force_is_asked_for_at_every_batch() -> None:
    """Another process may have changed it meanwhile; without pairs it is not asked."""
    asked = []

    async def learned() -> Doubting:
        asked.append(len(asked))
        return Doubting()

    judge = StanceJudge(Sure(), Plain(), THRESHOLDS, learned)

    await judge.judge([("A.", "C.")])
    await judge.judge([])
    await judge.judge([("B.", "C.")])

    assert asked == [0, 1]


async def test_raw_probabilities_stay_the_model_s() -> None:
    """They are shown beside the corrected ones."""

    async def learned() -> Doubting:
        return Doubting()

    judge = StanceJudge(Sure(), Plain(), THRESHOLDS, learned)

    (found,) = await judge.judge([("入院が増えた。", "入院は多くなった。")])

    assert [round(value, 3) for value in found.raw_probabilities or ()] == [0.8, 0.1, 0.1]
    assert found.probabilities == (0.3, 0.1, 0.6)


def test_thresholds_and_readings_can_be_looked_at() -> None:
    """For `lyra inspect stance`: what is decided by, and what is asked."""
    judge = StanceJudge(Sure(), Plain(), {"small": {"refutes": 0.7}})

    assert judge.thresholds("small") == {"supports": 0.5, "refutes": 0.7}
    assert judge.thresholds("large") == {"supports": 0.5, "refutes": 0.5}
    assert judge.readings("It was cold. Admissions rose.", "Admissions rose.") == ("It was cold. Admissions rose.",)
