"""What cannot be a stance: texts about something else, and texts that say the same."""

import pytest

from lyra.claims.alignment import Misalignment, announces, misalignment, parts, speaks_of
from lyra.model.edge import Relation

SEVERE = "Adding a DPP-4 inhibitor to insulin does not raise the number of people with severe hypoglycaemia."
HBA1C = "Adding a DPP-4 inhibitor to insulin reduces HbA1c by 0.4 to 0.7 percentage points."
SITAGLIPTIN = "Sitagliptin does not raise the risk of heart failure in patients with cardiovascular disease."
LUNCH = "給食費を無償化しても食べ残しは増えない。"


@pytest.mark.parametrize(
    ("sentence", "claim", "expected"),
    [
        pytest.param(
            "We found no increase in hypoglycaemia of any severity when a DPP-4 inhibitor was added to insulin.",
            HBA1C,
            Misalignment.OUTCOME,
            id="another outcome",
        ),
        pytest.param(
            "A large trial found that saxagliptin raised hospital admissions for heart failure by 27 percent.",
            SITAGLIPTIN,
            Misalignment.SIBLING,
            id="another drug of the class",
        ),
        pytest.param(
            "Metformin remains the first choice for most people who have type 2 diabetes.",
            "Sitagliptin lowers HbA1c.",
            Misalignment.SUBJECT,
            id="another subject",
        ),
        pytest.param(
            "Adding a DPP-4 inhibitor to a sulfonylurea increases hypoglycaemia.",
            "A DPP-4 inhibitor alone does not increase hypoglycaemia.",
            Misalignment.CONDITION,
            id="together instead of alone",
        ),
        pytest.param(
            "An attacker can impersonate every charger of edition 2.0.",
            "None of the chargers of edition 2.1 could be impersonated by an attacker.",
            Misalignment.CONDITION,
            id="another edition",
        ),
        pytest.param(
            "Adding sitagliptin to insulin doubled the incidence of hypoglycaemia.",
            SEVERE,
            Misalignment.CONDITION,
            id="any degree instead of the severe one",
        ),
        pytest.param(
            "After a recent acute coronary syndrome, alogliptin did not increase the risk of heart failure.",
            "DPP-4 inhibitors increase the risk of acute pancreatitis.",
            Misalignment.OUTCOME,
            id="acute is no outcome",
        ),
        pytest.param(
            "Whether gliptins cause acute pancreatitis is disputed.",
            "Gliptins cause acute pancreatitis.",
            Misalignment.QUESTION,
            id="what is open",
        ),
        pytest.param(
            "給食費の無償化で出生数が増えるかどうかは分かっていない。",
            LUNCH,
            Misalignment.QUESTION,
            id="ja: what is open",
        ),
        pytest.param(
            "Does adding a DPP-4 inhibitor to insulin raise HbA1c?", HBA1C, Misalignment.QUESTION, id="a question"
        ),
        pytest.param(
            "Objective: to quantify HbA1c after adding a DPP-4 inhibitor to insulin.",
            HBA1C,
            Misalignment.QUESTION,
            id="an aim",
        ),
        pytest.param(
            "The combination of insulin and a DPP-4 inhibitor raises HbA1c.",
            "The combination lowers HbA1c by 0.5 percentage points.",
            Misalignment.OPEN,
            id="a claim that leaves open what it speaks of",
        ),
        pytest.param(
            "Compared with placebo, DPP-4 inhibitors lowered HbA1c by 0.65 percentage points, with little difference "
            "between agents.",
            "DPP-4 inhibitors reduce HbA1c by roughly 0.54 percentage points.",
            Misalignment.SAME,
            id="the same effect in about the same amount",
        ),
        pytest.param(
            "給食費を無償化した町で、出生数が2年続けて増えている。", LUNCH, Misalignment.OUTCOME, id="ja: outcome"
        ),
        pytest.param(
            "インスリンにDPP-4阻害薬を加えると、HbA1cがさらに0.5ポイント前後下がります。",
            "DPP-4阻害薬をインスリンに追加すると、HbA1cは約0.7ポイント低下する。",
            Misalignment.SAME,
            id="ja: the same effect",
        ),
        pytest.param(
            "2025年度には全国の市町村の約44％が小中学校の給食費を全額無償としている。",
            "小中学校の給食費を全額無償としている市町村は、全国の43.8％です。",
            Misalignment.SAME,
            id="ja: the same amount of the same thing",
        ),
    ],
)
def test_a_text_that_speaks_of_something_else_or_says_the_same_refutes_nothing(
    sentence: str, claim: str, expected: Misalignment
) -> None:
    """Every one of these was read as a contradiction by the model."""
    assert misalignment(sentence, claim, Relation.REFUTES) is expected


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        pytest.param(
            "Saxagliptin did not increase the risk of hospitalisation for heart failure.",
            "Saxagliptin increases the risk of hospitalisation for heart failure.",
            id="the opposite effect",
        ),
        pytest.param(
            "In a registry of 28,900 patients, sitagliptin reduced all-cause mortality by 34%.",
            "DPP-4 inhibitors have no effect on all-cause mortality.",
            id="a member against its class",
        ),
        pytest.param(
            "移住者が3％増えた自治体では人口が減った。", "移住支援金を設けた自治体では人口が3割増えた。", id="ja: fewer"
        ),
        pytest.param(
            "給食費が無償になったあと、1人あたりの食べ残しは41グラムから53グラムに増えました。", LUNCH, id="ja: more"
        ),
        pytest.param(
            "移住支援金で人口は3％増えた。", "移住支援金で人口は3割増えた。", id="ja: the same effect, another amount"
        ),
    ],
)
def test_a_text_on_the_same_thing_with_another_finding_may_refute(sentence: str, claim: str) -> None:
    """The rules take back what cannot be; they leave real contradictions alone."""
    assert misalignment(sentence, claim, Relation.REFUTES) is None


def test_what_it_refers_to_is_looked_for_in_the_passage() -> None:
    """A sentence that begins with "It" speaks of what the passage named before."""
    sentence, claim = "It did not lower HbA1c.", "Sitagliptin lowers HbA1c."

    alone = misalignment(sentence, claim, Relation.REFUTES)
    within = misalignment(sentence, claim, Relation.REFUTES, f"Sitagliptin was tested in 2011. {sentence}")

    assert (alone, within) == (Misalignment.SUBJECT, None)


def test_support_may_use_words_of_its_own() -> None:
    """Another condition, another thing by name, or a passage without any word for the outcome keep it from that."""
    own_words = "With the drug, no more patients than without it were admitted because their heart had become weak."
    sibling = "Saxagliptin does not raise the risk of heart failure in patients with cardiovascular disease."
    silent = "Sitagliptin did not increase joint pain."

    found = [misalignment(one, SITAGLIPTIN, Relation.SUPPORTS) for one in (own_words, sibling, silent)]

    assert found == [None, Misalignment.SIBLING, Misalignment.OUTCOME]


def test_a_text_that_names_no_edition_may_support_a_claim_about_one() -> None:
    """A paper on an attack need not repeat the edition; one that names another edition speaks of that."""
    claim = "The authentication of ALP-2 edition 2.0 can be bypassed by replaying recorded answers."
    silent = "We show that an attacker can replay recorded answers and pass the authentication."
    other = "In edition 2.1 nobody could replay recorded answers to pass the authentication."

    found = [misalignment(one, claim, Relation.SUPPORTS) for one in (silent, other)]

    assert found == [None, Misalignment.CONDITION]


def test_what_is_neutral_needs_no_reason() -> None:
    """A question is neutral anyway."""
    assert misalignment("Is it?", HBA1C, Relation.NEUTRAL) is None


@pytest.mark.parametrize(
    ("claim", "subject", "outcome"),
    [
        ("DPP-4 inhibitors have no effect on all-cause mortality.", {"dpp-4", "inhibitor"}, {"all-caus", "mortality"}),
        (
            "When sitagliptin is added to insulin, HbA1c falls by 0.5 points.",
            {"sitagliptin", "add", "insulin"},
            {"hba1c"},
        ),
        ("給食費の無償化は子どもの学力を高める。", {"給食", "費", "無償", "化"}, {"子供", "学力"}),
        ("移住支援金は若い世帯の転入を増やす。", {"移住", "支援", "金"}, {"若い", "世帯", "転入"}),
    ],
    ids=["no effect on", "intransitive", "ja: raises", "ja: increases"],
)
def test_a_claim_is_parted_into_what_acts_and_what_it_acts_on(claim: str, subject: set[str], outcome: set[str]) -> None:
    """Both must be met before a text contradicts: a drug's effect on weight says nothing of its effect on mortality."""
    assert parts(claim) == (subject, outcome)


def test_speaking_of_a_claim_takes_most_of_its_words_on_both_sides() -> None:
    """A few words in common are a topic, not a statement on the same thing."""
    claim = "Saxagliptin increases the risk of hospitalisation for heart failure."

    found = [
        speaks_of("Saxagliptin did not change hospitalisation for heart failure.", claim),
        speaks_of("Saxagliptin lowers HbA1c.", claim),
        speaks_of("Sitagliptin did not change hospitalisation for heart failure.", claim),
    ]

    assert found == [True, False, False]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        pytest.param("", Misalignment.SUBJECT, id="nothing says what acts"),
        pytest.param("The ALP-2 charger in the laboratory", None, id="the title does"),
        pytest.param("The ALP-1 charger in the laboratory", Misalignment.SIBLING, id="the title names another"),
    ],
)
def test_what_acts_may_be_named_in_the_title(title: str, expected: Misalignment | None) -> None:
    """A page leaves out in its sentences what it is about; the outcome must still be in the sentence."""
    sentence, claim = "An offset raised the efficiency.", "An ALP-2 charger lowers the efficiency."

    assert misalignment(sentence, claim, Relation.REFUTES, "", title) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We measured the efficiency of twelve commercial chargers with a robot.", True),
        ("We measured twelve chargers and found that efficiency fell to 66 percent.", False),
        ("学校給食費の無償化が出生と転入に与える影響を推定した。", True),
        ("無償化が出生数を増加させる効果は認められなかった。", False),
        ("The main outcomes were the change of HbA1c and the number of patients with severe hypoglycaemia.", True),
        ("Does saxagliptin harm the heart?", True),
        ("To compare the efficacy, safety and tolerability of gliptins in adults.", True),
        ("To cut the cost of tablets, the ministry lowered the price of gliptins by 20 percent.", False),
        ("The aim of this study was to determine the effect of gliptins on the heart.", True),
        ("The hypothesis was that gliptins would lower the risk.", True),
        ("HbA1c will be measured in all four groups.", True),
        ("The aim of the law is to cut the price of gliptins by 20 percent.", False),
        ("研究の目的は、シタグリプチンの効果を明らかにすることである。", True),
    ],
)
def test_a_sentence_that_asks_or_tells_what_was_done_announces(sentence: str, expected: bool) -> None:
    """What came of it stands elsewhere."""
    assert announces(sentence) is expected


def test_a_text_on_one_drug_does_not_speak_of_it_together_with_another() -> None:
    """An amount reached alone is no amount reached together; the title may say that it was together."""
    sentence, claim = (
        "Sitagliptin lowers HbA1c by 2 points.",
        "Adding sitagliptin to insulin lowers HbA1c by 0.6 points.",
    )

    assert (speaks_of(sentence, claim), speaks_of(sentence, claim, "Gliptins added to insulin")) == (False, True)


@pytest.mark.timeout(5)
def test_a_long_number_in_a_japanese_claim_is_read_at_once() -> None:
    """Thirty digits could be cut into shorter numbers in 2^30 ways."""
    assert parts(f"番号{'1' * 40}の患者で死亡が減少した。")[1] == frozenset({"死亡"})


def test_outcome_that_is_only_announced_gives_no_say() -> None:
    """A passage that says it will look into an outcome has said nothing of it yet."""
    claim = "この薬は心不全を増やす。"
    sentence = "この薬を使う病院が急速に増えている。"
    announced = f"{sentence}本稿は、この薬が心不全に与えた影響を明らかにする。"
    told = f"{sentence}心不全の入院も増えた。"

    found = [misalignment(sentence, claim, Relation.SUPPORTS, context) for context in (announced, told)]

    assert found == [Misalignment.OUTCOME, None]


@pytest.mark.parametrize(
    "request_made", ["5年以内に転出した場合は、支援金を返還していただきます。", "5年以内の転出は届け出てください。"]
)
def test_request_takes_no_stance(request_made: str) -> None:
    """Who asks people for something does not say that they do it."""
    claim = "支援金を受けた世帯は5年以内に転出する。"

    found = misalignment(request_made, claim, Relation.SUPPORTS)

    assert found is Misalignment.QUESTION
