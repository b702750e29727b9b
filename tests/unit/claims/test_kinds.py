"""Names of one kind."""

import pytest

from lyra.claims.kinds import has_sibling, kinds, with_kinds


def test_a_drug_speaks_of_its_class() -> None:
    """A registry of sitagliptin is evidence about DPP-4 inhibitors, though it never says so."""
    found = with_kinds(frozenset({"sitagliptin", "mortality"}))

    assert found >= {"sitagliptin", "mortality", "dpp-4", "inhibitor"}


def test_most_words_belong_to_no_class() -> None:
    """Only an ending with something before it names a member of a class."""
    assert [kinds(word) for word in ("mortality", "mab", "hospital")] == [frozenset()] * 3


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("sitagliptin", "saxagliptin", True, id="two gliptins"),
        pytest.param("シタグリプチン", "サキサグリプチン", True, id="in Japanese"),
        pytest.param("hospitaliz", "hospital", False, id="forms of one word"),
        pytest.param("reduct", "induct", False, id="stems that merely rhyme"),
        pytest.param("alp-2", "alp-1", True, id="numbered names of one stem"),
        pytest.param("sglt2", "sglt1", True, id="numbered without a hyphen"),
        pytest.param("covid-19", "sars-2", False, id="numbered names of two stems"),
    ],
)
def test_siblings_share_a_long_ending(one: str, other: str, expected: bool) -> None:
    """What is true of one gliptin is not thereby true of another."""
    assert has_sibling(frozenset({one}), frozenset({other})) is expected
