"""Which pairs of a page are judged when there are too many."""

from lyra.claims.pairs import Pair, best_of_each, within_budget


def pair(fragment: str, claim: str, similarity: float = 0.5, overlap: float = 0.5) -> Pair:
    return Pair(fragment, claim, similarity, overlap)


def test_hypotheses_are_always_judged() -> None:
    """Every fragment that passes the prefilter is judged against the client's hypotheses (SPEC §2), whatever the
    limit."""
    pairs = [pair(f"f_{at}", "c_hypothesis") for at in range(5)] + [pair("f_0", "c_found")]

    chosen = within_budget(pairs, always={"c_hypothesis"}, origins=(), limit=1)

    assert [(one.fragment_id, one.claim_id) for one in chosen] == [
        *((f"f_{at}", "c_hypothesis") for at in range(5)),
        ("f_0", "c_found"),
    ]


def test_of_the_others_the_most_alike_are_judged() -> None:
    """Similarity and shared words together decide, as they did when the pair was found."""
    pairs = [pair("f_1", "c_1", 0.6, 0.3), pair("f_1", "c_2", 0.5, 0.9), pair("f_1", "c_3", 0.9, 0.2)]

    chosen = within_budget(pairs, always=(), origins=(), limit=2)

    assert [one.claim_id for one in chosen] == ["c_2", "c_3"]


def test_the_place_a_claim_was_taken_from_comes_before_what_is_merely_alike() -> None:
    """A claim's origin is judged like any other (SPEC §13), so it must not fall to the limit."""
    pairs = [pair("f_1", "c_1", 0.99, 0.99), pair("f_2", "c_2", 0.4, 0.1)]

    chosen = within_budget(pairs, always=(), origins={("f_2", "c_2")}, limit=1)

    assert [one.claim_id for one in chosen] == ["c_2"]


def test_a_pair_found_both_ways_is_judged_once() -> None:
    """A new fragment meets a new claim from either side."""
    chosen = within_budget([pair("f_1", "c_1"), pair("f_1", "c_1", 0.6)], always=(), origins=(), limit=10)

    assert len(chosen) == 1


def test_of_too_many_the_best_of_each_hypothesis_are_kept() -> None:
    """A hypothesis that the page is far from is judged too: its best pair stands beside the others' best."""
    near = [pair(f"f_{at}", "c_near", 0.9 - at / 100) for at in range(4)]
    far = [pair(f"f_{at}", "c_far", 0.1 + at / 100) for at in range(3)]

    chosen = best_of_each([*near, *far], 3)

    assert [(one.fragment_id, one.claim_id) for one in chosen] == [
        ("f_0", "c_near"),
        ("f_1", "c_near"),
        ("f_2", "c_far"),
    ]


def test_where_all_may_be_judged_nothing_changes() -> None:
    """Not even the order."""
    pairs = [pair("f_1", "c_1", 0.1), pair("f_2", "c_2", 0.9)]

    assert best_of_each(pairs, 2) == pairs
