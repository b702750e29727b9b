"""Readers by size: who is asked, who decides, and who goes on where one fails."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from lyra.errors import ModelError
from lyra.ml.cascade import Cascade, pair_language
from lyra.model.edge import ReaderAnswer

Pair = tuple[str, str]
SILENT: Pair = ("The festival drew more visitors.", "Saxagliptin raises admissions.")
OPEN: Pair = ("Admissions rose under saxagliptin.", "Saxagliptin raises admissions.")
CLEAR: Pair = ("Saxagliptin raised admissions by 27 %.", "Saxagliptin raises admissions.")
JAPANESE: Pair = ("サキサグリプチンで入院が増えた。", "サキサグリプチンは入院を増やす。")
HALF = {"en": 0.5, "ja": 0.5}  # a logit of 0
SMALL = {SILENT: (-3.0, 0.5), OPEN: (0.0, -1.0), CLEAR: (4.0, 2.0), JAPANESE: (1.5, 3.0)}
STRONG = {SILENT: (-9.0, 0.0), OPEN: (8.0, -8.0), CLEAR: (9.0, 9.0), JAPANESE: (7.0, -7.0)}
LARGE = {SILENT: (-5.0, 0.0), OPEN: (2.5, 6.0), CLEAR: (7.0, 8.0), JAPANESE: (9.0, 9.5)}


class Scripted:
    """A reader that answers each pair as it was told, and remembers what it was asked; with `failing` it fails."""

    def __init__(self, name: str, says: Mapping[Pair, tuple[float, float]], failing: str = "") -> None:
        self.name = name
        self.model_id = f"{name}@1"
        self.failing = failing
        self.asked: list[list[Pair]] = []
        self._says = says

    async def answers(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        self.asked.append(list(pairs))
        if self.failing:
            raise ModelError(self.failing)
        return np.array([self._says[pair] for pair in pairs], np.float32).reshape(len(pairs), 2)


def reading_small(failing: str = "") -> Scripted:
    return Scripted("small", SMALL, failing)


def reading_large(failing: str = "") -> Scripted:
    return Scripted("large", LARGE, failing)


def reading_strong(failing: str = "") -> Scripted:
    return Scripted("strong", STRONG, failing)


def by_small(pair: Pair) -> ReaderAnswer:
    return ReaderAnswer(*SMALL[pair], "small", "small@1")


def by_large(pair: Pair) -> ReaderAnswer:
    return ReaderAnswer(*LARGE[pair], "large", "large@1")


def by_strong(pair: Pair, earlier: ReaderAnswer | None = None) -> ReaderAnswer:
    return ReaderAnswer(*STRONG[pair], "strong", "strong@1", earlier)


@pytest.mark.parametrize(
    ("text", "claim", "language"),
    [
        pytest.param("It rained.", "It was wet.", "en", id="both English"),
        pytest.param("雨が降った。", "道は濡れていた。", "ja", id="both Japanese"),
        pytest.param("雨が降った。", "It was wet.", "ja", id="Japanese text"),
        pytest.param("It rained.", "道は濡れていた。", "ja", id="Japanese claim"),
        pytest.param(
            "Saxagliptin (サキサグリプチン) is a drug for diabetes.", "It is a drug.", "en", id="one word of it"
        ),
        pytest.param("降水量の増加", "It rained.", "ja", id="one kana among Han"),
        pytest.param("降雨観測", "It rained.", "ja", id="Han alone"),
        pytest.param("", "", "en", id="nothing"),
    ],
)
def test_a_pair_s_language_is_japanese_where_either_side_is(text: str, claim: str, language: str) -> None:
    """Each language has its threshold; what is not Japanese goes by that of English."""
    assert pair_language(text, claim) == language


async def test_a_surely_neutral_pair_stays_with_the_small_reader() -> None:
    """Below the threshold the large one is not even asked."""
    large = reading_large()

    found = await Cascade(reading_small(), large, HALF).read([SILENT])

    assert (found, large.asked) == ([by_small(SILENT)], [])


@pytest.mark.parametrize("pair", [pytest.param(OPEN, id="at the threshold"), pytest.param(CLEAR, id="above it")])
async def test_a_pair_from_the_threshold_on_is_decided_by_the_large_reader(pair: Pair) -> None:
    """Its answer replaces the small one's, whatever that was."""
    large = reading_large()

    found = await Cascade(reading_small(), large, HALF).read([pair])

    assert (found, large.asked) == ([by_large(pair)], [[pair]])


@pytest.mark.parametrize(
    ("asks_from", "asked"),
    [
        pytest.param({"en": 1 / (1 + math.exp(-3.9))}, [[CLEAR]], id="just below a logit"),
        pytest.param({"en": 1 / (1 + math.exp(-4.1))}, [], id="just above it"),
        pytest.param({"en": 0}, [[SILENT, CLEAR]], id="always"),
        pytest.param({"en": 1}, [], id="never"),
        pytest.param({}, [[SILENT, CLEAR]], id="no threshold: always"),
        pytest.param({"ja": 0.99}, [[SILENT, CLEAR]], id="another language's threshold"),
    ],
)
async def test_the_threshold_is_a_raw_chance_of_its_language(
    asks_from: Mapping[str, float], asked: list[list[Pair]]
) -> None:
    """The card states a chance; the logits are compared with its log-odds."""
    large = reading_large()

    await Cascade(reading_small(), large, asks_from).read([SILENT, CLEAR])

    assert large.asked == asked


async def test_without_a_large_reader_the_small_one_judges_alone() -> None:
    """However likely a text bears on the claim, and whatever its language."""
    cascade = Cascade(reading_small(), None, HALF)

    found = await cascade.read([CLEAR, JAPANESE])

    assert found == [by_small(CLEAR), by_small(JAPANESE)]
    assert (cascade.model_ids, cascade.troubles()) == ({"small": "small@1"}, ())


async def test_one_large_reader_decides_pairs_of_both_languages() -> None:
    """It is asked once for all of them."""
    large = reading_large()

    found = await Cascade(reading_small(), large, HALF).read([JAPANESE, CLEAR])

    assert (found, large.asked) == ([by_large(JAPANESE), by_large(CLEAR)], [[JAPANESE, CLEAR]])


async def test_a_threshold_holds_for_pairs_of_its_language_alone() -> None:
    """What is too unlikely for one language may be likely enough for the other."""
    large = reading_large()

    await Cascade(reading_small(), large, {"en": 0.5, "ja": 0.99}).read([JAPANESE, CLEAR])

    assert large.asked == [[CLEAR]]


async def test_order_is_kept_in_a_mixed_batch() -> None:
    """Each reader is asked once for all of its pairs, and every answer lies where its pair lay."""
    first, large = reading_small(), reading_large()
    pairs = [CLEAR, JAPANESE, SILENT, OPEN, SILENT, CLEAR]

    found = await Cascade(first, large, HALF).read(pairs)

    assert found == [
        by_large(CLEAR),
        by_large(JAPANESE),
        by_small(SILENT),
        by_large(OPEN),
        by_small(SILENT),
        by_large(CLEAR),
    ]
    assert (first.asked, large.asked) == ([pairs], [[CLEAR, JAPANESE, OPEN, CLEAR]])


async def test_an_empty_batch_asks_nobody() -> None:
    """A page without candidates starts no model."""
    first, large = reading_small(), reading_large()

    found = await Cascade(first, large, {}).read([])

    assert (found, first.asked, large.asked) == ([], [], [])


async def test_where_the_large_reader_fails_the_small_one_s_answer_stands() -> None:
    """A judgement is worth more than none, and the user is told who is missing and why."""
    cascade = Cascade(reading_small(), reading_large(failing="Its memory is used up."), HALF)

    found = await cascade.read([CLEAR, SILENT])

    assert found == [by_small(CLEAR), by_small(SILENT)]
    assert cascade.troubles() == ("The large reader is out of use: Its memory is used up.",)
    assert cascade.model_ids == {"small": "small@1"}


async def test_readers_at_work_are_named_and_have_no_troubles() -> None:
    """Before anything is asked, all are taken to be well."""
    cascade = Cascade(reading_small(), reading_large(), HALF)

    assert (cascade.model_ids, cascade.troubles()) == ({"small": "small@1", "large": "large@1"}, ())


async def test_a_reader_that_never_answered_is_not_asked_again() -> None:
    """Damaged weights would be loaded anew for every page."""
    large = reading_large(failing="Damaged.")
    cascade = Cascade(reading_small(), large, HALF)
    await cascade.read([CLEAR])
    large.failing = ""

    found = await cascade.read([OPEN])

    assert (found, large.asked) == ([by_small(OPEN)], [[CLEAR]])
    assert cascade.troubles() == ("The large reader is out of use: Damaged.",)


async def test_a_reader_that_has_worked_is_asked_again_after_a_failure() -> None:
    """A process that died may come back: then the trouble is over."""
    large = reading_large()
    cascade = Cascade(reading_small(), large, HALF)
    await cascade.read([CLEAR])
    large.failing = "The inference process ended."
    during = await cascade.read([CLEAR])
    large.failing = ""

    after = await cascade.read([CLEAR])

    assert (during, after) == ([by_small(CLEAR)], [by_large(CLEAR)])
    told = ("The large reader failed for a while: pairs judged without it: 1.",)
    assert (cascade.troubles(), len(large.asked)) == (told, 3)


async def test_where_the_small_reader_fails_the_large_one_answers_every_pair() -> None:
    """Nobody has said what is surely neutral, so it is asked about all."""
    large = reading_large()
    cascade = Cascade(reading_small(failing="Damaged."), large, HALF)

    found = await cascade.read([SILENT, JAPANESE])

    assert (found, large.asked) == ([by_large(SILENT), by_large(JAPANESE)], [[SILENT, JAPANESE]])
    assert cascade.troubles() == ("The small reader is out of use: Damaged.",)


async def test_where_the_only_reader_fails_nothing_can_be_judged() -> None:
    """The batch is an error, not a guess."""
    cascade = Cascade(reading_small(failing="Damaged."), None, HALF)

    with pytest.raises(ModelError) as caught:
        await cascade.read([CLEAR])

    assert caught.value.message == "No reader can judge: Damaged."
    assert caught.value.remedy == "Run `lyra doctor`; reinstall the reader it names."


async def test_where_both_readers_fail_the_error_says_why_for_each() -> None:
    """Once for each reason, the small reader's first."""
    cascade = Cascade(reading_small(failing="Damaged."), reading_large(failing="Half-written."), HALF)

    with pytest.raises(ModelError) as caught:
        await cascade.read([CLEAR])

    assert caught.value.message == "No reader can judge: Damaged. Half-written."


async def test_one_reason_of_both_readers_is_told_once() -> None:
    """A process that cannot start fails every reader alike."""
    cascade = Cascade(reading_small(failing="No process."), reading_large(failing="No process."), HALF)

    with pytest.raises(ModelError) as caught:
        await cascade.read([CLEAR])

    assert caught.value.message == "No reader can judge: No process."


async def test_a_text_that_holds_the_claim_to_the_letter_needs_no_large_reader() -> None:
    """Every claim that was found meets the sentence it was taken from: the small reader's answer is enough."""
    pair = ("It was dry until May. It rained in June.", "It rained in June.")
    first, large = Scripted("small", {pair: (4.0, 4.0)}), reading_large()

    found = await Cascade(first, large, HALF).read([pair])

    assert (found, large.asked) == ([ReaderAnswer(4.0, 4.0, "small", "small@1")], [])


async def test_a_pair_without_weight_stays_with_the_small_reader() -> None:
    """The large reader's time goes to what the client asked about, whatever the small one says of the rest."""
    large = reading_large()

    found = await Cascade(reading_small(), large, HALF).read([CLEAR, OPEN], [False, True])

    assert (found, large.asked) == ([by_small(CLEAR), by_large(OPEN)], [[OPEN]])


@pytest.mark.parametrize(
    ("side", "decides"),
    [pytest.param(-0.9, "large", id="0.70 against"), pytest.param(-0.8, "small", id="0.68 against")],
)
async def test_a_contradiction_without_weight_is_checked_by_the_large_reader(side: float, decides: str) -> None:
    """Most contradictions that the small reader sees between found claims are none: from .7 on another one decides."""
    small = Scripted("small", {OPEN: (6.0, side)})

    (answer,) = await Cascade(small, reading_large(), HALF).read([OPEN], [False])

    assert answer.reader == decides


async def test_of_many_contradictions_without_weight_the_surest_are_checked() -> None:
    """The large reader takes ten times as long: two of a batch."""
    pairs = [(f"Text {number}.", "It fell.") for number in range(6)]
    small = Scripted("small", {pair: (6.0, -1.0 - number) for number, pair in enumerate(pairs)})
    large = Scripted("large", dict.fromkeys(pairs, (1.0, 1.0)))

    answers = await Cascade(small, large, HALF).read(pairs, [False] * 6)

    assert [answer.reader for answer in answers] == ["small", "small", "small", "small", "large", "large"]


async def test_the_strong_reader_is_asked_about_what_may_bear() -> None:
    """A pair that is silent by the large one is not asked again; of the others both answers are kept."""
    large, strong = reading_large(), reading_strong()
    cascade = Cascade(reading_small(), large, {"en": 0.0}, strong, HALF)

    answers = await cascade.read([SILENT, OPEN, CLEAR])

    assert strong.asked == [[OPEN, CLEAR]]
    assert answers == [
        by_large(SILENT),
        by_strong(OPEN, by_large(OPEN)),
        by_strong(CLEAR, by_large(CLEAR)),
    ]


@pytest.mark.parametrize(
    ("bears", "side", "asked"),
    [
        pytest.param(0.1, 0.5, [[CLEAR]], id="for, likelier than not"),
        pytest.param(0.1, -0.5, [[CLEAR]], id="against, likelier than not"),
        pytest.param(0.1, 0.0, [[CLEAR]], id="no side"),
        pytest.param(-0.1, 9.0, [], id="silent"),
        pytest.param(-900.0, 9.0, [], id="a logit beyond any float"),
    ],
)
async def test_the_strong_reader_is_asked_from_a_chance_of_bearing(
    bears: float, side: float, asked: list[list[Pair]]
) -> None:
    """What may bear by the large one with half a chance is read again, whichever side it takes."""
    strong = reading_strong()
    large = Scripted("large", {CLEAR: (bears, side)})

    await Cascade(reading_small(), large, HALF, strong, HALF).read([CLEAR])

    assert strong.asked == asked


async def test_the_strong_reader_is_asked_about_weighty_pairs_alone() -> None:
    """Claims that were found do not cost its seconds."""
    strong = reading_strong()
    cascade = Cascade(reading_small(), reading_large(), HALF, strong, HALF)

    await cascade.read([OPEN, CLEAR], [False, True])

    assert strong.asked == [[CLEAR]]


async def test_the_strong_reader_follows_the_small_one_where_there_is_no_large_one() -> None:
    """What is silent by the small one stays with it, and its answer does not count beside the strong one's."""
    strong = reading_strong()
    cascade = Cascade(reading_small(), None, HALF, strong, HALF)

    answers = await cascade.read([SILENT, JAPANESE])

    assert (strong.asked, answers) == ([[JAPANESE]], [by_small(SILENT), by_strong(JAPANESE)])


async def test_what_the_small_reader_calls_silent_is_not_read_by_the_strong_one() -> None:
    """The large one is not asked about it, and nor is the strong one, from whatever chance that is."""
    strong = reading_strong()
    cascade = Cascade(reading_small(), reading_large(), HALF, strong, {"en": 0.0})

    answers = await cascade.read([SILENT])

    assert (strong.asked, answers) == ([], [by_small(SILENT)])


async def test_the_strong_reader_follows_the_small_one_where_the_large_one_fails() -> None:
    """The small one's chance then says what is left open."""
    strong = reading_strong()
    cascade = Cascade(reading_small(), reading_large("no memory"), HALF, strong, HALF)

    answers = await cascade.read([CLEAR])

    assert (strong.asked, answers) == ([[CLEAR]], [by_strong(CLEAR)])


async def test_the_large_reader_decides_where_the_strong_one_fails() -> None:
    """Its answer stands, and the trouble is said."""
    cascade = Cascade(reading_small(), reading_large(), HALF, reading_strong("no memory"), HALF)

    answers = await cascade.read([CLEAR])

    assert answers == [by_large(CLEAR)]
    assert cascade.troubles() == ("The strong reader is out of use: no memory",)
    assert cascade.model_ids == {"small": "small@1", "large": "large@1"}


async def test_only_the_strong_reader_is_told_of_the_page() -> None:
    """The others never learned to read what stands before the mark."""
    told = (f"Talk Hexley.\u2029{OPEN[0]}", OPEN[1])
    small, large = reading_small(), reading_large()
    strong = Scripted("strong", {told: (8.0, -8.0)})

    answers = await Cascade(small, large, HALF, strong).read([told])

    assert [one.reader for one in answers] == ["strong"]
    assert (small.asked, large.asked, strong.asked) == ([[OPEN]], [[OPEN]], [[told]])
