"""The last word on a stance: what rules know for sure is laid beside what the model says.

The factors say how many times likelier a stance is than neutrality where the rule speaks. Opposite effects, equal
effects and near amounts were counted on 7,300 labelled pairs of FEVER-symmetric, Fool Me Twice, ANLI, HealthVer, WiCE,
SICK and others that share half of a claim's words: 3.4 times as frequent among contradictions as among neutral pairs,
2.7 and 2.1 times as frequent among entailments. Amounts that cannot both be true, what is left of the other stance, and
effect and amount together were counted on 56,000 pairs that speak of the same thing.

A stance that a rule made or took back says so in `rule`.
"""

from collections.abc import Mapping
from dataclasses import replace

from lyra.claims.alignment import misalignment, parts, speaks_of
from lyra.claims.effects import agreement
from lyra.claims.quantities import are_far_apart, are_near
from lyra.claims.stance import OTHER_EFFECT, SAME_EFFECT
from lyra.claims.words import same_key
from lyra.model.edge import Relation, Stance

OPPOSITE_EFFECT_WEIGHT = 3.4
# Where the claim names what acts and what it acts on, and the sentence speaks of both: 87 of 524 contradictions and
# 15 of 547 neutral pairs have opposite effects.
OPPOSITE_ON_BOTH_WEIGHT = 6.1
SAME_EFFECT_WEIGHT = 2.7
NEAR_AMOUNT_WEIGHT = 2.1
FAR_AMOUNT_WEIGHT = 2.9
# What is left of the other stance: supports with opposite effects, and with amounts that cannot both be true.
OPPOSITE_EFFECT_REST = 0.65
FAR_AMOUNT_REST = 0.5
# The same effect in a near amount on the same thing: 24 of 27 public pairs were entailments, none a contradiction.
SAME_FINDING_PROBABILITY = 0.83
# A sentence entails itself; what is left is that the claim may mean something else where it stands.
SAME_WORDS_PROBABILITY = 0.9
SAME_WORDS = "it repeats the claim's words"
SAME_FINDING = "it speaks of the same effect in a near amount"
NEAR_AMOUNT = "it gives a near amount"
FAR_AMOUNT = "it gives another amount"
_LABELS = (Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL)
_DEFAULT_THRESHOLD = 0.5


def settled(stance: Stance, claim: str, context: str, thresholds: Mapping[str, float], title: str = "") -> Stance:
    """The stance of a passage (`context`) towards a claim, after rules: its sentence repeats the claim, or speaks of
    the same effect or amount, or of something else. `thresholds` are those by which the model was read, `title` is that
    of the page: what a page is about its sentences leave out."""
    sentence = stance.window or context
    if _repeats(sentence, claim):
        return _supporting(stance, SAME_WORDS_PROBABILITY, SAME_WORDS)
    if _is_same_finding(sentence, claim, title):
        return _supporting(stance, SAME_FINDING_PROBABILITY, SAME_FINDING)
    weighed, sign = _weighed(stance, sentence, claim, title)
    label, own = _label(weighed.probabilities, thresholds), _label(stance.probabilities, thresholds)
    if label is Relation.REFUTES and own is not stance.label:
        return _as(weighed, Relation.NEUTRAL, stance, stance.rule)
    reason = misalignment(sentence, claim, label, context, title)
    if reason is not None:
        return _as(weighed, Relation.NEUTRAL, stance, reason.value)
    return _as(weighed, label, stance, stance.rule if label is own else sign)


def _repeats(sentence: str, claim: str) -> bool:
    return same_key(claim) in same_key(sentence)


def _is_same_finding(sentence: str, claim: str, title: str) -> bool:
    has_both = agreement(sentence, claim) > 0 and are_near(sentence, claim) and not are_far_apart(sentence, claim)
    return has_both and speaks_of(sentence, claim, title)


def _supporting(stance: Stance, least: float, rule: str) -> Stance:
    """The stance as a support, at least so probable."""
    sure = max(least, stance.probabilities[0])
    why = stance.rule if stance.label is Relation.SUPPORTS else rule
    return _as(replace(stance, probabilities=(sure, 0.0, 1.0 - sure)), Relation.SUPPORTS, stance, why)


def _weighed(stance: Stance, sentence: str, claim: str, title: str) -> tuple[Stance, str]:
    """The probabilities, moved by what both say of an effect or an amount where they speak of the same thing, and what
    moved them."""
    if not speaks_of(sentence, claim, title):
        return stance, ""
    supports, refutes, neutral = stance.probabilities
    agreed, sign = agreement(sentence, claim), ""
    if agreed < 0:
        weight = OPPOSITE_ON_BOTH_WEIGHT if all(parts(claim)) else OPPOSITE_EFFECT_WEIGHT
        supports, refutes, sign = supports * OPPOSITE_EFFECT_REST, refutes * weight, OTHER_EFFECT
    elif are_far_apart(sentence, claim):
        supports, refutes, sign = supports * FAR_AMOUNT_REST, refutes * FAR_AMOUNT_WEIGHT, FAR_AMOUNT
    elif agreed > 0:
        supports, sign = supports * SAME_EFFECT_WEIGHT, SAME_EFFECT
    elif are_near(sentence, claim):
        supports, sign = supports * NEAR_AMOUNT_WEIGHT, NEAR_AMOUNT
    total = supports + refutes + neutral
    if not total:
        return stance, ""
    return replace(stance, probabilities=(supports / total, refutes / total, neutral / total)), sign


def _label(probabilities: tuple[float, float, float], thresholds: Mapping[str, float]) -> Relation:
    """The likelier stance where it passes its threshold, else neutral: as the model's own judgement is read."""
    likelier = _LABELS[0] if probabilities[0] >= probabilities[1] else _LABELS[1]
    floor = thresholds.get(likelier.value, _DEFAULT_THRESHOLD)
    return likelier if probabilities[_LABELS.index(likelier)] >= floor else Relation.NEUTRAL


def _as(stance: Stance, label: Relation, judged: Stance, rule: str) -> Stance:
    """The stance under this label, with the probability of the label in both scales, and the rule that made it."""
    at = _LABELS.index(label)
    raw = judged.raw_probabilities[at] if judged.raw_probabilities else judged.raw_confidence
    return replace(stance, label=label, confidence=stance.probabilities[at], raw_confidence=raw, rule=rule)
