"""Sentences and list items with their exact places, and the marks that are no part of a statement."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lyra.claims.sentences import is_balanced, sentence_spans, without_marks


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Saxagliptin was tested in 16,492 patients. Dr. Kato led the trial.",
            ["Saxagliptin was tested in 16,492 patients.", "Dr. Kato led the trial."],
            id="English sentences",
        ),
        pytest.param(
            "類天疱瘡は高齢者に多い。症例は46例であった。",
            ["類天疱瘡は高齢者に多い。", "症例は46例であった。"],
            id="Japanese sentences",
        ),
        pytest.param(
            "- The dose is halved.\n- The patient is told.\n2) Kidney function is measured.",
            ["The dose is halved.", "The patient is told.", "Kidney function is measured."],
            id="list items without their bullets",
        ),
        pytest.param(
            "・副作用は少ない\n・体重は変わらない", ["副作用は少ない", "体重は変わらない"], id="Japanese bullets"
        ),
        pytest.param(
            "Linagliptin does not need dose adjustment in patients with\nkidney impairment.",
            ["Linagliptin does not need dose adjustment in patients with\nkidney impairment."],
            id="a line wrapped inside a sentence",
        ),
        pytest.param(
            "Dosing\nSitagliptin is taken once a day.",
            ["Dosing", "Sitagliptin is taken once a day."],
            id="a short line ends",
        ),
        pytest.param(
            "医師は「まれな副作用だ。早めに受診してほしい」と話す。次の文である。",
            ["医師は「まれな副作用だ。早めに受診してほしい」と話す。", "次の文である。"],
            id="speech that holds full stops is one sentence",
        ),
        pytest.param("", [], id="nothing"),
    ],
)
def test_sentences_and_list_items(text: str, expected: list[str]) -> None:
    """What is found is always a slice of the text, ready to be quoted."""
    assert pieces(text) == expected


@given(st.text(alphabet="aB1 .。?「」\n-・,", max_size=80))
def test_places_are_in_order_and_apart(text: str) -> None:
    """Quotes must not overlap, whatever the text."""
    spans = sentence_spans(text)

    flat = [place for span in spans for place in span]

    assert flat == sorted(flat)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Gliptins lower HbA1c.[3, 4]", "Gliptins lower HbA1c."),
        ("Gliptins [12] lower HbA1c [citation needed].", "Gliptins lower HbA1c."),
        ("The risk doubled¹² in men.", "The risk doubled in men."),
        ("DPP-4阻害薬は体重に影響しない[要出典]。", "DPP-4阻害薬は体重に影響しない。"),
        ("A hazard ratio\n of .84 was found", "A hazard ratio of .84 was found"),
    ],
)
def test_marks_are_taken_off(sentence: str, expected: str) -> None:
    """Reference numbers and note marks are furniture of the page; decimals are not."""
    assert without_marks(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("He said “it works”.", True),
        ("“It works.", False),
        ('"It works.', False),
        ("医師は「まれだ。", False),
        ("Gliptins (tablets) work.", True),
        ("Gliptins (tablets work.", False),
    ],
)
def test_half_a_quotation_is_told(sentence: str, expected: bool) -> None:
    """Half of somebody's speech is nobody's statement."""
    assert is_balanced(sentence) is expected


@pytest.mark.timeout(5)
@pytest.mark.parametrize("mark", ["*", "¹"])
def test_marks_without_end_are_taken_off_in_linear_time(mark: str) -> None:
    """Each run is looked at from its beginning only."""
    assert without_marks("A" + mark * 100_000) == "A"


@pytest.mark.timeout(5)
def test_spaces_without_end_hold_no_line_break() -> None:
    """Each run is looked at from its beginning only."""
    assert pieces("A" + " " * 100_000 + "b.") == ["A" + " " * 100_000 + "b."]
