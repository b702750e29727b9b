"""Signs that a sentence and a passage say opposite things."""

import pytest

from lyra.report.check.hints import (
    figure_goes_other_way,
    has_contradiction_hint,
    has_opposite_word,
    only_one_denies,
    plain_limits,
)


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("The port denies that fuel was spilled.", "Fuel was spilled in the port.", True),
        ("The net keeps a seal from reaching the fish.", "The seal could not reach the fish.", False),
        ("The pump needs next to nothing when idle.", "The pump needs 2 watts when idle.", False),
        ("Sailing without an engine takes a day.", "Sailing takes a day.", False),
        ("Fuel use rose.", "Fuel use fell.", True),
    ],
    ids=["denies", "keeps from", "next to nothing", "without", "direction"],
)
def test_denials_and_directions(sentence: str, quote: str, expected: bool) -> None:
    """Verbs that deny count as a denial; set phrases and what a thing is without do not."""
    assert has_contradiction_hint(sentence, quote) is expected


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("The dye makes rust about 50% less likely.", "The dye increased the risk of rust by about 50%.", True),
        ("The dye makes rust about 50% more likely.", "The dye increased the risk of rust by about 50%.", False),
        ("The dye makes rust 30% less likely.", "The dye increased the risk of rust by 50%.", False),
        ("Half, or 50%, of the boats rust less.", "Of the dyed boats 50% rust.", False),
        ("船が増えるごとに漁獲は6％減った。", "船が増えるごとに漁獲は6％増え、魚体は小さくなった。", True),
        ("遅刻は512回に減った。", "遅刻は512回と、列車が増える前より減った。", False),
    ],
    ids=["other way", "same way", "other figure", "no way", "同じ節", "別の節"],
)
def test_a_figure_that_goes_the_other_way(sentence: str, quote: str, expected: bool) -> None:
    """The same figure as a fall here and as a rise there."""
    assert figure_goes_other_way(sentence, quote) is expected


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("荒天でも作業を続ける。", "荒天時は作業を休止する。", True),
        ("荒天時は作業を休止する。", "荒天時は休止し、翌日に続ける。", False),
        ("The dock stays open in storms.", "The dock is closed in storms.", True),
        ("The dock is not open in storms.", "The dock is closed in storms.", False),
    ],
    ids=["反対", "両方", "opposite", "denied"],
)
def test_an_opposite_word_is_a_sign(sentence: str, quote: str, expected: bool) -> None:
    """One that is denied, or that stands beside the word itself, is none."""
    assert has_opposite_word(sentence, quote) is expected


@pytest.mark.parametrize("words", ["at no charge", "at no cost", "without charge"])
def test_what_costs_nothing_is_free_of_charge(words: str) -> None:
    """It is no denial."""
    assert plain_limits(f"Pupils may ring {words}.") == "Pupils may ring free of charge."


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        ("Landings: the same decline in the ports of the coast", "In no port of the coast was there a decline.", True),
        ("In no port of the coast was there a decline.", "In every port of the coast there was a decline.", True),
        ("In no port of the coast was there a decline.", "The ports of the coast saw no decline.", False),
        ("The valves of the lock had jammed.", "The valves of the lock had jammed and no water could drain.", False),
        ("No port had a decline.", "The port had one.", False),
        ("この集計には登録した漁船が含まれる。", "登録した漁船は集計に含まれない。", True),
        ("集計に登録していない漁船が含まれていない点に注意を要する。", "登録していない漁船は集計に含まれない。", False),
    ],
    ids=["quote denies", "sentence denies", "both", "another thing", "too little", "否定", "二つとも否定"],
)
def test_only_one_of_two_denies_the_same_words(sentence: str, quote: str, expected: bool) -> None:
    """Where one has every word of the other, a denial of one of them alone is a contradiction."""
    assert only_one_denies(sentence, quote) is expected
