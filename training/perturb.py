"""Small edits that usually turn a sentence against itself: polarity words, negation and numbers."""

from __future__ import annotations

import random
import re

OPPOSITES = """
increase decrease|increases decreases|increased decreased|increasing decreasing|higher lower|high low|more less|
more fewer|greater smaller|rise fall|rises falls|rising falling|rose fell|risen fallen|improve worsen|
improves worsens|improved worsened|reduce increase|reduces increases|reduced increased|effective ineffective|
safe unsafe|cause prevent|causes prevents|caused prevented|before after|always never|all some|many few|first last|
large small|larger smaller|best worst|better worse|early late|earlier later|positive negative|
positively negatively|benefit harm|benefits harms|beneficial harmful|likely unlikely|common rare|strong weak|
stronger weaker|possible impossible|true false|with without|gain loss|warm cool|warmer cooler|warming cooling|
hot cold|young old|men women|male female|north south|east west|inhibits promotes|inhibit promote|
activates suppresses|accelerates slows|accept reject|accepted rejected|support oppose|supports opposes|
success failure|successful unsuccessful|expensive cheap|long short|longer shorter|winner loser|won lost|born died|
protect endanger|protects endangers|necessary unnecessary
"""
SWAPS = {
    word: other
    for pair in OPPOSITES.replace("\n", "").split("|")
    for word, other in (pair.split(), reversed(pair.split()))
}
WORD = re.compile(r"[A-Za-z]+")
NUMBER = re.compile(r"\b\d{1,4}\b")
AUXILIARY = re.compile(r"\b(is|are|was|were|can|could|will|would|should|has|have|had|does|do|did|may|might)\b(?! not)")
NEGATION = re.compile(r"\b(is|are|was|were|can|could|will|would|should|has|have|had|does|do|did|may|might) not\b")


def perturb(sentence: str, chooser: random.Random) -> str | None:
    """The sentence with one edit, or None where no rule applies."""
    rules = [swap_word, toggle_negation, change_number]
    chooser.shuffle(rules)
    for rule in rules:
        changed = rule(sentence, chooser)
        if changed and changed != sentence:
            return changed
    return None


def swap_word(sentence: str, chooser: random.Random) -> str | None:
    places = [match for match in WORD.finditer(sentence) if match.group().lower() in SWAPS]
    if not places:
        return None
    match = chooser.choice(places)
    return sentence[: match.start()] + SWAPS[match.group().lower()] + sentence[match.end() :]


def toggle_negation(sentence: str, chooser: random.Random) -> str | None:
    if NEGATION.search(sentence):
        return NEGATION.sub(r"\1", sentence, count=1)
    return AUXILIARY.sub(r"\1 not", sentence, count=1)


def change_number(sentence: str, chooser: random.Random) -> str | None:
    places = list(NUMBER.finditer(sentence))
    if not places:
        return None
    match = chooser.choice(places)
    value = int(match.group())
    other = value + chooser.choice((-3, -1, 1, 2, 5, 10)) if value > 20 else value * 2 + 1
    return sentence[: match.start()] + str(max(0, other)) + sentence[match.end() :]
