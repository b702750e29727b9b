"""Small edits that turn a sentence against itself."""

import random

import pytest


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ("swap_word", "Prices rose sharply.", "Prices fell sharply."),
        ("toggle_negation", "Tea is good.", "Tea is not good."),
        ("toggle_negation", "Tea is not good.", "Tea is good."),
        ("change_number", "It took 7 days.", "It took 15 days."),
    ],
)
def test_rule_changes_one_place(script, rule, before, after):
    """Each rule makes one edit and leaves the rest."""
    perturb = script("perturb")

    changed = getattr(perturb, rule)(before, random.Random(0))

    assert changed == after


def test_sentence_without_a_handle_stays(script):
    """Where no rule applies there is no pair."""
    perturb = script("perturb")

    assert perturb.perturb("Hello there", random.Random(0)) is None
