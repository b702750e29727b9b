"""How a careful reader would judge the hypotheses of each topic."""

from typing import Any

import pytest

from simweb.judgement import read_truth_value, read_verdicts
from simweb.truth import load_truth
from simweb.world import WorldError

WELL, SUPPORTED, CONTESTED = "well_supported", "supported", "contested"
LIKELY_FALSE, UNVERIFIED = "likely_false", "unverified"


@pytest.mark.parametrize(
    ("topic", "judged"),
    [
        pytest.param(
            "dpp4",
            {
                "hba1c": ("true", (WELL,)),
                "insulin-hba1c": ("true", (WELL,)),
                "insulin-hypo": ("open", (CONTESTED,)),
                "hf-saxagliptin": ("open", (CONTESTED,)),
                "pancreatitis": ("open", (CONTESTED,)),
                "bullous-pemphigoid": ("true", (WELL, SUPPORTED)),
                "mortality": ("true", (WELL, SUPPORTED)),
            },
            id="dpp4",
        ),
        pytest.param(
            "alp2",
            {
                "efficiency": ("open", (SUPPORTED, CONTESTED)),
                "misalign": ("true", (WELL, SUPPORTED)),
                "interop": ("false", (CONTESTED, LIKELY_FALSE)),
                "auth-bypass": ("true", (WELL, SUPPORTED)),
                "battery": ("open", (CONTESTED,)),
                "fod": ("open", (CONTESTED, LIKELY_FALSE)),
                "speed": ("false", (LIKELY_FALSE,)),
                "standby": ("open", (SUPPORTED, CONTESTED)),
            },
            id="alp2",
        ),
        pytest.param(
            "kosodate",
            {
                "lunch-household": ("true", (WELL,)),
                "lunch-birth": ("false", (LIKELY_FALSE,)),
                "lunch-score": ("false", (LIKELY_FALSE,)),
                "lunch-waste": ("open", (CONTESTED,)),
                "iju-inflow": ("open", (SUPPORTED, CONTESTED)),
                "iju-boom": ("false", (LIKELY_FALSE,)),
                "iju-leave": ("true", (WELL, SUPPORTED)),
                "iwaikin-fade": ("true", (SUPPORTED,)),
            },
            id="kosodate",
        ),
        pytest.param(
            "sleepband",
            {
                "longer-sleep": ("true", (WELL, SUPPORTED)),
                "skin": ("true", (WELL, SUPPORTED)),
                "app-overstates": ("true", (SUPPORTED,)),
                "errors-halved": ("false", (LIKELY_FALSE, UNVERIFIED)),
                "melatonin": ("false", (LIKELY_FALSE, UNVERIFIED)),
                "cost-millions": ("false", (LIKELY_FALSE,)),
                "compulsory": ("false", (LIKELY_FALSE,)),
                "absence": ("open", (CONTESTED,)),
            },
            id="sleepband",
        ),
        pytest.param(
            "kosui",
            {
                "smell-half": ("true", (WELL,)),
                "shijimi-up": ("true", (WELL, SUPPORTED)),
                "compost-saving": ("true", (SUPPORTED,)),
                "clarity-up": ("open", (CONTESTED,)),
                "bloom-sixty": ("false", (LIKELY_FALSE, UNVERIFIED)),
                "compost-double": ("false", (UNVERIFIED,)),
                "wakasagi-double": ("false", (LIKELY_FALSE,)),
                "cost-billion": ("false", (LIKELY_FALSE,)),
            },
            id="kosui",
        ),
        pytest.param(
            "lowzone",
            {
                "no2-down": ("true", (WELL, SUPPORTED)),
                "bus-faster": ("true", (WELL, SUPPORTED)),
                "van-grants": ("true", (SUPPORTED,)),
                "asthma-down": ("open", (CONTESTED,)),
                "trade-lost": ("open", (CONTESTED,)),
                "lungs-gain": ("false", (LIKELY_FALSE, UNVERIFIED)),
                "income-38m": ("false", (LIKELY_FALSE,)),
                "ecoplug-exempt": ("false", (LIKELY_FALSE,)),
            },
            id="lowzone",
        ),
        pytest.param(
            "misakino",
            {
                "riders-up": ("true", (WELL, SUPPORTED)),
                "chikoku-half": ("true", (WELL, SUPPORTED)),
                "makuragi-saving": ("true", (SUPPORTED,)),
                "jinko-kanwa": ("open", (CONTESTED,)),
                "co2-sanwari": ("false", (LIKELY_FALSE, UNVERIFIED)),
                "akaji-25oku": ("false", (LIKELY_FALSE,)),
                "haishi-kettei": ("false", (LIKELY_FALSE,)),
                "chika-sanbai": ("false", (LIKELY_FALSE,)),
            },
            id="misakino",
        ),
        pytest.param(
            "harigase",
            {
                "hanso-hangen": ("true", (WELL, SUPPORTED)),
                "mrsa-yonwari": ("true", (WELL, SUPPORTED)),
                "keisho-sanwari": ("true", (SUPPORTED,)),
                "uv-rokuwari": ("false", (LIKELY_FALSE,)),
                "shibo-18": ("false", (LIKELY_FALSE,)),
                "baikyaku": ("false", (LIKELY_FALSE,)),
                "kayu-mikka": ("false", (UNVERIFIED,)),
                "rishoku-zo": ("open", (CONTESTED,)),
            },
            id="harigase",
        ),
        pytest.param(
            "quillmere",
            {
                "entry-supplier": ("true", (WELL, SUPPORTED)),
                "late-notice": ("true", (WELL, SUPPORTED)),
                "practices-left": ("true", (SUPPORTED,)),
                "fraud-more": ("open", (CONTESTED,)),
                "visits-fewer": ("false", (LIKELY_FALSE,)),
                "ransom-paid": ("false", (LIKELY_FALSE,)),
                "payout-750": ("false", (LIKELY_FALSE,)),
                "schoolboy": ("false", (UNVERIFIED,)),
            },
            id="quillmere",
        ),
        pytest.param(
            "saltmarsh",
            {
                "floods-fewer": ("true", (WELL, SUPPORTED)),
                "cost-over": ("true", (WELL, SUPPORTED)),
                "waders-double": ("true", (SUPPORTED,)),
                "insurance-cheaper": ("open", (CONTESTED,)),
                "oysters-halved": ("false", (LIKELY_FALSE,)),
                "mosquitoes-more": ("false", (LIKELY_FALSE,)),
                "land-deal": ("false", (LIKELY_FALSE,)),
                "mud-arthritis": ("false", (UNVERIFIED,)),
            },
            id="saltmarsh",
        ),
        pytest.param(
            "tokiwadai",
            {
                "zanshoku-sanwari": ("true", (WELL, SUPPORTED)),
                "kensetsuhi-niwari": ("true", (WELL, SUPPORTED)),
                "gohai-hangen": ("true", (SUPPORTED,)),
                "jimoto-gen": ("open", (CONTESTED,)),
                "choriin-rokuwari": ("false", (LIKELY_FALSE,)),
                "shokuchudoku": ("false", (LIKELY_FALSE,)),
                "tennyu-yonwari": ("false", (LIKELY_FALSE,)),
                "shincho-3cm": ("false", (UNVERIFIED,)),
            },
            id="tokiwadai",
        ),
        pytest.param(
            "orchardlea",
            {
                "marks-better": ("open", (CONTESTED,)),
                "bullying-fewer": ("true", (WELL, SUPPORTED)),
                "attendance-same": ("true", (WELL, SUPPORTED)),
                "cost-over": ("true", (WELL, SUPPORTED)),
                "sleep-longer": ("false", (LIKELY_FALSE,)),
                "pupils-against": ("false", (LIKELY_FALSE,)),
                "scheme-ended": ("false", (LIKELY_FALSE,)),
                "eyesight": ("false", (UNVERIFIED,)),
            },
            id="orchardlea",
        ),
        pytest.param(
            "hinokawa",
            {
                "kyukyu-sanwari": ("true", (WELL, SUPPORTED)),
                "ishi-15": ("true", (SUPPORTED,)),
                "shomei-yonbun": ("true", (WELL, SUPPORTED)),
                "machi-hangen": ("false", (LIKELY_FALSE,)),
                "koji-nibai": ("false", (LIKELY_FALSE,)),
                "bunben-chushi": ("false", (LIKELY_FALSE,)),
                "iju-sanbai": ("false", (UNVERIFIED,)),
                "akaji-gen": ("open", (CONTESTED,)),
            },
            id="hinokawa",
        ),
        pytest.param(
            "pellingmoor",
            {
                "electricity-less": ("true", (WELL, SUPPORTED)),
                "sky-darker": ("true", (WELL, SUPPORTED)),
                "feel-unsafe": ("true", (WELL, SUPPORTED)),
                "moths-more": ("open", (CONTESTED,)),
                "burglary-up": ("false", (LIKELY_FALSE,)),
                "road-injuries": ("false", (LIKELY_FALSE,)),
                "no-tender": ("false", (LIKELY_FALSE,)),
                "house-prices": ("false", (LIKELY_FALSE,)),
            },
            id="pellingmoor",
        ),
        pytest.param(
            "kashiro",
            {
                "higai-hanbun": ("true", (WELL, SUPPORTED)),
                "ryoyu-nibai": ("true", (WELL, SUPPORTED)),
                "futan-nashi": ("true", (WELL, SUPPORTED)),
                "onpa-kyuwari": ("false", (LIKELY_FALSE,)),
                "shototsu-sanbai": ("false", (LIKELY_FALSE,)),
                "jiniku-heisa": ("false", (LIKELY_FALSE,)),
                "nochi-nibai": ("false", (LIKELY_FALSE,)),
                "sanrin-zo": ("open", (CONTESTED,)),
            },
            id="kashiro",
        ),
    ],
)
def test_every_hypothesis_is_judged(topic: str, judged: dict[str, tuple[str, tuple[str, ...]]]) -> None:
    """Each hypothesis of a topic says whether it is true and which verdicts fit it."""
    truth = load_truth(topic)

    hypotheses = [truth.claim(name) for name in truth.hypotheses]

    assert {claim.id: (claim.truth, claim.acceptable_verdicts) for claim in hypotheses} == judged


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        pytest.param({"id": "c", "truth": True}, "true", id="YAML's true"),
        pytest.param({"id": "c", "truth": False}, "false", id="YAML's false"),
        pytest.param({"id": "c", "truth": "true"}, "true", id="a quoted true"),
        pytest.param({"id": "c", "truth": "open"}, "open", id="open"),
        pytest.param({"id": "c"}, None, id="not said"),
    ],
)
def test_a_truth_value_is_a_word(claim: dict[str, Any], value: str | None) -> None:
    """Unquoted booleans of YAML mean the same as the words."""
    assert read_truth_value(claim) == value


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param("maybe", "'maybe'", id="another word"),
        pytest.param(1, "1", id="a number"),
        pytest.param(None, "None", id="nothing"),
    ],
)
def test_another_truth_value_is_refused(given: object, said: str) -> None:
    """A claim is true, false or open."""
    with pytest.raises(WorldError) as caught:
        read_truth_value({"id": "tea", "truth": given})

    assert str(caught.value) == f"truth.yaml: claim tea: truth {said} is none of true, false, open"


@pytest.mark.parametrize(
    ("claim", "verdicts"),
    [
        pytest.param(
            {"id": "c", "acceptable_verdicts": ["unverified", "well_supported"]},
            ("well_supported", "unverified"),
            id="strongest first",
        ),
        pytest.param({"id": "c"}, (), id="not said"),
    ],
)
def test_verdicts_have_an_order(claim: dict[str, Any], verdicts: tuple[str, ...]) -> None:
    """However they are written, the strongest comes first."""
    assert read_verdicts(claim) == verdicts


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param([], "acceptable_verdicts is no list with a verdict", id="an empty list"),
        pytest.param("contested", "acceptable_verdicts is no list with a verdict", id="a bare word"),
        pytest.param(
            ["contested", "proven", "refuted"],
            "verdict proven, refuted is none of well_supported, supported, contested, likely_false, unverified",
            id="unknown verdicts",
        ),
    ],
)
def test_other_verdicts_are_refused(given: object, message: str) -> None:
    """Acceptable are some of the five verdicts, and at least one."""
    with pytest.raises(WorldError) as caught:
        read_verdicts({"id": "tea", "acceptable_verdicts": given})

    assert str(caught.value) == f"truth.yaml: claim tea: {message}"
