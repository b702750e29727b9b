"""The calibration on the readers' cards."""

import math
from typing import Any

import pytest

from lyra.calibration.bundled import BundledCalibration, CalibratedAnswer, logistic
from lyra.errors import CalibrationError
from lyra.model.edge import ReaderAnswer

CARD = {
    "method": "two_answers",
    "en": {"bears": {"scale": 0.5, "bias": -1.0}, "side": {"scale": 2.0, "bias": 0.0}},
    "ja": {"bears": {"scale": 1.0, "bias": 0.5}, "side": {"scale": 0.25, "bias": 1}},
}
LARGE = {"en": {"bears": {"scale": 1.0, "bias": 0.0}, "side": {"scale": 3.0, "bias": 0.0}}}
LINE = {"scale": 1.0, "bias": 0.0}


def answer(bears: float = 4.0, side: float = -2.0, reader: str = "small") -> ReaderAnswer:
    return ReaderAnswer(bears, side, reader, f"{reader}@1")


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


@pytest.mark.parametrize(
    ("language", "bears", "side"),
    [
        pytest.param("en", _logistic(0.5 * 4 - 1), _logistic(2 * -2), id="English"),
        pytest.param("ja", _logistic(4 + 0.5), _logistic(0.25 * -2 + 1), id="Japanese"),
        pytest.param("de", _logistic(0.5 * 4 - 1), _logistic(2 * -2), id="unknown language, as English"),
    ],
)
def test_each_language_has_its_own_scaling(language: str, bears: float, side: float) -> None:
    """A chance is the logistic function of scale · logit + bias, for each of the two answers."""
    found = BundledCalibration({"small": CARD}).chances([answer()], [language])

    assert found == [CalibratedAnswer(pytest.approx(bears), pytest.approx(side))]


def test_chances_by_hand() -> None:
    """0.5 · 4 - 1 = 1 and 2 · -2 = -4."""
    (found,) = BundledCalibration({"small": CARD}).chances([answer()], ["en"])

    assert (round(found.bears, 6), round(found.side, 6)) == (0.731059, 0.017986)


def test_two_chances_are_three_probabilities() -> None:
    """For it, against it, or not about it at all."""
    assert CalibratedAnswer(0.5, 0.75).probabilities == (0.375, 0.125, 0.5)


def test_each_reader_has_its_own_scaling() -> None:
    """What the large reader says means something else than the same number of the small one."""
    calibrator = BundledCalibration({"small": CARD, "large": LARGE})

    found = calibrator.chances([answer(), answer(reader="large")], ["en", "en"])

    assert found == [
        CalibratedAnswer(pytest.approx(_logistic(1)), pytest.approx(_logistic(-4))),
        CalibratedAnswer(pytest.approx(_logistic(4)), pytest.approx(_logistic(-6))),
    ]


def test_languages_may_be_mixed_in_a_batch() -> None:
    """Each answer goes by its own language, in order."""
    found = BundledCalibration({"small": CARD}).chances([answer()] * 3, ["ja", "en", "ja"])

    japanese = CalibratedAnswer(pytest.approx(_logistic(4.5)), pytest.approx(_logistic(0.5)))
    assert found == [japanese, CalibratedAnswer(pytest.approx(_logistic(1)), pytest.approx(_logistic(-4))), japanese]


@pytest.mark.parametrize(
    ("by_reader", "language"),
    [
        pytest.param({"small": {"method": "two_answers", "ja": CARD["ja"]}}, "en", id="neither language nor English"),
        pytest.param({"large": LARGE}, "en", id="another reader's card"),
        pytest.param({"small": {}}, "ja", id="empty card"),
        pytest.param({}, "ja", id="no card"),
    ],
)
def test_without_a_scaling_the_reader_s_own_chances_stand(by_reader: dict[str, Any], language: str) -> None:
    """No scaling is the plain logistic function, never another reader's scaling."""
    found = BundledCalibration(by_reader).chances([answer()], [language])

    assert found == [CalibratedAnswer(pytest.approx(_logistic(4)), pytest.approx(_logistic(-2)))]


def test_cards_without_calibration_are_told_apart_by_their_weights() -> None:
    """What users correct is learned for the weights that were corrected, calibrated or not."""
    versions = [BundledCalibration({"small": {}}, [name]).version for name in ("small@1", "small@1", "small@2")]

    assert (versions[0] == versions[1], versions[0] == versions[2]) == (True, False)


@pytest.mark.parametrize(
    ("logit", "chance"),
    [
        pytest.param(0.0, 0.5, id="even"),
        pytest.param(math.log(3), 0.75, id="three to one"),
        pytest.param(-math.log(3), 0.25, id="one to three"),
        pytest.param(1e6, 1.0, id="huge"),
        pytest.param(-1e6, 0.0, id="hugely negative"),
    ],
)
def test_a_logit_of_any_size_is_a_chance(logit: float, chance: float) -> None:
    """Neither end overflows."""
    assert logistic(logit) == pytest.approx(chance)


def test_the_same_parameters_and_weights_are_the_same_version() -> None:
    """In whatever order the card, the readers and the weights are listed."""
    one = BundledCalibration({"small": CARD, "large": LARGE}, ["small@1", "large@1"]).version
    reordered = dict(reversed(CARD.items()))

    other = BundledCalibration({"large": LARGE, "small": reordered}, ["large@1", "small@1"]).version

    assert (one, one[:12], len(one)) == (other, "two_answers-", 20)


@pytest.mark.parametrize(
    ("by_reader", "model_ids"),
    [
        pytest.param({"small": CARD | {"ja": CARD["en"]}}, ["small@1"], id="another parameter"),
        pytest.param({"small": CARD | {"version": 2}}, ["small@1"], id="another version on the card"),
        pytest.param({"large": CARD}, ["small@1"], id="another reader's scaling"),
        pytest.param({"small": CARD, "large": LARGE}, ["small@1"], id="a reader more"),
        pytest.param({"small": CARD}, ["small@2"], id="other weights"),
        pytest.param({"small": CARD}, ["large@1", "small@1"], id="more weights"),
        pytest.param({"small": CARD}, [], id="no weights"),
    ],
)
def test_other_parameters_or_weights_are_another_version(by_reader: dict[str, Any], model_ids: list[str]) -> None:
    """Because edges store which one shaped them, and corrections are learned on top of it."""
    known = BundledCalibration({"small": CARD}, ["small@1"]).version

    assert BundledCalibration(by_reader, model_ids).version != known


def test_nothing_judged_nothing_calibrated() -> None:
    """An empty batch is an empty list."""
    assert BundledCalibration({"small": CARD}).chances([], []) == []


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        pytest.param({}, "it must hold a scaling for each of bears and side", id="empty"),
        pytest.param({"bears": LINE}, "it must hold a scaling for each of bears and side", id="one answer alone"),
        pytest.param(
            {"bears": LINE, "side": LINE, "neutral": LINE},
            "it must hold a scaling for each of bears and side",
            id="a third answer",
        ),
        pytest.param({"temperature": 2.0}, "it must hold a scaling for each of bears and side", id="another method"),
        pytest.param("1,1", "it must hold a scaling for each of bears and side", id="text"),
        pytest.param({"bears": LINE, "side": 1.0}, "side must hold the numbers scale and bias", id="a number"),
        pytest.param(
            {"bears": {"scale": 1.0}, "side": LINE}, "bears must hold the numbers scale and bias", id="no bias"
        ),
        pytest.param(
            {"bears": LINE, "side": LINE | {"slope": 1.0}},
            "side must hold the numbers scale and bias",
            id="a parameter more",
        ),
        pytest.param(
            {"bears": LINE | {"bias": float("nan")}, "side": LINE},
            "bears must hold the numbers scale and bias",
            id="bias no number",
        ),
        pytest.param(
            {"bears": LINE, "side": LINE | {"scale": float("inf")}},
            "side must hold the numbers scale and bias",
            id="endless",
        ),
        pytest.param(
            {"bears": LINE | {"scale": "1"}, "side": LINE},
            "bears must hold the numbers scale and bias",
            id="text for a number",
        ),
        pytest.param(
            {"bears": LINE | {"scale": True}, "side": LINE},
            "bears must hold the numbers scale and bias",
            id="truth for a number",
        ),
        pytest.param({"bears": LINE | {"scale": 0}, "side": LINE}, "the scale of bears must be above 0", id="scale 0"),
        pytest.param(
            {"bears": LINE, "side": LINE | {"scale": -1.0}}, "the scale of side must be above 0", id="turned around"
        ),
    ],
)
def test_unfit_card_is_refused(values: object, reason: str) -> None:
    """A card that cannot be read is an error, never a silent return to uncalibrated."""
    with pytest.raises(CalibrationError) as caught:
        BundledCalibration({"small": {"method": "two_answers", "ja": values}})

    assert caught.value.message == f"The model card's calibration for 'ja' is unfit: {reason}."
    assert caught.value.remedy == "Reinstall lyra-mcp, or correct the card of the weights in models.directory."


def test_languages_must_match_the_answers() -> None:
    """One language for each answer."""
    with pytest.raises(CalibrationError) as caught:
        BundledCalibration({"small": CARD}).chances([answer()], ["en", "ja"])

    assert caught.value.message == "Calibration needs one language for each answer."


def test_the_strong_readers_answer_is_averaged_with_the_large_ones() -> None:
    """Seven tenths of its probabilities and three of the earlier ones: .7 · (.5, .25, .25) + .3 · (.1, .4, .5)."""
    logit = {"bears": {"scale": 1.0, "bias": 0.0}, "side": {"scale": 1.0, "bias": 0.0}}
    large = answer(0.0, math.log(0.1 / 0.4), "large")
    strong = ReaderAnswer(math.log(3), math.log(2), "strong", "strong@1", large)

    (found,) = BundledCalibration({"large": {"en": logit}, "strong": {"en": logit}}).chances([strong], ["en"])

    assert found.probabilities == pytest.approx((0.38, 0.295, 0.325))


def test_two_answers_that_are_surely_silent_are_averaged() -> None:
    """No side is likelier where no text can bear."""
    strong = ReaderAnswer(-900.0, 5.0, "strong", "strong@1", answer(-900.0, 5.0, "large"))

    (found,) = BundledCalibration({}).chances([strong], ["en"])

    assert found == CalibratedAnswer(0.0, 0.5)


def averaged(**values: object) -> dict[str, dict[str, object]]:
    """Cards of a large and a strong reader, of whose averaged answer these values tell."""
    plain = {"bears": {"scale": 1.0, "bias": 0.0}, "side": {"scale": 1.0, "bias": 0.0}}
    return {"large": {"en": plain}, "strong": {"en": plain, "averaged": values}}


def test_the_card_says_how_much_of_the_earlier_answer_counts() -> None:
    """A half of each: .5 · (.5, .25, .25) + .5 · (.1, .4, .5)."""
    large = answer(0.0, math.log(0.1 / 0.4), "large")
    strong = ReaderAnswer(math.log(3), math.log(2), "strong", "strong@1", large)

    (found,) = BundledCalibration(averaged(earlier_share=0.5)).chances([strong], ["en"])

    assert found.probabilities == pytest.approx((0.3, 0.325, 0.375))


def test_an_average_is_scaled_as_the_card_says() -> None:
    """Both say .8 and .9: logits ln 4 and ln 9; doubled, and 1 more for the side."""
    two = {"bears": {"scale": 2.0, "bias": 0.0}, "side": {"scale": 1.0, "bias": 1.0}}
    large = answer(math.log(4), math.log(9), "large")
    strong = ReaderAnswer(math.log(4), math.log(9), "strong", "strong@1", large)

    (found,) = BundledCalibration(averaged(en=two)).chances([strong], ["ja"])

    assert found == CalibratedAnswer(pytest.approx(16 / 17), pytest.approx(9 * math.e / (1 + 9 * math.e)))


def test_an_answer_without_an_earlier_one_is_not_scaled_as_an_average() -> None:
    """Where the large reader is missing the strong one's own scaling holds."""
    two = {"bears": {"scale": 2.0, "bias": 0.0}, "side": {"scale": 1.0, "bias": 1.0}}
    strong = ReaderAnswer(math.log(4), math.log(9), "strong", "strong@1")

    (found,) = BundledCalibration(averaged(en=two)).chances([strong], ["en"])

    assert found == CalibratedAnswer(pytest.approx(0.8), pytest.approx(0.9))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("half", "it must hold a share and scalings by language"),
        ({"earlier_share": 1.5}, "earlier_share must lie between 0 and 1"),
        ({"earlier_share": "much"}, "earlier_share must lie between 0 and 1"),
    ],
    ids=["no-mapping", "too-much", "no-number"],
)
def test_an_unfit_averaging_is_refused(values: object, reason: str) -> None:
    """It is named as what it is on the card."""
    with pytest.raises(CalibrationError) as caught:
        BundledCalibration({"strong": {"averaged": values}})

    assert caught.value.message == f"The model card's calibration for 'averaged' is unfit: {reason}."
