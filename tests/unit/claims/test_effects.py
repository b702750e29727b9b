"""The effect a sentence speaks of, and whether two sentences speak of the same."""

import pytest

from lyra.claims.effects import Effect, effect_of, effect_on


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


def test_a_long_sentence_is_read_in_no_time() -> None:
    """Negations without end must not make the search for an effect after them explode."""
    assert effect_of("no " * 20_000) is None


def test_a_bound_is_no_effect() -> None:
    """ "Less than 10 milliwatts" and "no more than 10 milliwatts" do not say that anything fell."""
    texts = ["An idle charger draws no more than 10 milliwatts.", "All nine drew less than 10 milliwatts when idle."]

    assert [effect_of(text) for text in texts] == [None, None]


def test_the_clause_on_the_same_thing_decides() -> None:
    """What placebo did, and how agents differ, is not what the drug did."""
    claim = "Sitagliptin lowers HbA1c by 0.5 percentage points."

    found = [
        effect_on("Sitagliptin lowered HbA1c by 0.6 points, whereas placebo had no effect.", claim),
        effect_on("Sitagliptin lowered HbA1c by 0.6 points, with little difference between doses.", claim),
        effect_on("Sitagliptin did not lower HbA1c, but it reduced weight.", claim),
    ]

    assert found == [Effect.LESS, Effect.LESS, Effect.NONE]


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
    ("claim", "expected"),
    [
        ("Sitagliptin does not increase admissions for heart failure.", Effect.NONE),
        ("Saxagliptin increases admissions for heart failure.", Effect.MORE),
    ],
)
def test_a_clause_that_only_denies_speaks_for_those_it_names(claim: str, expected: Effect) -> None:
    """The verb stands in the clause before."""
    sentence = "Saxagliptin increases admissions for heart failure; sitagliptin and linagliptin do not."

    assert effect_on(sentence, claim) is expected


def test_what_disturbs_nothing_affects_nothing() -> None:
    """No effect may be told in many verbs."""
    premise = "At a distance of 15 centimetres or more, ALP-2 chargers did not disturb any of the 31 pacemakers."

    assert effect_on(premise, "No pacemaker was affected at distances of 15 cm or more.") is Effect.NONE


@pytest.mark.timeout(5)
@pytest.mark.parametrize("filler", [" ", "key: ", "is not; "], ids=["spaces", "clauses", "denials"])
def test_endless_sentences_are_compared_in_bounded_time(filler: str) -> None:
    """Spaces are tried once each, and clauses laid beside all others only where they deny something."""
    assert effect_on("A lowers B" + filler * 500 + "x", "A lowers B") is Effect.LESS
