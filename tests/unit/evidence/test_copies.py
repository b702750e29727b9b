"""Who copied whom: the later text, or where dates are missing the longer; and nobody is joined by a copier."""

import itertools

import pytest

from lyra.evidence.copies import CopyIndex, DatedText, Originals

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
