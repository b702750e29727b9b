"""UCB1 over the families of derived queries and over the branches of a search."""

import pytest

from lyra.model.derived import Yield
from lyra.search.scoring import branch_value, expected_share, page_value


def test_an_untried_family_is_worth_its_prior() -> None:
    """Mirrors beyond Japanese and English begin small and grow only with what they yield."""
    assert expected_share("mirror:en", Yield()) == 0.45
    assert expected_share("mirror:de", Yield()) == pytest.approx(0.1)
    assert expected_share("mirror:de", Yield(read=20, useful=16)) == pytest.approx(0.66)


def test_a_foreign_mirror_that_yields_overtakes() -> None:
    """German begins behind the synonym; after twenty pages, most of them useful, it comes first."""
    before = {"synonym": Yield(20, 10)}
    after = {"synonym": Yield(20, 10), "mirror:de": Yield(20, 17)}

    assert branch_value("mirror:de", before) < branch_value("synonym", before)
    assert branch_value("mirror:de", after) > branch_value("synonym", after)


def test_what_was_tried_rarely_gets_a_bonus() -> None:
    """Two families with the same share: the one with fewer pages is tried first."""
    yields = {"keywords": Yield(100, 50), "mirror:en": Yield(4, 2)}

    assert branch_value("mirror:en", yields) > branch_value("keywords", yields)


def test_a_branch_without_harvest_lets_others_go_first() -> None:
    """An address keeps its score while its branch is untried; a barren branch halves it at most."""
    yields = {"barren": Yield(10, 0), "rich": Yield(10, 9)}

    assert page_value(0.8, "untried", yields) == 0.8
    assert page_value(0.8, "rich", yields) == 0.8
    assert 0.4 < page_value(0.8, "barren", yields) < 0.6
