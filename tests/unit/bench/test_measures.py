"""The figures of a graph against the truth, on graphs whose every figure is known."""

from typing import Any

import pytest

from lyra_bench.measure import measures
from lyra_bench.measure.measures import F1, Share, false_groups, groups_found
from lyra_bench.planted import Ground
from simweb.truth import load_truth

TEXTS = {
    "https://www.nimeth.gov/x": "DPP-4 inhibitors are taken once a day by patients with diabetes. Eat well.",
    "https://www.jmetd.org/about": "DPP-4 inhibitors lower HbA1c, and this journal covers them.",
}


@pytest.fixture(scope="module")
def ground() -> Ground:
    return Ground(load_truth())


def planted(ground: Ground, name: str, side: str = "supports", at: int = 0) -> dict[str, Any]:
    """A mention of a planted quote."""
    evidence = getattr(ground.truth.claim(name), side)[at]
    return {"url": evidence.url, "quote": evidence.quote, "text": evidence.quote}


def said(quote: str, url: str = "https://www.nimeth.gov/x") -> dict[str, Any]:
    return {"url": url, "quote": quote}


def test_precision_between_its_bounds(ground: Ground) -> None:
    """Strict knows only planted quotes; lenient takes any topical sentence of a topical page's main text."""
    mentions = {
        "planted": [planted(ground, "hba1c")],
        "topical": [said("DPP-4 inhibitors are taken once a day by patients with diabetes.")],
        "off topic": [said("Eat well.")],
        "furniture": [said("DPP-4 inhibitors: subscribe to our diabetes newsletter.")],
        "a page that holds none": [
            said("DPP-4 inhibitors lower HbA1c, and this journal covers them.", "https://www.jmetd.org/about")
        ],
    }

    assert measures.strict_precision(ground, mentions) == Share(1, 5)
    assert measures.lenient_precision(ground, mentions, TEXTS) == Share(2, 5)


@pytest.mark.parametrize(
    "quote", ["DPP-4 inhibitors and diabetes", "DPP-4 inhibitors?", "DPP-4."], ids=["heading", "question", "stub"]
)
def test_what_is_no_sentence_is_no_claim(ground: Ground, quote: str) -> None:
    """A heading, a question and a stub are not acceptable even where the page holds them."""
    texts = {"https://www.nimeth.gov/x": f"… {quote} …"}

    assert measures.lenient_precision(ground, {"c": [said(quote)]}, texts) == Share(0, 1)


def test_recall_counts_claims_that_can_be_reached_by_their_supports(ground: Ground) -> None:
    """Seventeen were planted, each on a page that can be read; a refuting quote does not state the claim."""
    mentions = [planted(ground, "hba1c"), planted(ground, "hba1c", at=1), planted(ground, "weight", "refutes")]

    assert measures.recall(ground, mentions) == Share(1, 17)


def test_recall_of_quotes_among_those_read(ground: Ground) -> None:
    """Two planted quotes were read, one became a mention."""
    read = [planted(ground, "hba1c"), planted(ground, "mortality")]

    assert measures.quote_recall(ground, read, [planted(ground, "mortality")]) == Share(1, 2)


def judged(ground: Ground, name: str, side: str, at: int, relation: str, towards: str = "") -> dict[str, Any]:
    return {**planted(ground, name, side, at), "claim_id": f"c_{towards or name}", "relation": relation}


def test_stance_f1_on_planted_pairs(ground: Ground) -> None:
    """Two of three supports found and one refutation missed: 0.8 and 0."""
    edges = [
        judged(ground, "hba1c", "supports", 0, "supports"),
        judged(ground, "hba1c", "supports", 1, "supports"),
        judged(ground, "hba1c", "supports", 2, "neutral"),
        judged(ground, "hba1c", "refutes", 0, "neutral"),
    ]

    found = measures.stance_f1(ground, {"hba1c": "c_hba1c"}, edges)

    assert found == F1({"supports": 0.8, "refutes": 0.0}, 4)
    assert found.macro == 0.4


def test_unrelated_quotes_are_neutral_in_the_sterner_measure(ground: Ground) -> None:
    """A sentence on pancreatitis says nothing of HbA1c; one on insulin and HbA1c was not planted as neutral."""
    edges = [
        judged(ground, "hba1c", "supports", 0, "supports"),
        judged(ground, "pancreatitis", "supports", 0, "refutes", towards="hba1c"),
        judged(ground, "joint-pain", "supports", 0, "neutral", towards="hba1c"),
        judged(ground, "insulin-hba1c", "supports", 0, "refutes", towards="hba1c"),
    ]

    found = measures.stance_f1_with_neutrals(ground, {"hba1c": "c_hba1c"}, edges)

    assert found == F1({"supports": 1.0, "neutral": 0.667}, 3)


def test_contradictions_are_looked_for_where_both_sides_were_read(ground: Ground) -> None:
    """Both sides of one hypothesis were read and it is shown; of another only one side was."""
    hypotheses = {"hba1c": "c_1", "pancreatitis": "c_2", "bullous-pemphigoid": "c_3"}
    read = [
        planted(ground, "hba1c"),
        planted(ground, "hba1c", "refutes"),
        planted(ground, "pancreatitis"),
    ]

    assert measures.contradictions_found(ground, hypotheses, read, {"c_1"}) == Share(1, 1)
    assert measures.contradictions_found(ground, hypotheses, read, {"c_2"}) == Share(0, 1)


def test_false_contradictions_are_those_that_nobody_planted(ground: Ground) -> None:
    """Of four shown: one planted as contested, one not, one found claim that states an uncontested one, one unknown."""
    hypotheses = {"hba1c": "c_1", "bullous-pemphigoid": "c_2"}
    mentions = {"c_3": [planted(ground, "renal-linagliptin")], "c_4": [said("Nobody knows this one.")]}

    found = measures.false_contradictions(ground, hypotheses, mentions, ["c_1", "c_2", "c_3", "c_4"])

    assert found == Share(2, 3)


def test_nothing_measured_has_no_value() -> None:
    """A share of nothing is not zero."""
    assert (Share(0, 0).value, F1({}, 0).macro, Share(1, 3).value) == (None, None, 0.333)


def test_a_planted_group_is_found_when_its_pages_that_were_read_lie_together() -> None:
    """A loop of three of which one page was never read shows as two; a group that was not met is not asked for."""
    planted = [{"a", "b", "c"}, {"d", "e"}, {"x", "y"}]

    found = groups_found(planted, read={"a", "b", "d", "e", "f"}, found=[{"a", "b", "f"}, {"d"}])

    assert found == Share(1, 2)


def test_a_group_that_joins_what_was_not_planted_together_is_false() -> None:
    """Pages of two stories, or a page of none."""
    planted = [{"a", "b", "c"}, {"d", "e"}]

    assert false_groups(planted, [{"a", "b"}, {"c", "d"}, {"e", "f"}]) == Share(2, 3)
