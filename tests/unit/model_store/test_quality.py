"""Calibration and figures from the labelled rows."""

import numpy as np
import pytest

from lyra.calibration.bundled import BundledCalibration
from lyra.model.edge import ReaderAnswer
from lyra.model_store.labelled import NEUTRAL, SUPPORTS, LabelledGroup, LabelledPair, labelled_groups, labelled_pairs
from lyra.model_store.quality import embedder_quality, fit_calibration, reader_quality


def knowing(pair: LabelledPair) -> tuple[float, float]:
    """The answers of a reader that is right of every pair, and far too sure in one of seven that it is wrong of."""
    is_wrong = len(pair.text) % 7 == 0
    bears = -8.0 if (pair.label == NEUTRAL) != is_wrong else 8.0
    return bears, 6.0 if pair.label == SUPPORTS else -6.0


def test_shipped_rows_have_both_languages_and_all_labels() -> None:
    """Some hundreds of pairs a language, with supports, refutations and neutrals."""
    pairs = labelled_pairs()

    counts = {
        language: [sum(one.language == language and one.label == label for one in pairs) for label in range(3)]
        for language in ("en", "ja")
    }

    assert counts == {"en": [123, 118, 244], "ja": [138, 126, 232]}


def test_a_calibration_is_one_that_a_card_may_hold() -> None:
    """The fit tones down a reader that is too sure."""
    pairs = labelled_pairs()

    fitted = fit_calibration(pairs, [knowing(one) for one in pairs])

    answer = ReaderAnswer(8.0, 6.0, "large", "x")
    chances = BundledCalibration({"large": fitted}).chances([answer, answer], ["en", "ja"])
    assert [round(one.bears, 1) for one in chances] == [0.9, 0.8]
    assert [one.side > 0.95 for one in chances] == [True, True]


@pytest.mark.parametrize("sign", [0.0, -1.0], ids=["says nothing", "says the opposite"])
def test_a_reader_without_sense_takes_no_side(sign: float) -> None:
    """Its scaling stays above 0, as a card needs, and it is read as neutral throughout."""
    pairs = labelled_pairs()
    answers = [(sign * bears, sign * side) for bears, side in map(knowing, pairs)]

    fitted, quality = fit_calibration(pairs, answers), reader_quality(pairs, answers)

    assert fitted["en"]["bears"]["scale"] > 0
    assert (quality["en"]["missed"], quality["en"]["false"]) == (1.0, 0.0)


def test_a_reader_that_knows_is_measured_as_such() -> None:
    """Right where it is right, and never on the opposite side."""
    pairs = labelled_pairs()

    found = reader_quality(pairs, [(9.0 if one.label != NEUTRAL else -9.0, knowing(one)[1]) for one in pairs])

    assert found["ja"] == {"n": 496, "right": 1.0, "opposite": 0.0, "missed": 0.0, "false": 0.0, "right_side": 1.0}


def test_an_embedder_is_measured_by_what_it_finds() -> None:
    """Two passages bear on the claim; one is found first, the other last."""
    group = LabelledGroup("x", "en", ("a", "b", "c"), ("claim", "idle"), ((0, 2), (2, 2), (1, 2)))
    rows = {"a": [1, 0], "b": [0.5, 0], "c": [0, 1], "claim": [1, 0]}

    found = embedder_quality([group], {text: np.array(row, np.float32) for text, row in rows.items()})

    assert found == {"en": {"n": 1, "ndcg": 0.92}}


def test_labelled_groups_are_whole() -> None:
    """Every passage has a label for every claim."""
    shapes = {(len(one.labels) == len(one.passages), {len(row) for row in one.labels} == {len(one.claims)})
              for one in labelled_groups()}  # fmt: skip

    assert shapes == {(True, True)}
