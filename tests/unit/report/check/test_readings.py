"""When the readers' answers are enough to call a sentence contradicted."""

import pytest

from lyra.model.edge import Relation, Stance
from lyra.report.check.readings import PartReadings, Readings

SENTENCE, QUOTE = "The pump saves fuel.", "The pump wastes fuel."


def stance(supports: float, refutes: float) -> Stance:
    chances = (supports, refutes, round(1 - supports - refutes, 2))
    label = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)[chances.index(max(chances))]
    return Stance(label, max(chances), max(chances), chances, "m", "c")


@pytest.mark.parametrize(
    ("sentence", "readings", "expected"),
    [
        (SENTENCE, Readings(stance(0.1, 0.75), stance(0.1, 0.75)), True),
        (SENTENCE, Readings(stance(0.2, 0.6), stance(0.05, 0.05), (stance(0.3, 0.2),)), True),
        (SENTENCE, Readings(stance(0.2, 0.6), stance(0.05, 0.05), (stance(0.1, 0.6),)), False),
        (SENTENCE, Readings(stance(0.2, 0.6), stance(0.5, 0.1), (stance(0.6, 0.2),)), False),
        (SENTENCE, Readings(stance(0.2, 0.6), stance(0.05, 0.05), (stance(0.3, 0.2),), (stance(0.8, 0.1),)), False),
        (SENTENCE, Readings(stance(0.3, 0.4), stance(0.1, 0.1)), False),
        ("The maker rules out that the pump wastes fuel.", Readings(stance(0.1, 0.2), stance(0.1, 0.5)), True),
        ("ポンプは燃料を節約する。", Readings(stance(0.2, 0.6), stance(0.05, 0.05), (stance(0.3, 0.2),)), False),
        ("ポンプは燃料を節約する。", Readings(stance(0.2, 0.72), stance(0.05, 0.05), (stance(0.3, 0.2),)), True),
    ],
    ids=[
        "both sure",
        "passage",
        "opposite no better",
        "sentence supports",
        "another supports",
        "unsure",
        "verb denies",
        "弱い",
        "確か",
    ],
)
def test_what_refutes(sentence: str, readings: Readings, expected: bool) -> None:
    """The passage alone is believed where nothing speaks for the sentence; in Japanese it must be surer."""
    assert readings.is_refuted(sentence, QUOTE) is expected


def test_another_sentence_of_the_source_refutes() -> None:
    """Where it is sure and no reading supports."""
    neutral = stance(0.05, 0.05)

    found = [
        Readings(neutral, neutral, others=(neutral, stance(0.1, 0.8))).refuting,
        Readings(stance(0.5, 0.1), neutral, others=(neutral, stance(0.1, 0.8))).refuting,
        Readings(neutral, neutral).refuting,
    ]

    assert found == [1, None, None]


@pytest.mark.parametrize(
    ("backward", "expected"), [(stance(0.05, 0.8), True), (stance(0.8, 0.05), False)], ids=["refutes", "supports"]
)
def test_what_the_sentence_says_of_the_page_counts_too(backward: Stance, expected: bool) -> None:
    """A contradiction can be read either way; one direction alone was not enough here."""
    readings = Readings(stance(0.25, 0.3), stance(0.2, 0.3), (), (), backward)

    assert readings.is_refuted(SENTENCE, "The pump costs fuel.") is expected


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (Readings(stance(0.1, 0.1), stance(0.05, 0.05), backward=stance(0.4, 0.1)), True),
        (Readings(stance(0.1, 0.1), stance(0.05, 0.05), backward=stance(0.1, 0.1)), False),
    ],
    ids=["either way", "none"],
)
def test_some_support_is_enough_for_what_is_retold(readings: Readings, expected: bool) -> None:
    """A sentence in other words than its page is not called unsupported."""
    assert readings.leans_to_support is expected


@pytest.mark.parametrize(
    ("readings", "expected"),
    [
        (PartReadings(stance(0.05, 0.6), stance(0.1, 0.6), stance(0.1, 0.3)), True),
        (PartReadings(stance(0.1, 0.6), stance(0.1, 0.6), stance(0.05, 0.1)), False),
        (PartReadings(stance(0.5, 0.3), stance(0.4, 0.4), stance(0.1, 0.5)), False),
    ],
    ids=["both ways", "one way", "supported"],
)
def test_a_clause_is_refuted_in_both_directions(readings: PartReadings, expected: bool) -> None:
    """The page must speak against the clause, the clause against the page, and little for it."""
    assert readings.is_refuted is expected


@pytest.mark.parametrize(
    ("sentence", "whole", "expected"),
    [
        (SENTENCE, stance(0.1, 0.8), True),
        (SENTENCE, stance(0.15, 0.8), False),
        (SENTENCE, stance(0.1, 0.75), False),
        ("ポンプは燃料を節約する。", stance(0.1, 0.8), False),
    ],
    ids=["sure", "some support", "less sure", "日本語"],
)
def test_a_passage_beyond_doubt_needs_no_nearest_sentence(sentence: str, whole: Stance, expected: bool) -> None:
    """It may say so in another sentence than the one with most words; of Japanese no reading is as sure."""
    assert Readings(whole, stance(0.05, 0.05)).is_surely_refuted(sentence) is expected
