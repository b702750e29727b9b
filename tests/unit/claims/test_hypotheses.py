"""Pairs with hypotheses: measured by what is usual for the hypothesis and for the fragment."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.claims.hypotheses import HypothesisPairs
from lyra.claims.pairs import ClaimSketch, FragmentSketch, Pair

SLEEP, SKIN = "The band lengthens sleep.", "The band irritates skin."


def vector(degrees: float) -> NDArray[np.float32]:
    angle = np.deg2rad(degrees)
    return np.array([np.cos(angle), np.sin(angle)], np.float32)


def hypothesis(name: str, text: str, degrees: float, language: str = "en") -> ClaimSketch:
    return ClaimSketch(name, text, language, vector(degrees), is_hypothesis=True)


def fragment(
    name: str, text: str, *degrees: float, page: str = "p_1", context: str = "", language: str = "en"
) -> FragmentSketch:
    return FragmentSketch(name, text, language, np.stack([vector(one) for one in degrees or (90,)]), page, context)


def pairs_of(*claims: ClaimSketch, per_fragment: int = 12) -> HypothesisPairs:
    pairs = HypothesisPairs(pair_similarity=0.35, pairs_per_fragment=per_fragment)
    pairs.remember_hypotheses(claims)
    return pairs


def named(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    return [(pair.fragment_id, pair.claim_id) for pair in pairs]


# Sixty texts about nothing that was asked, so that what is usual is known.
ASIDE = [fragment(f"f_aside_{at}", "Tomatoes need sun.", 80, page=f"p_aside_{at}") for at in range(60)]


def both() -> HypothesisPairs:
    pairs = pairs_of(hypothesis("c_sleep", SLEEP, 0), hypothesis("c_skin", SKIN, 10))
    pairs.remember_fragments(ASIDE)
    return pairs


def test_a_fragment_meets_the_hypothesis_it_is_about() -> None:
    """More like it than texts usually are; the pair tells similarity and share of words."""
    found = both().add_fragments([fragment("f_1", "It lengthens sleep.", 0)])

    assert named(found)[0] == ("f_1", "c_sleep")
    assert round(found[0].similarity, 3) == 1.0


def test_a_sentence_without_any_shared_word_is_met_on_a_page_that_is_about_the_hypothesis() -> None:
    """ "The telephone was too generous." decides only where the page speaks of the app."""
    told = fragment("f_1", "Nurses had rashes.", 85)
    beside = fragment("f_2", "The band irritates skin.", 10)

    alone, on_page = both().add_fragments([told]), both().add_fragments([told, beside])

    assert named(alone) == []
    assert ("f_1", "c_skin") in named(on_page)


def test_the_words_of_title_and_headings_count() -> None:
    """A passage leaves out what its page is about."""
    told = fragment("f_1", "Rashes were seen.", 70)
    under_title = fragment("f_1", "Rashes were seen.", 70, context="Does the band irritate the skin?")
    usual = [fragment(f"f_{at}_usual", "Tomatoes.", 60, page=f"p_{at}") for at in range(60)]
    asked = hypothesis("c_sleep", SLEEP, 0), hypothesis("c_skin", SKIN, 10)
    plain, titled = pairs_of(*asked), pairs_of(*asked)
    plain.remember_fragments(usual)
    titled.remember_fragments(usual)

    without, under = plain.add_fragments([told]), titled.add_fragments([under_title])

    assert (named(without), named(under)[:1]) == ([], [("f_1", "c_skin")])


def test_a_page_that_is_like_no_hypothesis_is_left_out() -> None:
    """The least similarity of the settings, which some fragment of the page must have, shared words added."""
    pairs = pairs_of(hypothesis("c_sleep", SLEEP, 0))
    pairs.remember_fragments([fragment(f"f_{at}", "Tomatoes.", 90, page=f"p_{at}") for at in range(60)])

    near, far = (
        pairs.add_fragments([fragment("f_near", "Rest.", 69, page="p_near")]),
        pairs.add_fragments([fragment("f_far", "Rest.", 70, page="p_far")]),
    )

    assert (named(near), named(far)) == ([("f_near", "c_sleep")], [])


def test_most_words_of_a_hypothesis_are_enough() -> None:
    """Whatever the vectors say: 0.6 of its weighted words."""
    pairs = pairs_of(hypothesis("c_sleep", SLEEP, 0))

    found = pairs.add_fragments([fragment("f_1", "The band that lengthens sleep.", 90)])

    assert [(pair.fragment_id, pair.overlap) for pair in found] == [("f_1", 1.0)]


def test_pairs_of_two_languages_are_left_out() -> None:
    """And a language without a hypothesis costs nothing."""
    pairs = pairs_of(hypothesis("c_en", SLEEP, 0), hypothesis("c_ja", "バンドは睡眠を延ばす。", 0, "ja"))
    told = [
        fragment("f_en", SLEEP, 0),
        fragment("f_ja", "バンドは睡眠を延ばす。", 0, language="ja"),
        fragment("f_de", "Das Band verlängert den Schlaf.", 0, language="de"),
    ]

    assert named(pairs.add_fragments(told)) == [("f_en", "c_en"), ("f_ja", "c_ja")]


def test_a_fragment_is_judged_against_so_many_at_most() -> None:
    """The most like it first; of equals the first by name."""
    pairs = pairs_of(*(hypothesis(f"c_{at}", SLEEP, 0) for at in range(4)), per_fragment=2)

    assert named(pairs.add_fragments([fragment("f_1", SLEEP, 0)])) == [("f_1", "c_0"), ("f_1", "c_1")]


def test_claims_that_were_found_are_not_hypotheses() -> None:
    """They are met by the other index."""
    pairs = HypothesisPairs(pair_similarity=0.35, pairs_per_fragment=12)
    pairs.remember_hypotheses([ClaimSketch("c_1", SLEEP, "en", vector(0))])

    assert pairs.add_fragments([fragment("f_1", SLEEP, 0)]) == []


def test_nothing_is_paired_twice() -> None:
    """A page read again makes no second pair."""
    pairs = both()
    first = pairs.add_fragments([fragment("f_1", SLEEP, 0)])

    assert (bool(first), pairs.add_fragments([fragment("f_1", SLEEP, 0)])) == (True, [])


def test_a_task_that_is_taken_up_again_chooses_as_one_that_was_never_left() -> None:
    """What was read before is remembered in any order."""
    told = [fragment(f"f_{at}", SLEEP, 3 * at, page=f"p_{at % 7}") for at in range(40)]
    grown, taken_up = both(), both()
    for one in told[:30]:
        grown.add_fragments([one])
    taken_up.remember_fragments(reversed(told[:30]))

    assert taken_up.add_fragments(told[30:]) == grown.add_fragments(told[30:])


@pytest.mark.parametrize(
    ("hypotheses", "judged"),
    [pytest.param(1, 81, id="four in five of one"), pytest.param(8, 448, id="more than half of eight")],
)
def test_a_share_of_all_pairs_is_judged(hypotheses: int, judged: int) -> None:
    """However alike all are: the costs of a task are bounded."""
    spread = np.random.default_rng(0).uniform(0, 60, (100, 8))
    claims = [hypothesis(f"c_{at}", f"word{at}", 7.0 * at) for at in range(hypotheses)]
    pairs = pairs_of(*claims)
    told = [fragment(f"f_{at}", "Other.", *spread[at], page=f"p_{at}") for at in range(100)]

    found = pairs.add_fragments(told)

    assert len(found) == judged
