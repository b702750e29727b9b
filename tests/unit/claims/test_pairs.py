"""Candidate pairs: near enough in vectors and words, both ways, bounded."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lyra.claims.pairs import ClaimSketch, FragmentSketch, Pair, PairIndex

CLAIM_TEXT = "Saxagliptin increases hospitalisation for heart failure."


def vector(cosine: float) -> NDArray[np.float32]:
    return np.array([cosine, (1 - cosine**2) ** 0.5], np.float32)


def fragment(name: str, text: str, *cosines: float, language: str = "en") -> FragmentSketch:
    return FragmentSketch(name, text, language, np.stack([vector(one) for one in cosines or (1.0,)]))


def claim(name: str, text: str = CLAIM_TEXT, language: str = "en") -> ClaimSketch:
    return ClaimSketch(name, text, language, vector(1.0))


def index(*, per_fragment: int = 12, per_claim: int = 24, is_cross_language: bool = False) -> PairIndex:
    return PairIndex(
        pair_similarity=0.35,
        pairs_per_fragment=per_fragment,
        pairs_per_claim=per_claim,
        is_cross_language=is_cross_language,
    )


def named(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    return [(pair.fragment_id, pair.claim_id) for pair in pairs]


RELATED = "Saxagliptin raised admissions for heart failure in the trial."
UNRELATED = "Tomatoes need six hours of sunlight a day."


def test_new_fragments_meet_known_claims() -> None:
    """The client's hypotheses are there before the first page."""
    pairs = index()
    pairs.add_claims([claim("c_1")])

    found = pairs.add_fragments([fragment("f_1", RELATED, 0.8), fragment("f_2", UNRELATED, 0.1)])

    assert named(found) == [("f_1", "c_1")]


def test_new_claims_meet_known_fragments() -> None:
    """What was read before a claim was found is judged against it too."""
    pairs = index()
    pairs.add_fragments([fragment("f_1", RELATED, 0.8), fragment("f_2", UNRELATED, 0.1)])

    found = pairs.add_claims([claim("c_1")])

    assert named(found) == [("f_1", "c_1")]


def test_what_is_remembered_meets_what_comes_later_as_if_it_had_been_met() -> None:
    """A task that is taken up again goes on as one that was never left: hypotheses are met elsewhere, other claims
    only where nothing is nearer, and what met before is not asked again."""
    known = [fragment("f_1", RELATED, 0.8), fragment("f_2", UNRELATED, 0.1)]
    hypothesis = ClaimSketch("c_1", "Wards are full.", "en", vector(0.75), is_hypothesis=True)
    claims = [hypothesis, claim("c_2", RELATED), ClaimSketch("c_3", "Wards are full.", "en", vector(0.75))]
    grown, taken_up = index(), index()
    grown.add_claims(claims)
    grown.add_fragments(known)
    taken_up.remember_claims(claims)
    taken_up.remember_fragments(known)
    new, newer = fragment("f_3", RELATED, 1.0), claim("c_4", RELATED)

    found = taken_up.add_fragments([*known, new]) + taken_up.add_claims([*claims, newer])

    assert found == grown.add_fragments([new]) + grown.add_claims([newer])
    assert named(found) == [("f_3", "c_2"), ("f_3", "c_4"), ("f_1", "c_4")]


def test_nothing_is_paired_twice() -> None:
    """A page read again after a crash makes no second pair."""
    pairs = index()
    pairs.add_claims([claim("c_1")])
    pairs.add_fragments([fragment("f_1", RELATED, 0.8)])

    again = pairs.add_fragments([fragment("f_1", RELATED, 0.8)]), pairs.add_claims([claim("c_1")])

    assert again == ([], [])


def test_the_best_sentence_of_a_fragment_counts() -> None:
    """One relevant sentence in a long paragraph is enough; a mean over the paragraph would hide it."""
    pairs = index()
    pairs.add_claims([claim("c_1")])

    found = pairs.add_fragments([fragment("f_1", RELATED, 0.05, 0.9, 0.1)])

    assert [(pair.fragment_id, round(pair.similarity, 2)) for pair in found] == [("f_1", 0.9)]


def test_fairly_similar_vectors_without_a_shared_word_are_not_enough() -> None:
    """A text on the same field that speaks of other things would only become a neutral edge, or a false one."""
    pairs = index()
    pairs.add_claims([claim("c_1")])

    assert pairs.add_fragments([fragment("f_1", "Insulin pumps deliver small doses all day.", 0.74)]) == []


def test_very_similar_vectors_need_no_shared_word() -> None:
    """A paraphrase in other words is evidence."""
    pairs = index()
    pairs.add_claims([claim("c_1")])

    found = pairs.add_fragments([fragment("f_1", "More people were admitted with a weak pump.", 0.76)])

    assert named(found) == [("f_1", "c_1")]


def test_shared_words_without_any_similarity_are_not_enough() -> None:
    """The setting is the least similarity, unless nearly all words of the claim are there."""
    pairs = index()
    pairs.add_claims([claim("c_1")])

    assert pairs.add_fragments([fragment("f_1", "Heart failure wards and saxagliptin trials.", 0.34)]) == []


def test_a_claim_far_behind_a_fragments_best_is_left_out() -> None:
    """A fragment speaks of one thing: what is fairly like it counts only where nothing is very like it."""
    best, other = claim("c_1", RELATED), ClaimSketch("c_2", "Wards are full.", "en", vector(0.75))
    alone, behind = index(), index()
    alone.add_claims([other])
    behind.add_claims([best, other])

    found = [named(pairs.add_fragments([fragment("f_1", RELATED, 1.0)])) for pairs in (alone, behind)]

    assert found == [[("f_1", "c_2")], [("f_1", "c_1")]]


def test_a_new_claim_is_measured_by_the_best_one_before_it() -> None:
    """The same rule when the claims come after the fragment, one by one."""
    pairs = index()
    pairs.add_fragments([fragment("f_1", RELATED, 1.0)])
    first = pairs.add_claims([claim("c_1", RELATED)])

    second = pairs.add_claims([ClaimSketch("c_2", "Wards are full.", "en", vector(0.75))])

    assert (named(first), second) == ([("f_1", "c_1")], [])


def test_the_best_claim_is_known_of_each_of_many_fragments() -> None:
    """They are looked at some at a time: of a thousand only the last is nearest to the new claim."""
    pairs = index()
    pairs.add_fragments([fragment(f"f_{at}", RELATED, 1.0) for at in range(999)])
    pairs.add_fragments([fragment("f_999", "Wards are full.", 0.75)])
    pairs.add_claims([claim("c_1", RELATED)])

    found = pairs.add_claims([ClaimSketch("c_2", "Wards are full.", "en", vector(0.75))])

    assert named(found) == [("f_999", "c_2")]


def test_the_claims_own_words_need_no_vector() -> None:
    """Where the embedder does not know the language, the words decide."""
    text = "DPP-4阻害薬の服用は類天疱瘡の発症リスクを高める。"
    pairs = index()
    pairs.add_claims([ClaimSketch("c_1", text, "ja", np.zeros(2, np.float32))])

    found = pairs.add_fragments([FragmentSketch("f_1", f"調査の結果、{text}", "ja", np.zeros((1, 2), np.float32))])

    assert [(pair.claim_id, pair.similarity, round(pair.overlap, 2)) for pair in found] == [("c_1", 0.0, 1.0)]


def test_languages_are_kept_apart_unless_asked() -> None:
    """The bundled stance model reads pairs across languages at chance; such edges would be noise."""
    apart, together = index(), index(is_cross_language=True)
    apart.add_claims([claim("c_1")])
    together.add_claims([claim("c_1")])
    sketch = fragment("f_1", "Saxagliptin hospitalisation heart failure 増加", 0.9, language="ja")

    assert (named(apart.add_fragments([sketch])), named(together.add_fragments([sketch]))) == ([], [("f_1", "c_1")])


def test_a_fragment_is_judged_against_its_best_claims_only() -> None:
    """The work a page causes is bounded, however many claims there are."""
    pairs = index(per_fragment=2)
    pairs.add_claims(
        [
            claim("c_1", "Saxagliptin was studied."),
            claim("c_2", CLAIM_TEXT),
            claim("c_3", "Saxagliptin raised admissions for heart failure."),
        ]
    )

    found = pairs.add_fragments([fragment("f_1", RELATED, 0.9)])

    assert named(found) == [("f_1", "c_3"), ("f_1", "c_2")]


def test_a_claim_is_judged_against_its_best_fragments_only() -> None:
    """Bounded the other way too: page 201 must cost what page 2 did."""
    pairs = index(per_claim=1)
    pairs.add_fragments([fragment(f"f_{at}", RELATED, 0.5 + at / 10) for at in range(5)])

    found = pairs.add_claims([claim("c_1")])

    assert named(found) == [("f_4", "c_1")]


def test_rare_words_weigh_more_than_common_ones() -> None:
    """Sharing the drug's name says more than sharing "heart failure" in a corpus on heart failure."""
    pairs = index(per_claim=1)
    common = [fragment(f"f_{at}", "Heart failure hospitalisation increases.", 0.6) for at in range(20)]
    pairs.add_fragments([*common, fragment("f_rare", "Saxagliptin and heart failure.", 0.6)])

    found = pairs.add_claims([claim("c_1")])

    assert named(found) == [("f_rare", "c_1")]


def test_an_empty_graph_gives_no_pairs() -> None:
    """The first page of a task without hypotheses meets nothing; a fragment without vectors is kept for later."""
    pairs = index()

    first = pairs.add_fragments([FragmentSketch("f_1", RELATED, "en", np.zeros((0, 2), np.float32))])
    second = pairs.add_claims([claim("c_1", RELATED)])

    assert (first, named(second), pairs.add_fragments([]), pairs.add_claims([])) == ([], [("f_1", "c_1")], [], [])


def test_a_restart_asks_for_the_same_pairs() -> None:
    """Read page by page, or taken up again from what was stored: what is asked of a fragment is the same.

    Its best claim shares rare words with it at first; pages read later make these words common.
    """
    first = fragment("f_1", "Saxagliptin raised hospitalisation for heart failure.", 0.4)
    later = [
        fragment(f"f_{number}", f"Hospitalisation for heart failure in ward {number}.", -1.0) for number in range(2, 40)
    ]
    through, again = index(), index()
    through.add_claims([claim("c_1")])
    through.add_fragments([first])
    through.add_fragments(later)
    again.add_claims([claim("c_1")])
    again.add_fragments([*later, first])
    near = [
        ClaimSketch(f"c_2{step:02}", "Nothing in common here.", "en", vector(step / 100)) for step in range(-50, 80)
    ]

    found, found_again = through.add_claims(near), again.add_claims(near)

    assert named(found) == named(found_again)
    assert named(found)[0] == ("f_1", "c_2-22")
