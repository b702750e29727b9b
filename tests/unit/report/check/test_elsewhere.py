"""Whether another source has what a sentence says."""

from lyra.model.check import Source, TextFragment
from lyra.report.check.elsewhere import compare_sources

PUMPS = Source(
    "p_1", "https://a.example/", "Fire log", "p_1", fragments=(TextFragment("f_1", "One heavy pump moved to Lode."),)
)
GEESE = Source(
    "p_2", "https://b.example/", "Bird count", "p_2", fragments=(TextFragment("f_2", "Brent geese were fewer."),)
)


def test_a_sentence_of_another_source_is_found_there() -> None:
    """The cited source has none of its words, the other one all."""
    found = compare_sources("Heavy pump moved to Lode", (GEESE,), (PUMPS,))

    assert (found.is_elsewhere, found.is_hardly_shared, found.source) == (True, True, PUMPS)


def test_a_sentence_of_the_cited_source_is_not_elsewhere() -> None:
    """However little the others have."""
    found = compare_sources("Brent geese were fewer", (GEESE,), (PUMPS,))

    assert (found.own, found.is_elsewhere, found.is_hardly_shared) == (1.0, False, False)


def test_the_title_of_a_source_counts_as_its_words() -> None:
    """A text names its source in the sentence."""
    found = compare_sources("The bird count ended", (GEESE,), (PUMPS,))

    assert found.is_hardly_shared is False
