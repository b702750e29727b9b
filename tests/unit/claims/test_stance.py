"""Stance: what is asked of the model, and what is made of its answer."""

import math
from collections.abc import Sequence
from dataclasses import astuple

import numpy as np
import pytest

from lyra.calibration.bundled import CalibratedAnswer, logistic
from lyra.claims.stance import StanceJudge, decide
from lyra.claims.windows import Setting
from lyra.model.edge import JudgedPart, JudgedText, PartRole, ReaderAnswer, Relation, Stance

CLAIM = "Once a day saxagliptin is taken."
KEY = "Saxagliptin is taken once a day with water."
FIRST, LAST = "The trial enrolled 16,492 patients.", "Most were older than 60 years."
LONG = f"{FIRST} {KEY} {LAST}"
NOTHING = (0.1, 0.1, 0.8)


class Scripted:
    """Readers that answer each text with the probabilities they were told, and remember what they were asked."""

    def __init__(self, answers: dict[str, tuple[float, float, float]]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, str]] = []
        self.default: tuple[float, float, float] | None = None
        self.sure: tuple[str, tuple[float, float, float]] | None = None

    async def read(self, pairs: Sequence[tuple[str, str]], weighty: Sequence[bool] | None = None) -> list[ReaderAnswer]:
        self.asked += pairs
        return [two_logits(*self._answer(text)) for text, _ in pairs]

    def _answer(self, text: str) -> tuple[float, float, float]:
        if self.sure and self.sure[0] in text:
            return self.sure[1]
        return self._answers[text] if self.default is None else self.default


def two_logits(supports: float, refutes: float, neutral: float) -> ReaderAnswer:
    return ReaderAnswer(math.log((1 - neutral) / neutral), math.log(supports / refutes), "large", "scripted@1")


class Halving:
    """A calibrator by which a Japanese text bears on a claim half as likely."""

    version = "halving-1"

    def chances(self, answers: Sequence[ReaderAnswer], languages: Sequence[str]) -> list[CalibratedAnswer]:
        return [
            CalibratedAnswer(logistic(answer.bears) * (0.5 if language == "ja" else 1.0), logistic(answer.side))
            for answer, language in zip(answers, languages, strict=True)
        ]


THRESHOLDS = {"large": {"supports": 0.5, "refutes": 0.6}}


def judge(answers: dict[str, tuple[float, float, float]]) -> tuple[StanceJudge, Scripted]:
    readers = Scripted(answers)
    return StanceJudge(readers, Halving(), THRESHOLDS), readers


def rounded(stance: Stance) -> tuple[Relation, float, float, tuple[float, ...]]:
    chances = tuple(round(one, 3) for one in stance.probabilities)
    return stance.label, round(stance.confidence, 3), round(stance.raw_confidence, 3), chances


async def test_a_single_sentence_is_judged_as_it_stands() -> None:
    """Label, calibrated and raw probability of that label, model and calibration are kept."""
    judging, readers = judge({KEY: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(KEY, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.8, 0.8, (0.8, 0.1, 0.1))
    assert (found.model_id, found.calibration_version, found.quote_span) == ("scripted@1", "halving-1", (0, len(KEY)))
    assert readers.asked == [(KEY, CLAIM)]


def place(sentence: str, text: str = LONG) -> tuple[int, int]:
    return text.index(sentence), text.index(sentence) + len(sentence)


async def test_several_sentences_are_read_whole_and_the_one_that_decides_is_the_quote() -> None:
    """What stands around a sentence may turn it, so the model sees it; then each is read alone, and the one that takes
    the same side most surely is shown, though another shares more words with the claim."""
    judging, readers = judge({LONG: (0.7, 0.05, 0.25), FIRST: (0.6, 0.1, 0.3), KEY: NOTHING, LAST: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(LONG, CLAIM)])

    assert rounded(found) == (Relation.SUPPORTS, 0.7, 0.7, (0.7, 0.05, 0.25))
    assert readers.asked == [(LONG, CLAIM), (FIRST, CLAIM), (KEY, CLAIM), (LAST, CLAIM)]
    assert found.quote_span == place(LAST)
    first, last = place(FIRST), place(LAST)
    assert found.judged_text == JudgedText(
        LONG,
        (
            JudgedPart(PartRole.CONTEXT, first[0], last[0] - 1, first[0], last[0] - 1),
            JudgedPart(PartRole.DECIDING, *last, *last),
        ),
    )


async def test_sentences_that_decide_only_together_are_all_the_quote() -> None:
    """No sentence alone takes the side of the whole: one takes the other, the rest none."""
    judging, _ = judge({LONG: (0.7, 0.05, 0.25), FIRST: NOTHING, KEY: (0.05, 0.9, 0.05), LAST: NOTHING})

    (found,) = await judging.judge([(LONG, CLAIM)])

    assert (found.label, found.quote_span) == (Relation.SUPPORTS, (0, len(LONG)))
    assert found.judged_text == JudgedText(LONG, (JudgedPart(PartRole.DECIDING, 0, len(LONG), 0, len(LONG)),))


async def test_what_takes_no_side_is_shown_by_its_most_relevant_sentence() -> None:
    """Nothing decided, so no sentence is read alone."""
    judging, readers = judge({LONG: NOTHING})

    (found,) = await judging.judge([(LONG, CLAIM)])

    assert (found.label, found.quote_span, readers.asked) == (Relation.NEUTRAL, place(KEY), [(LONG, CLAIM)])


async def test_a_sentence_that_holds_a_supported_claim_needs_no_second_reading() -> None:
    """Every claim that was found meets the sentence it was taken from."""
    judging, readers = judge({LONG: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(LONG, "Saxagliptin is taken once a day")])

    assert (found.quote_span, len(readers.asked)) == (place(KEY), 1)


async def test_a_sentence_that_holds_a_refuted_claim_is_not_what_decided() -> None:
    """ "They say that X. That is false.": the denial is the quote."""
    told, denied = "The maker says that Saxagliptin is taken once a day.", "That is false."
    whole = f"{told} {denied}"
    judging, _ = judge(
        {whole: (0.05, 0.9, 0.05), told: (0.9, 0.05, 0.05), f"{told} {denied}": (0.05, 0.9, 0.05), denied: NOTHING}
    )

    (found,) = await judging.judge([(whole, "Saxagliptin is taken once a day")])

    assert (found.label, found.quote_span) == (Relation.REFUTES, place(denied, whole))


async def test_title_and_heading_are_read_first_and_are_no_part_of_the_quote() -> None:
    """The model is told what the page is about; both stand in the judged text with their role."""
    text = f"Gliptins. Dosing. {KEY}"
    judging, readers = judge({text: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(KEY, CLAIM)], [Setting("Gliptins", "Dosing")])

    assert (readers.asked, found.quote_span) == ([(text, CLAIM)], (0, len(KEY)))
    assert found.judged_text == JudgedText(
        text,
        (
            JudgedPart(PartRole.TITLE, 0, 8),
            JudgedPart(PartRole.HEADING, 10, 16),
            JudgedPart(PartRole.DECIDING, 18, 18 + len(KEY), 0, len(KEY)),
        ),
    )


async def test_for_a_pair_of_little_weight_the_most_relevant_sentence_is_read_alone() -> None:
    """Where it does not take the side by itself, all sentences of the window are the quote."""
    sure, unsure = {LONG: (0.7, 0.05, 0.25), KEY: (0.8, 0.1, 0.1)}, {LONG: (0.7, 0.05, 0.25), KEY: NOTHING}

    (decided,), (together,) = [
        await judge(answers)[0].judge([(LONG, CLAIM)], weighty=[False]) for answers in (sure, unsure)
    ]

    assert (decided.quote_span, together.quote_span) == (place(KEY), (0, len(LONG)))


FAR = f"{'Patients were seen every month. ' * 30}{KEY}"


async def test_of_several_windows_the_one_that_takes_a_side_counts() -> None:
    """A long text is read in parts; what the first says nothing of another may decide."""
    claim = "Patients were seen every month."
    judging, readers = judge({})
    readers.default = NOTHING
    readers.sure = ("Saxagliptin", (0.05, 0.9, 0.05))

    (found,) = await judging.judge([(FAR, claim.replace("every", "each"))])

    assert (found.label, FAR[slice(*found.quote_span)]) == (Relation.REFUTES, KEY)


async def test_a_pair_of_little_weight_is_read_in_one_window() -> None:
    """Claims that were found are hundreds; each costs one reading."""
    judging, readers = judge({})
    readers.default = NOTHING

    await judging.judge([(FAR, "Patients were seen each month.")], weighty=[False])

    assert len(readers.asked) == 1


async def test_calibration_is_by_the_language_of_the_claim() -> None:
    """A Japanese pair passes through the Japanese scaling; the raw probability stays the model's."""
    premise, hypothesis = "DPP-4阻害薬は朝に飲む薬である。", "DPP-4阻害薬は朝に服用する。"
    judging, _ = judge({premise: (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(premise, hypothesis)])

    assert rounded(found) == (Relation.NEUTRAL, 0.55, 0.1, (0.4, 0.05, 0.55))


async def test_many_pairs_are_asked_at_once_and_answered_in_order() -> None:
    """One batch for a page: the model's process is not called pair by pair."""
    judging, readers = judge({"A is so.": (0.9, 0.05, 0.05), "B is not so.": (0.05, 0.9, 0.05), KEY: (0.2, 0.2, 0.6)})

    found = await judging.judge([("A is so.", "A holds."), ("B is not so.", "B holds."), (KEY, "C holds.")])

    assert [one.label for one in found] == [Relation.SUPPORTS, Relation.REFUTES, Relation.NEUTRAL]
    assert [hypothesis for _, hypothesis in readers.asked] == ["A holds.", "B holds.", "C holds."]


async def test_who_decided_and_both_answers_are_kept() -> None:
    """The reader's own chances beside the calibrated ones: that the text bears on the claim, and that it is for it."""
    premise, hypothesis = "DPP-4阻害薬は朝に飲む薬である。", "DPP-4阻害薬は朝に服用する。"
    judging, _ = judge({premise: (0.6, 0.2, 0.2)})

    (found,) = await judging.judge([(premise, hypothesis)])

    assert found.reader == "large"
    assert found.answers is not None
    assert astuple(found.answers) == pytest.approx((0.8, 0.75, 0.4, 0.75))
    assert found.raw_probabilities == pytest.approx((0.6, 0.2, 0.2))


async def test_no_pairs_ask_nothing() -> None:
    """A page without candidates costs no call."""
    judging, readers = judge({})

    assert (await judging.judge([]), readers.asked) == ([], [])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param((0.05, 0.9, 0.05), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said to refute"),
        pytest.param(
            (0.1, 0.1, 0.8), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said to be neutral"
        ),
        pytest.param((0.7, 0.1, 0.2), (Relation.SUPPORTS, 0.9, "it repeats the claim's words"), id="said with doubt"),
        pytest.param((0.96, 0.02, 0.02), (Relation.SUPPORTS, 0.96, ""), id="said to support, surely"),
    ],
)
async def test_a_text_that_repeats_the_claim_supports_it(
    said: tuple[float, float, float], expected: tuple[Relation, float, str]
) -> None:
    """A sentence entails itself, whatever the reader makes of it; a surer reader decides alone."""
    judging, _ = judge({LONG: said})

    (found,) = await judging.judge([(LONG, "saxagliptin is taken ONCE a day, with water")])

    assert (found.label, round(found.confidence, 3), found.rule) == expected


async def test_what_a_rule_decides_leaves_the_reader_s_answers() -> None:
    """Probabilities and answers stay what the reader said, so that both can be looked at."""
    judging, _ = judge({KEY: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(KEY, KEY)])

    assert rounded(found) == (Relation.SUPPORTS, 0.9, 0.05, (0.05, 0.9, 0.05))
    assert found.answers is not None
    assert astuple(found.answers) == pytest.approx((0.95, 0.05 / 0.95, 0.95, 0.05 / 0.95))


@pytest.mark.parametrize(
    ("premise", "claim"),
    [
        pytest.param(KEY, CLAIM, id="other words"),
        pytest.param(KEY, "Saxagliptin is taken once a day.", id="a part of the sentence"),
        pytest.param(f"It is false that {KEY}", KEY, id="a sentence about it"),
    ],
)
async def test_the_reader_decides_where_the_claim_is_not_the_sentence(premise: str, claim: str) -> None:
    """What stands around the claim's words may turn them."""
    judging, _ = judge({premise: (0.05, 0.9, 0.05)})

    (found,) = await judging.judge([(premise, claim)])

    assert (found.label, found.rule, rounded(found)[3]) == (Relation.REFUTES, "", (0.05, 0.9, 0.05))


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        pytest.param((0.5, 0.1, 0.4), 0, id="supports from its threshold on"),
        pytest.param((0.49, 0.1, 0.41), 2, id="below it neutral, though supports is likeliest"),
        pytest.param((0.1, 0.6, 0.3), 1, id="refutes from its threshold on"),
        pytest.param((0.1, 0.59, 0.31), 2, id="below it neutral, though refutes is likeliest"),
        pytest.param((0.45, 0.55, 0.0), 2, id="the likelier stance fails: the other does not step in"),
        pytest.param((0.1, 0.1, 0.8), 2, id="neutral"),
    ],
)
def test_labels_follow_the_shipped_thresholds(probabilities: tuple[float, float, float], expected: int) -> None:
    """A refutation is dearer than a support: it may reject a claim."""
    assert decide(np.array(probabilities), (0.5, 0.6)) == expected


async def test_readers_get_figures_in_one_notation() -> None:
    """The text's sum is read as the claim writes it; what is kept and shown are the text's own words."""
    text, claim = "補助金は5万1270円だった。", "令和5年度の補助金は51,270円だった。"
    judging, readers = judge({"補助金は51,270円だった。": (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(text, claim)])

    assert readers.asked == [("補助金は51,270円だった。", "2023年度の補助金は51,270円だった。")]
    assert found.judged_text.text == text


async def test_multiple_is_read_as_a_rise_and_kept_as_it_stands() -> None:
    """The reader gets the claim's words for it; what is kept is the text's own, which is read so again."""
    text, claim = "受け入れは見込みの1.29倍だった。", "受け入れは約3割増えた。"
    judging, readers = judge({"受け入れは見込みより約3割多い水準だった。": (0.8, 0.1, 0.1)})

    (found,) = await judging.judge([(text, claim)])
    (again,) = await judging.judge([(found.judged_text.text, claim)])

    assert readers.asked == [("受け入れは見込みより約3割多い水準だった。", claim)] * 2
    assert (found.judged_text.text, again) == (text, found)


async def test_sentence_on_another_subject_takes_no_side() -> None:
    """What is said of another drug is neutral, whatever the reader said, and the edge keeps what it said and why."""
    text = "Linagliptin did not prolong life."
    judging, _ = judge({text: (0.1, 0.8, 0.1)})

    (found,) = await judging.judge([(text, "Sitagliptin prolongs life.")])

    assert (found.label, found.confidence, found.rule) == (Relation.NEUTRAL, 0.9, "it speaks of another subject")
    assert found.raw_probabilities == pytest.approx((0.1, 0.8, 0.1), abs=1e-6)


async def test_a_question_says_nothing() -> None:
    """ "Is it taken once a day?" neither says that it is nor that it is not."""
    asked = "Is saxagliptin taken once a day?"
    judging, _ = judge({asked: (0.8, 0.1, 0.1)})

    (stance,) = await judging.judge([(asked, CLAIM)])

    assert (stance.label, stance.confidence, stance.rule) == (Relation.NEUTRAL, 0.9, "it asks and does not say")


async def test_what_satire_says_is_no_stance() -> None:
    """Not even the claim's own words count on a page that says of itself that it is satire."""
    judging, _ = judge({CLAIM: (0.8, 0.1, 0.1)})

    (stance,) = await judging.judge([(CLAIM, CLAIM)], [Setting(is_satire=True)])

    assert (stance.label, stance.confidence, stance.rule) == (Relation.NEUTRAL, 0.9, "its page calls itself satire")


async def test_a_page_of_another_place_says_nothing() -> None:
    """The rule asks the whole page; the reader was given the passage alone."""
    text, claim = "Buses in Oxcastle are no faster.", "Buses in Pellmouth are faster."
    judging, readers = judge({text: (0.1, 0.8, 0.1)})

    (stance,) = await judging.judge([(text, claim)], [Setting(page="Oxcastle\nhttps://oxcastle.example/\n" + text)])

    assert (stance.label, stance.rule) == (Relation.NEUTRAL, "it speaks of another subject")
    assert readers.asked == [(text, claim)]
