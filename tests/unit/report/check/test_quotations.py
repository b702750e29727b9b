"""Whether a source has the words of a quotation."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.layout import lay_out
from lyra.report.check.quotations import difference, exact, find_quotations, nearest

SOURCE = Source(
    "p",
    "https://a.example/",
    "A",
    "p",
    fragments=(
        TextFragment("f1", "The hospital paid 410,400 dollars, not 4.1 million. Nobody else did."),
        TextFragment("f2", "水が澄んでいく兆しは認められません。"),
    ),
)


@pytest.mark.parametrize(
    "words",
    [
        "The hospital paid 410,400 dollars, not 4.1 million.",
        "the hospital paid 410400 dollars, not 4.1 million",
        "The hospital … not 4.1 million",
        "[It] paid 410,400 dollars",
        "水が澄んでいく兆しは認められません",
        "not 4.1 million. Nobody else",
    ],
)
def test_case_punctuation_gaps_and_insertions_may_differ(words: str) -> None:
    """The words are the source's."""
    found = exact(words, [SOURCE])

    assert found is not None
    assert found.url == "https://a.example/"


@pytest.mark.parametrize(
    "words", ["The hospital paid 41 million", "paid 410,400 dollars, not 41 million", "水は澄んだ"]
)
def test_other_words_are_not_found(words: str) -> None:
    """A decimal point counts."""
    assert exact(words, [SOURCE]) is None


def test_the_difference_shows_both_wordings() -> None:
    """What the text has in [-…-], what the source has in {+…+}."""
    assert difference("The clinic paid 5 dollars.", "The hospital paid 5 dollars.") == (
        "The [-clinic-] {+hospital+} paid 5 dollars."
    )


def test_the_nearest_sentence_is_found() -> None:
    """However the words were changed."""
    near = nearest("The hospital paid 4.1 million dollars, not 410,400", [SOURCE])

    assert near is not None
    assert near.quote == "The hospital paid 410,400 dollars, not 4.1 million."


def test_quotations_of_both_languages_and_blocks() -> None:
    """Nested marks are part of the outer quotation."""
    text = '"One two three four" and “five six” and 「七八『九』十」.\n\n> Eleven.'

    assert [one.text for one in find_quotations(lay_out(text))] == [
        "One two three four",
        "five six",
        "七八『九』十",
        "Eleven.",
    ]


def test_single_quotation_marks_hold_a_quotation() -> None:
    """An apostrophe does not end it."""
    text = "The board was ‘sure that it wasn’t the pupils who paid’ for it."

    assert [one.text for one in find_quotations(lay_out(text))] == ["sure that it wasn’t the pupils who paid"]
