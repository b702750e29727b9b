"""What a text names as the source of what it says, in both languages."""

import pytest

from lyra.evidence.origins import origins


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See doi:10.5555/cmt.2013.0417 for details.", ("work:doi:10.5555/cmt.2013.0417",)),
        ("Smith et al. (2013) found more admissions.", ("cited:smith 2013",)),
        ("As Müller and colleagues (2019) showed, it rose.", ("cited:muller 2019",)),
        ("Admissions rose (Smith, 2013).", ("cited:smith 2013",)),
        ("A 2019 study by the University of Harbor City found none.", ("cited:university of harbor city 2019",)),
        ("“It works,” said Dr. Jane Q. Doe, a cardiologist.", ("person:jane doe", "person:dr doe")),
        ("Jane Doe, a cardiologist at Harbor Hospital, said that it works.", ("person:jane doe",)),
        ("According to Jane Doe, it works.", ("person:jane doe",)),
        ("Dr Doe warned of it.", ("person:dr doe",)),
        ("WASHINGTON, March 24 (GlobeWire) - A group of pills does no harm.", ("agency:globewire",)),
        ("LONDON (Reuters) — Shares rose on Monday.", ("agency:reuters",)),
        ("The Associated Press reported that shares rose.", ("agency:ap",)),
        ("The ministry said that it works.", ()),
        ("It rose by 5% in 2013, he said.", ()),
        ("山田ら（2019年）は入院の増加を報告した。", ("cited:山田 2019",)),
        ("厚生労働省の令和元年の調査では4割だった。", ("cited:厚生労働省 2019",)),
        ("厚生労働省の２０１９年の調査では4割だった。", ("cited:厚生労働省 2019",)),
        ("東京大学の山田太郎教授は「効果がある」と述べた。", ("person:山田太郎", "person:山田")),
        ("山田 太郎氏によると、効果があるという。", ("person:山田太郎", "person:山田")),
        ("山田さんは「効果がある」と言う。", ("person:山田",)),
        ("山田名誉教授は「効果がある」とみる。", ("person:山田",)),
        ("Jane Doe of Harbor College is stricter. In her opinion it does nothing.", ("person:jane doe",)),
        ("Jane Doe believes that it does nothing.", ("person:jane doe",)),
        ("Ormerod and Prewett reported 18% fewer admissions.", ("authors:ormerod prewett",)),
        ("【ロンドン共同】英政府は対策をまとめた。", ("agency:kyodo",)),
        ("共同通信社によると、政府は対策をまとめた。", ("agency:kyodo",)),
        ("政府は対策をまとめた。（時事）", ("agency:jiji",)),
        ("架空通信によると、株価は上がった。", ("agency:架空通信",)),
        ("入院は増加しなかった。", ()),
        ("この調査では、入院は増加しなかった。", ()),
    ],
)
def test_what_a_text_names(text: str, expected: tuple[str, ...]) -> None:
    """Works by identifier, or by author or institution and year; persons by name; agencies by credit."""
    assert origins(text) == expected


def test_an_agency_at_the_head_speaks_for_the_whole_passage() -> None:
    """The judged sentence stands further down."""
    passage = "WASHINGTON (GlobeWire) - Pills do no harm. A study of 1.5 million patients found this."

    assert origins("A study of 1.5 million patients found this.", passage) == ("agency:globewire",)


def test_english_and_japanese_names_of_one_agency_are_one() -> None:
    """A reprint in another language is a reprint."""
    assert origins("Kyodo News reported it.") == origins("共同通信によると、そうだ。") == ("agency:kyodo",)


@pytest.mark.parametrize("text", ["Aa " * 20_000, "A. " * 20_000, "山" * 60_000, "(A" * 30_000, "said " * 12_000])
def test_a_hostile_text_names_nobody(text: str) -> None:
    """A page without end costs no more than its length."""
    assert origins(text, text) == ()
