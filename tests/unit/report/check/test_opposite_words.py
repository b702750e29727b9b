"""What a page says the other way round, amid the same words."""

import pytest

from lyra.model.check import Source, TextFragment
from lyra.report.check.opposite_words import Word, are_opposites, opposite_sentence, stated_words


def page(*texts: str) -> Source:
    fragments = tuple(TextFragment(f"f_{at}", text) for at, text in enumerate(texts))
    return Source("p_1", "https://a.example/", "A page", "https://a.example/", fragments=fragments)


def quote(sentence: str, *texts: str) -> str | None:
    found = opposite_sentence(sentence, [page(*texts)])
    return None if found is None else found.quote


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rents in the harbour district rose by 12 percent.", "Rents in the harbour district fell by 12 percent."),
        ("The vaccine prevents severe measles in infants.", "The vaccine does not prevent severe measles in infants."),
        ("The survey found a link between noise and sleep.", "The survey found no link between noise and sleep."),
        ("港の地区の家賃は12％上がった。", "港の地区の家賃は12％下がりました。"),
        ("堤防の工事は漁獲量に影響した。", "堤防の工事は漁獲量に影響しなかった。"),
        ("新しい橋の通行料は島の住民に任意である。", "新しい橋の通行料は島の住民に義務である。"),
        ("The cause of the harbour fire is clear to police.", "The cause of the harbour fire is unclear to police."),
        ("港の火事の原因は住民に公表である。", "港の火事の原因は住民に未公表である。"),
    ],
    ids=["direction", "verb denied", "noun denied", "方向", "否定", "対義語", "prefix", "接頭辞"],
)
def test_opposites_are_found_whichever_of_the_two_is_the_page(one: str, other: str) -> None:
    """Each says the opposite of the other, and neither of itself."""
    found = [quote(one, other), quote(other, one), quote(one, one), quote(other, other)]

    assert found == [other, one, None, None]


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        (
            "Rents in the harbour district rose by 12 percent.",
            "Rents in the harbour district did not fall.",
        ),
        ("Rents in the harbour district rose by 12 percent.", "Fares on the mountain railway fell by 12 percent."),
        ("None of the towns closed its harbour school.", "Not one of the towns closed its harbour school."),
        ("No fewer than 40 boats left the harbour that day.", "That day 40 boats left the harbour."),
        ("港の地区の家賃は12％上がった。", "山の鉄道の運賃は12％下がった。"),
        ("堤防の工事は漁獲量に影響しなければならない。", "堤防の工事は漁獲量に影響する。"),
        ("水を引かない畑の収穫は38トンである。", "水を引いた畑の収穫は87トン、ほかの畑の収穫は38トンである。"),
        ("Lake Aster lost fish in the cold spring weeks.", "Lake Birch gained fish in the cold spring weeks."),
        ("Night duty on the harbour wall is unpaid.", "Night duty on the harbour wall is paid nowhere."),
        (
            "港の経費は2億6千万円で、予算を1千万円下回った。",
            "4億円の建設費は、6億1千万円となり、1千万円上がった。",
        ),
    ],
    ids=[
        "denied opposite",
        "other things",
        "two ways to deny",
        "no fewer than",
        "別の物",
        "二重否定",
        "どの畑か",
        "other subject",
        "denied at the end",
        "金額だけ同じ",
    ],
)
def test_no_opposites(sentence: str, text: str) -> None:
    """A denied opposite agrees, other things and names are no matter, and no denial is made of what denies nothing."""
    assert quote(sentence, text) is None


def test_a_sentence_of_the_page_that_agrees_counts_first() -> None:
    """A page may give both sides; one that fits as well and agrees is believed."""
    sentence = "Rents in the harbour district rose by 12 percent."
    opposite = "Rents in the harbour district fell by 12 percent."

    assert quote(sentence, opposite, sentence) is None


def test_each_clause_has_its_own_words() -> None:
    """Half of a sentence says the opposite, and the page says that half in a short sentence."""
    sentence = "Card sales grew by 3 percent in two years, and the authors see a clear danger for small shops."
    text = "Card sales grew by 3 percent in two years. The authors see no clear danger for small shops."

    assert quote(sentence, text) == "The authors see no clear danger for small shops."


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("It did not fall; ships stay.", (Word("amount-", True), Word("ship", False, 1), Word("stay+", False, 1))),
        ("増えなかったが、船は残る。", (Word("amount+", True), Word("船", False, 1), Word("stay+", False, 1))),
    ],
    ids=["en", "ja"],
)
def test_words_have_side_denial_and_clause(sentence: str, words: tuple[Word, ...]) -> None:
    """English denies what follows, Japanese what stands before."""
    assert stated_words(sentence) == words


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("amount+", "amount-", True),
        ("clear", "unclear", True),
        ("clear", "clear", False),
        ("port", "passport", False),
        ("do", "undo", False),
    ],
    ids=["sides", "prefix", "same", "other syllable", "short"],
)
def test_opposite_words(one: str, other: str, expected: bool) -> None:
    """Two sides of an axis, or a word and the same with a syllable that says no."""
    assert [are_opposites(one, other), are_opposites(other, one)] == [expected] * 2
