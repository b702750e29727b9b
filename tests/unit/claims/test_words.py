"""Words that carry a statement's meaning, and those that turn it round."""

from collections import Counter

import pytest

from lyra.claims.words import content_words, core_words, directions, negations, numbers, same_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The risks were increased in patients.", "the risk is increasing in a patient"),
        ("Hospitalisation was reduced", "hospitalization reduces"),
        ("DPP-4阻害薬は体重に影響しない。", "DPP-4阻害薬が体重に影響しません"),
    ],
    ids=["plural and tense", "British and American", "Japanese styles"],
)
def test_inflection_does_not_part_words(first: str, second: str) -> None:
    """Two wordings must meet in the prefilter."""
    assert content_words(first) == content_words(second)


def test_names_stay_apart() -> None:
    """Stemming must not make two drugs one."""
    assert content_words("sitagliptin") != content_words("saxagliptin")


def test_core_words_drop_light_words_and_unite_directions() -> None:
    """ "Lowered in patients" and "reduced" say the same of a drug."""
    assert core_words("Sitagliptin significantly lowered HbA1c in patients.") == core_words(
        "Sitagliptin reduced HbA1c."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It fell by 0.50 to 0.8 points in 1,312 patients.", {"0.5", "0.8", "1312"}),
        ("DPP-4 and GLP-1 lower HbA1c.", set()),
        ("約２倍に増加し、2017年に46例が報告された。", {"2", "46", "2017"}),
        ("The rate doubled.", {"2"}),
        ("A change of -0.7 points and of −0.70 points.", {"-0.7"}),
    ],
)
def test_numbers_are_plain_decimals(text: str, expected: set[str]) -> None:
    """1,312 is 1312 and 0.50 is 0.5; the figures inside names are none."""
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Saxagliptin did not increase the risk.", 1),
        ("It doesn't lower, nor raise it.", 2),
        ("Saxagliptin increased the risk.", 0),
        ("リスクを高めなかった。", 1),
        ("リスクを高めた。", 0),
    ],
)
def test_negations_are_counted(text: str, expected: int) -> None:
    """A "not" more or less turns a claim into its opposite."""
    assert negations(text) == expected


def test_directions_are_counted() -> None:
    """Up and down are as far apart as yes and no."""
    assert directions("Weight rose while HbA1c was lowered and reduced.") == Counter({"↓": 2, "↑": 1})


def test_the_key_ignores_case_width_and_punctuation() -> None:
    """The same sentence set in another newspaper's style is the same sentence."""
    assert same_key("ＤＰＰ-4 inhibitors, “lower” HbA1c by 0.5%.") == same_key("dpp-4 inhibitors lower HbA1c by 0.5%")
