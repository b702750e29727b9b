"""Which texts nearly stand in others, sentence by sentence, in both languages."""

import random

import pytest

from lyra.evidence.copies import Overlap, SentenceIndex

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
