"""Whether a sentence speaks of one effect."""

import pytest

from lyra.claims.effects import claims_effect, has_effect, has_effect_on


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Saxagliptin increases the risk of heart failure.", True),
        ("Use of a gliptin was associated with a twofold risk of pemphigoid.", True),
        ("DPP-4 inhibitors lower HbA1c by 0.5 to 0.8 percentage points.", True),
        ("Masks prevented infections in three hospitals.", True),
        ("Saxagliptin did not increase the risk of heart failure.", True),
        ("It doesn't seem to cause joint pain.", True),
        ("DPP-4 inhibitors were neutral for body weight.", True),
        ("Treatment neither raised nor lowered mortality from any cause.", True),
        ("All-cause mortality was the same in both groups.", True),
        ("DPP-4阻害薬は類天疱瘡の発症リスクを高める。", True),
        ("DPP-4阻害薬はHbA1cを低下させる。", True),
        ("DPP-4阻害薬は体重に影響しない。", True),
        ("重症低血糖の増加は認められなかった。", True),
        ("この薬を使えば、生存率が上がるかもしれない。", True),
        ("高齢化によって入院が増えることは避けられない。", True),
        ("体重の増加だけでなく、血圧の上昇も見られた。", True),
        ("入院は少なくとも3割増えた。", True),
        ("死亡率への効果については、全国の病院を対象とした研究で確認されていない。", True),
        ("死亡率への効果は0.2％であり、ゼロと区別できなかった。", True),
        ("死亡率が下がることはない。", True),
        ("TECLOS was the largest trial of sitagliptin.", False),
        ("Weight rose while HbA1c fell in the same patients.", False),
        ("", False),
    ],
)
def test_effects(sentence: str, expected: bool) -> None:
    """More, less or none are effects; two directions in one sentence are neither."""
    assert has_effect(sentence) is expected


def test_a_long_sentence_is_read_in_no_time() -> None:
    """Negations without end must not make the search for an effect after them explode."""
    assert has_effect("no " * 20_000) is False


def test_a_bound_is_no_effect() -> None:
    """ "Less than 10 milliwatts" and "no more than 10 milliwatts" do not say that anything fell."""
    texts = ["An idle charger draws no more than 10 milliwatts.", "All nine drew less than 10 milliwatts when idle."]

    assert [has_effect(text) for text in texts] == [False, False]


def test_the_clause_on_the_same_thing_decides() -> None:
    """What placebo did, and how agents differ, is not what the drug did."""
    claim = "Sitagliptin lowers HbA1c by 0.5 percentage points."

    found = [
        has_effect_on("Sitagliptin lowered HbA1c by 0.6 points, whereas placebo had no effect.", claim),
        has_effect_on("Sitagliptin lowered HbA1c by 0.6 points, with little difference between doses.", claim),
        has_effect_on("Sitagliptin was compared with placebo, but weight rose.", claim),
    ]

    assert found == [True, True, False]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("給食費の無償化は出生数を増やす。", True),
        ("給食費の無償化は4月に始まった。", False),
        ("給食費の無償化が出生数を増やす効果は見つかりませんでした。", True),
        ("人口が3割増えた自治体は存在せず、この情報は誤りです。", True),
        ("出産祝い金による第3子の出生の増加は数年で消える。", True),
        ("祝い金の導入から2年間は出生が15％増えたが、4年目以降は導入前の水準に戻った。", True),
        ("小学生1人あたり年間約5万円の家計負担が軽減される。", True),
    ],
    ids=["raises", "says nothing of it", "no effect found", "nowhere", "fades", "back to where it was", "relieves"],
)
def test_japanese_effects_by_verb_and_denial(sentence: str, expected: bool) -> None:
    """Denials stand at the end, far from what they deny."""
    assert has_effect(sentence) is expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Linagliptin does not change admissions.", True),
        ("Metformin is given to adults in clinics.", False),
    ],
    ids=["named by the clause", "named by no clause"],
)
def test_a_clause_that_only_denies_speaks_for_those_it_names(claim: str, expected: bool) -> None:
    """The verb stands in the clause before."""
    sentence = "Adults in clinics were given metformin; linagliptin did not."

    assert has_effect_on(sentence, claim) is expected


def test_a_claim_speaks_of_an_effect_in_any_clause() -> None:
    """The clause with the effect may be the second one."""
    claims = ["Metformin is old, but linagliptin lowers HbA1c.", "Metformin is old, but linagliptin is newer."]

    assert [claims_effect(claim) for claim in claims] == [True, False]


def test_what_disturbs_nothing_affects_nothing() -> None:
    """No effect may be told in many verbs."""
    premise = "At a distance of 15 centimetres or more, ALP-2 chargers did not disturb any of the 31 pacemakers."

    assert has_effect_on(premise, "No pacemaker was affected at distances of 15 cm or more.") is True


@pytest.mark.timeout(5)
@pytest.mark.parametrize("filler", [" ", "key: ", "is not; "], ids=["spaces", "clauses", "denials"])
def test_endless_sentences_are_compared_in_bounded_time(filler: str) -> None:
    """Spaces are tried once each, and clauses laid beside all others only where they deny something."""
    assert has_effect_on("A lowers B" + filler * 500 + "x", "A lowers B") is True
