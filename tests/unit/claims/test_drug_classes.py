"""Classes of drugs."""

from lyra.claims.drug_classes import classes_of, with_classes


def test_a_drug_speaks_of_its_class() -> None:
    """A registry of sitagliptin is evidence about DPP-4 inhibitors, though it never says so."""
    found = with_classes(frozenset({"sitagliptin", "mortality"}))

    assert found >= {"sitagliptin", "mortality", "dpp-4", "inhibitor"}


def test_most_words_belong_to_no_class() -> None:
    """Only an ending with something before it names a member of a class."""
    assert [classes_of(word) for word in ("mortality", "mab", "hospital")] == [frozenset()] * 3
