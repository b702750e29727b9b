"""Numbers about judgements."""

import numpy as np
import pytest

GOLD = np.array([0, 1, 2, 2])


def test_macro_f1_counts_only_labels_of_the_gold(script):
    """A label that the gold lacks has no F1 of its own, but guessing it costs recall."""
    measures = script("measures")

    score = measures.macro_f1(np.array([0, 1]), np.array([0, 2]))

    assert score == 0.5


def test_false_refute_rate_is_the_share_of_neutral_pairs(script):
    """One of two neutral pairs is read as refuting."""
    measures = script("measures")

    rate = measures.false_refute_rate(GOLD, np.array([0, 1, 1, 2]))

    assert rate == 0.5


@pytest.mark.parametrize(
    ("chances", "decision"),
    [([0.5, 0.3, 0.2], 0), ([0.3, 0.55, 0.15], 2), ([0.1, 0.7, 0.2], 1), ([0.4, 0.1, 0.5], 2)],
    ids=["supports", "refutes below threshold", "refutes", "supports below threshold"],
)
def test_decision_needs_its_class_threshold(script, chances, decision):
    """The likelier stance counts only from its own threshold on."""
    measures = script("measures")

    decided = measures.decide(np.array([chances]), supports=0.45, refutes=0.6)

    assert decided.tolist() == [decision]


def test_brier_of_certain_truth_is_zero(script):
    """Probability one on the truth leaves no distance."""
    measures = script("measures")

    assert measures.brier(GOLD, np.eye(3)[GOLD]) == 0.0
