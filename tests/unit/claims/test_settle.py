"""Rules beside the model: what they move, what they take back, what they leave."""

import pytest

from lyra.claims.settle import settled
from lyra.model.edge import Relation, Stance

THRESHOLDS = {"supports": 0.35, "refutes": 0.41}
CLAIM = "Saxagliptin increases the risk of hospitalisation for heart failure."


def stance(label: Relation, probabilities: tuple[float, float, float], window: str) -> Stance:
    at = list(Relation).index(label)
    return Stance(label, probabilities[at], 0.5, probabilities, "m@1", "v1", window, (0.2, 0.3, 0.5))


def test_a_sentence_supports_itself() -> None:
    """The model read a claim's own words as its refutation; nobody else would."""
    found = settled(stance(Relation.REFUTES, (0.1, 0.6, 0.3), f"Results: {CLAIM}"), CLAIM, "", THRESHOLDS)

    assert (found.label, found.confidence, found.probabilities[1]) == (Relation.SUPPORTS, 0.9, 0.0)


@pytest.mark.parametrize(
    ("sentence", "before", "after"),
    [
        pytest.param(
            "Saxagliptin did not change hospitalisation for heart failure.",
            (0.10, 0.25, 0.65),
            (0.0290, 0.6808, 0.2902),
            id="the opposite effect makes a refutation 6.1 times likelier, support 0.65 times",
        ),
        pytest.param(
            "Saxagliptin raised hospitalisation for heart failure.",
            (0.25, 0.10, 0.65),
            (0.4737, 0.0702, 0.4561),
            id="the same effect makes support 2.7 times likelier",
        ),
    ],
)
def test_the_same_thing_with_a_known_effect_moves_the_odds(
    sentence: str, before: tuple[float, float, float], after: tuple[float, float, float]
) -> None:
    """The model was undecided; the words are not."""
    found = settled(stance(Relation.NEUTRAL, before, sentence), CLAIM, sentence, THRESHOLDS)

    assert found.probabilities == pytest.approx(after, abs=1e-4)
    assert found.label is (Relation.REFUTES if after[1] > after[0] else Relation.SUPPORTS)


def test_claim_that_names_only_one_thing_is_denied_less_surely() -> None:
    """Without what acts or what it acts on, opposite effects are more often of two things: 3.4 times, not 6.1."""
    sentence = "Mortality did not rise."

    found = settled(stance(Relation.NEUTRAL, (0.10, 0.25, 0.65), sentence), "Mortality rises.", sentence, THRESHOLDS)

    assert found.probabilities == pytest.approx((0.0415, 0.5431, 0.4153), abs=1e-4)


def test_a_refutation_about_another_drug_is_taken_back() -> None:
    """The model's probabilities stay on the edge; the label does not."""
    sentence = "Sitagliptin did not increase the rate of hospitalisation for heart failure."

    found = settled(stance(Relation.REFUTES, (0.1, 0.7, 0.2), sentence), CLAIM, sentence, THRESHOLDS)

    assert (found.label, found.confidence, found.raw_confidence) == (Relation.NEUTRAL, 0.2, 0.5)
    assert found.probabilities == (0.1, 0.7, 0.2)


def test_what_the_judge_withheld_stays_withheld() -> None:
    """A fragment with too few words in common was kept from refuting; rules on effects do not undo that."""
    sentence = "Saxagliptin did not change hospitalisation for heart failure."

    found = settled(stance(Relation.NEUTRAL, (0.1, 0.6, 0.3), sentence), CLAIM, sentence, THRESHOLDS)

    assert found.label is Relation.NEUTRAL


def test_where_rules_have_nothing_to_say_the_model_stands() -> None:
    """Its label, its probabilities and its confidence are kept to the digit."""
    judged = stance(
        Relation.SUPPORTS, (0.6, 0.1, 0.3), "More patients on the drug had to be admitted for heart failure."
    )

    found = settled(judged, CLAIM, judged.window, THRESHOLDS)

    assert (found.label, found.confidence, found.probabilities) == (Relation.SUPPORTS, 0.6, (0.6, 0.1, 0.3))


def test_the_same_effect_in_a_near_amount_is_support_whatever_the_model_says() -> None:
    """The page's title names what acts; the sentence has the outcome, the effect and the amount."""
    claim = "学校給食費の無償化により、小学生1人あたり年間約5万円の家計負担が軽くなる。"
    sentence = "小学生1人あたり年間およそ5万2千円の家計負担が軽減される。"
    judged = stance(Relation.REFUTES, (0.1, 0.6, 0.3), sentence)

    found = settled(judged, claim, sentence, THRESHOLDS, "学校給食費の無償化について")
    untitled = settled(judged, claim, sentence, THRESHOLDS)

    assert (found.label, found.confidence) == (Relation.SUPPORTS, 0.83)
    assert found.rule == "it speaks of the same effect in a near amount"
    assert (untitled.label, untitled.rule) == (Relation.NEUTRAL, "it says the same")


@pytest.mark.parametrize(
    ("sentence", "judged", "rule"),
    [
        pytest.param(
            "Saxagliptin did not change hospitalisation for heart failure.",
            (Relation.NEUTRAL, (0.10, 0.25, 0.65)),
            (Relation.REFUTES, "it speaks of another effect"),
            id="made",
        ),
        pytest.param(
            "Sitagliptin did not increase hospitalisation for heart failure.",
            (Relation.REFUTES, (0.1, 0.8, 0.1)),
            (Relation.NEUTRAL, "it speaks of another of its kind"),
            id="taken back",
        ),
        pytest.param(
            "Saxagliptin did not change hospitalisation for heart failure.",
            (Relation.SUPPORTS, (0.8, 0.01, 0.19)),
            (Relation.NEUTRAL, "it says the opposite"),
            id="a support with the opposite effect",
        ),
        pytest.param(
            "We examined the effect of saxagliptin on hospitalisation for heart failure.",
            (Relation.SUPPORTS, (0.8, 0.01, 0.19)),
            (Relation.NEUTRAL, "it asks or announces, and says nothing"),
            id="what was done says nothing of what came of it",
        ),
        pytest.param(
            "More patients on saxagliptin had to be admitted with a weak heart.",
            (Relation.SUPPORTS, (0.8, 0.1, 0.1)),
            (Relation.SUPPORTS, ""),
            id="the model's own",
        ),
    ],
)
def test_a_stance_that_a_rule_made_or_took_back_says_so(
    sentence: str, judged: tuple[Relation, tuple[float, float, float]], rule: tuple[Relation, str]
) -> None:
    """A reader sees why an edge has its relation; where the model decided no rule is named."""
    found = settled(stance(*judged, sentence), CLAIM, f"{sentence} heart failure", THRESHOLDS)

    assert (found.label, found.rule) == rule
