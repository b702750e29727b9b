"""Copies and contained texts."""

import itertools
import random

import pytest

from lyra.evidence.copies import CopyIndex, DatedText, Originals, Overlap, SentenceIndex

STUDY = "Admissions for heart failure rose by a quarter. The trial enrolled 16,492 patients in 26 countries."
REVIEW = "Deaths from any cause did not differ between the groups. Follow-up lasted two years on average."
FRAMED = f"Good news for your heart today, dear readers of this page! {STUDY}"


@pytest.mark.parametrize(
    ("study", "framed", "copy"),
    [
        pytest.param("2013-10-03", "2014-01-02", "framed", id="the later"),
        pytest.param("2014-01-02", "2013-10-03", "study", id="the later, though it is the shorter"),
        pytest.param(None, None, "framed", id="undated: the longer"),
        pytest.param("2015", None, "framed", id="one undated: the longer"),
        pytest.param("2013", "2013-10-03", "framed", id="the same as far as they are told: the longer"),
    ],
)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["the study first", "the frame first"])
def test_the_later_text_is_the_copy(study: str | None, framed: str | None, copy: str, order: tuple[int, int]) -> None:
    """SPEC §13, in whatever order the two were read."""
    texts = [DatedText("study", STUDY, study), DatedText("framed", FRAMED, framed)]
    (original,) = {"study", "framed"} - {copy}

    found = CopyIndex().add_all([texts[at] for at in order])

    assert found == {copy: Originals(contained=(original,))}


def test_two_texts_in_a_third_are_not_joined_by_it() -> None:
    """The digest repeats both; neither paper repeats anything."""
    texts = [DatedText("a", STUDY, "2013"), DatedText("b", REVIEW, "2014"), DatedText("d", f"{STUDY} {REVIEW}", "2015")]

    assert [CopyIndex().add_all(order) for order in itertools.permutations(texts)] == [
        {"d": Originals(contained=("a", "b"))}
    ] * 6


def test_an_original_that_comes_late_takes_its_place() -> None:
    """The farm was read first; when the paper is read, both farm pages turn out to be copies, and say so then."""
    index = CopyIndex()
    first = index.add_all([DatedText("farm1", STUDY, "2020-05"), DatedText("farm2", STUDY, "2021")])

    late = index.add_all([DatedText("paper", STUDY, "2013-10-03")])

    assert first == {"farm2": Originals(near="farm1")}
    assert late == {"farm1": Originals(near="paper"), "farm2": Originals(near="paper")}


def test_an_excerpt_of_a_copys_own_words_is_not_the_originals() -> None:
    """A page repeats a study and adds words of its own; who repeats those repeats the page."""
    index = CopyIndex()
    page = f"{STUDY} {REVIEW}"

    found = index.add_all(
        [DatedText("study", STUDY, "2013"), DatedText("page", page, "2014"), DatedText("excerpt", REVIEW, "2015")]
    )

    assert found == {"page": Originals(contained=("study",)), "excerpt": Originals(contained=("page",))}


def test_adding_a_text_again_changes_nothing() -> None:
    """A page is read again with every search."""
    index = CopyIndex()
    index.add_all([DatedText("a", STUDY), DatedText("b", FRAMED)])

    assert index.add_all([DatedText("a", STUDY), DatedText("b", FRAMED)]) == {}


ABSTRACT = "Admissions for heart failure rose by a quarter. The trial enrolled 16,492 patients in 26 countries."
OTHER = "Deaths from any cause did not differ. Follow-up lasted two years on average."
SHOROKU = "心不全による入院は四分の一増加した。試験には26か国の患者1万6492人が参加した。"


def overlap(inside: str = "", around: str = "") -> Overlap:
    return Overlap(frozenset(inside.split()), frozenset(around.split()))


@pytest.mark.parametrize(
    ("known", "text", "expected"),
    [
        pytest.param(ABSTRACT, f"Good news today! {ABSTRACT} Share this.", overlap("known"), id="a frame around it"),
        pytest.param(f"{OTHER} {ABSTRACT}", ABSTRACT, overlap("", "known"), id="cut out of it"),
        pytest.param(ABSTRACT, ABSTRACT, overlap("known", "known"), id="the same"),
        pytest.param(
            ABSTRACT,
            "Admissions for heart failure sharply rose by a quarter. The study enrolled 16,492 patients in 26 "
            "countries.",
            overlap("known", "known"),
            id="a word inserted, a word changed",
        ),
        pytest.param(
            ABSTRACT,
            "Admissions for heart failure rose very sharply by a quarter. The trial enrolled 16,492 patients in 26 "
            "countries.",
            overlap(),
            id="two words in one of two sentences",
        ),
        pytest.param(ABSTRACT, OTHER, overlap(), id="another text"),
        pytest.param("Admissions for heart failure rose.", f"{OTHER} Admissions for heart failure rose.", overlap(),
                     id="one sentence is not enough"),
        pytest.param("Read more! Share!", f"{ABSTRACT} Read more! Share!", overlap(), id="nor are scraps"),
        pytest.param(SHOROKU, f"速報です、ご覧ください。{SHOROKU}", overlap("known"), id="Japanese, a frame around it"),
        pytest.param(
            SHOROKU,
            "心不全による入院は四分の一ほど増加した。治験には26か国の患者1万6492人が参加した。",
            overlap("known", "known"),
            id="Japanese, a word inserted, a word changed",
        ),
        pytest.param(
            SHOROKU,
            "心不全による入院は四分の一増加したとは言えず、むしろ減少した。試験には26か国の患者1万6492人が参加した。",
            overlap(),
            id="Japanese, half a sentence changed",
        ),
    ],
)  # fmt: skip
def test_which_text_stands_in_which(known: str, text: str, expected: Overlap) -> None:
    """SPEC §13: at least two sentences, four fifths of which stand in the other text but for a word each."""
    index = SentenceIndex()
    index.add("known", known)

    assert index.add("new", text) == expected


@pytest.mark.parametrize(("kept", "is_inside"), [(4, True), (3, False)])
def test_four_fifths_are_enough(kept: int, is_inside: bool) -> None:
    """Of five sentences four."""
    sentences = [f"Sentence number {at} speaks of matter {at} at some length." for at in range(5)]
    index = SentenceIndex()
    index.add("known", " ".join(sentences))

    found = index.add("new", " ".join(sentences[:kept]) + " Other words end this text, and many of them do.")

    assert (found.inside == {"known"}) is is_inside


def test_the_index_finds_what_comparing_all_finds() -> None:
    """Random sentences with random changes of one word, at every place: none slips through the hashes."""
    chance = random.Random(3)
    words = [f"w{at}" for at in range(400)]
    index = SentenceIndex()
    expected, found = [], []
    for at in range(200):
        sentences = [chance.sample(words, chance.randrange(4, 25)) for _ in range(2)]
        index.add(f"t{at}", _text(sentences))
        for sentence in sentences:
            place = chance.randrange(len(sentence) + 1)
            sentence[place : place + chance.randrange(2)] = ["changed"]

        found.append(index.add(f"c{at}", _text(sentences)))
        expected.append(overlap(f"t{at}", f"t{at}"))

    assert found == expected


def _text(sentences: list[list[str]]) -> str:
    return " ".join(f"{' '.join(one).capitalize()}." for one in sentences)
