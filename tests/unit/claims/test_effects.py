"""The effect a sentence speaks of, and whether two sentences speak of the same."""

import pytest

from lyra.claims.effects import Effect, agreement, effect_of


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Saxagliptin increases the risk of heart failure.", Effect.MORE),
        ("Use of a gliptin was associated with a twofold risk of pemphigoid.", Effect.MORE),
        ("DPP-4 inhibitors lower HbA1c by 0.5 to 0.8 percentage points.", Effect.LESS),
        ("Masks prevented infections in three hospitals.", Effect.LESS),
        ("Saxagliptin did not increase the risk of heart failure.", Effect.NONE),
        ("It doesn't seem to cause joint pain.", Effect.NONE),
        ("DPP-4 inhibitors were neutral for body weight.", Effect.NONE),
        ("Treatment neither raised nor lowered mortality from any cause.", Effect.NONE),
        ("All-cause mortality was the same in both groups.", Effect.NONE),
        ("DPP-4阻害薬は類天疱瘡の発症リスクを高める。", Effect.MORE),
        ("DPP-4阻害薬はHbA1cを低下させる。", Effect.LESS),
        ("DPP-4阻害薬は体重に影響しない。", Effect.NONE),
        ("重症低血糖の増加は認められなかった。", Effect.NONE),
        ("この薬を使えば、生存率が上がるかもしれない。", Effect.MORE),
        ("高齢化によって入院が増えることは避けられない。", Effect.MORE),
        ("体重の増加だけでなく、血圧の上昇も見られた。", Effect.MORE),
        ("入院は少なくとも3割増えた。", Effect.MORE),
        ("死亡率への効果については、全国の病院を対象とした研究で確認されていない。", Effect.NONE),
        ("死亡率への効果は0.2％であり、ゼロと区別できなかった。", Effect.NONE),
        ("死亡率が下がることはない。", Effect.NONE),
        ("TECLOS was the largest trial of sitagliptin.", None),
        ("Weight rose while HbA1c fell in the same patients.", None),
        ("", None),
    ],
)
def test_effects(sentence: str, expected: Effect | None) -> None:
    """More, less or none; two directions in one sentence say neither."""
    assert effect_of(sentence) is expected


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        pytest.param("Gliptins raised the risk.", "Gliptins increase the risk.", 1, id="more and more"),
        pytest.param("Gliptins did not raise the risk.", "Gliptins increase the risk.", -1, id="none and more"),
        pytest.param("Gliptins had no effect on weight.", "Gliptins do not change weight.", 1, id="none and none"),
        pytest.param("Gliptins reduced deaths.", "Gliptins have no effect on deaths.", -1, id="less and none"),
        pytest.param("Gliptins reduced deaths.", "Gliptins increase deaths.", -1, id="less and more"),
        pytest.param("Gliptins are tablets.", "Gliptins increase deaths.", 0, id="one does not say"),
    ],
)
def test_agreement(premise: str, hypothesis: str, expected: int) -> None:
    """A "not" that the model overlooks turns agreement round."""
    assert agreement(premise, hypothesis) == expected


def test_a_long_sentence_is_read_in_no_time() -> None:
    """Negations without end must not make the search for an effect after them explode."""
    assert effect_of("no " * 20_000) is None


def test_a_bound_is_no_effect() -> None:
    """ "Less than 10 milliwatts" agrees with "no more than 10 milliwatts"; neither says that anything fell."""
    claim = "An idle charger draws no more than 10 milliwatts."

    assert (effect_of(claim), agreement("All nine chargers drew less than 10 milliwatts when idle.", claim)) == (
        None,
        0,
    )


def test_the_clause_on_the_same_thing_decides() -> None:
    """What placebo did, and how agents differ, is not what the drug did."""
    claim = "Sitagliptin lowers HbA1c by 0.5 percentage points."

    found = [
        agreement("Sitagliptin lowered HbA1c by 0.6 points, whereas placebo had no effect.", claim),
        agreement("Sitagliptin lowered HbA1c by 0.6 points, with little difference between doses.", claim),
        agreement("Sitagliptin did not lower HbA1c, but it reduced weight.", claim),
    ]

    assert found == [1, 1, -1]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("給食費の無償化は出生数を増やす。", Effect.MORE),
        ("給食費の無償化が出生数を増やす効果は見つかりませんでした。", Effect.NONE),
        ("人口が3割増えた自治体は存在せず、この情報は誤りです。", Effect.NONE),
        ("出産祝い金による第3子の出生の増加は数年で消える。", Effect.NONE),
        ("祝い金の導入から2年間は出生が15％増えたが、4年目以降は導入前の水準に戻った。", Effect.NONE),
        ("小学生1人あたり年間約5万円の家計負担が軽減される。", Effect.LESS),
    ],
    ids=["raises", "no effect found", "nowhere", "fades", "back to where it was", "relieves"],
)
def test_japanese_effects_by_verb_and_denial(sentence: str, expected: Effect) -> None:
    """Denials stand at the end, far from what they deny."""
    assert effect_of(sentence) is expected


@pytest.mark.parametrize(
    ("premise", "expected"),
    [
        pytest.param("Phones on ALP-2 pads are full 22 minutes earlier than phones on a cable.", 1, id="earlier than"),
        pytest.param("ALP-2 pads charge phones slower than a cable.", -1, id="slower"),
        pytest.param("An earlier study tested ALP-2 pads for phones.", 0, id="an earlier study is no effect"),
        pytest.param("Inductive ALP-2 pads for phones were sold in 2024.", 0, id="inductive is not induced"),
    ],
)
def test_comparisons_of_speed_are_effects(premise: str, expected: int) -> None:
    """Faster and slower are opposite, as more and less are."""
    assert agreement(premise, "ALP-2 pads charge phones faster than a cable.") == expected


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Sitagliptin does not increase admissions for heart failure.", 1),
        ("Sitagliptin increases admissions for heart failure.", -1),
        ("Saxagliptin increases admissions for heart failure.", 1),
    ],
)
def test_a_clause_that_only_denies_speaks_for_those_it_names(claim: str, expected: int) -> None:
    """The verb stands in the clause before."""
    sentence = "Saxagliptin increases admissions for heart failure; sitagliptin and linagliptin do not."

    assert agreement(sentence, claim) == expected


def test_what_disturbs_nothing_affects_nothing() -> None:
    """No effect may be told in many verbs."""
    premise = "At a distance of 15 centimetres or more, ALP-2 chargers did not disturb any of the 31 pacemakers."

    assert agreement(premise, "No pacemaker was affected at distances of 15 cm or more.") == 1


@pytest.mark.timeout(5)
@pytest.mark.parametrize("filler", [" ", "key: ", "is not; "], ids=["spaces", "clauses", "denials"])
def test_endless_sentences_are_compared_in_bounded_time(filler: str) -> None:
    """Spaces are tried once each, and clauses laid beside all others only where they deny something."""
    assert agreement("A lowers B" + filler * 500 + "x", "A lowers B") == 1
