"""What the words of an assessment mean."""

from lyra.answers.meaning import meaning_of


def test_every_word_that_occurs_is_explained_whatever_holds_it() -> None:
    """Words that can be read only once are explained too."""
    assert meaning_of(word for word in ("likely_false", "contested", "likely_false")) == {
        "verdict contested": "weight on both sides: controversy above 0.3",
        "verdict likely_false": "confidence 0.4 or less",
    }
