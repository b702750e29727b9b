"""Names that say what they name: another one of the same kind in the sentence that decides is another subject."""

import pytest

from lyra.claims.subjects import other_subject


@pytest.mark.parametrize(
    ("claim", "text", "name"),
    [
        ("千歳原市の受診率は2割を超えた。", "隣の恵庭原市の受診率は25%です。", "恵庭原"),
        ("緑湖のワカサギの漁獲量は倍増した。", "青葉湖のワカサギは昨年の2倍が獲れた。", None),
        ("緑沢湖のワカサギの漁獲量は倍増した。", "青葉湖のワカサギは昨年の2倍が獲れた。", "青葉"),
        ("Sitagliptin prolongs life.", "Linagliptin prolonged life in this trial.", "linagliptin"),
        ("シタグリプチンは寿命を延ばす。", "リナグリプチンは寿命を延ばした。", "リナグリプチン"),
        ("Lake Aster is clean.", "The water of Lake Birch is clean.", "Birch"),
        ("The Aster Hospital closed its ward.", "The Birch Hospital closed its ward.", "Birch"),
        ("株式会社ミドリ電機は増益だった。", "アオバ製作所㈱は増益だったと発表した。", "アオバ製作所"),
        ("Aster Foods Ltd made a profit.", "Birch Mills Inc. made a profit.", "birchmills"),
    ],
)
def test_other_name_of_the_same_kind_is_found(claim: str, text: str, name: str | None) -> None:
    """Names of one character are too short to be told from other words."""
    assert other_subject(claim, text, text) == name


@pytest.mark.parametrize(
    ("claim", "text", "sentence"),
    [
        ("千歳原市の受診率は2割を超えた。", "千歳原市と恵庭原市。恵庭原市は25%です。", "恵庭原市は25%です。"),
        ("千歳原市の検診は無料だ。", "検診は無料です。隣の恵庭原市は有料です。", "検診は無料です。"),
        ("千歳原市の検診は無料だ。", "同市の検診は無料です。", "同市の検診は無料です。"),
        ("千歳原市と恵庭原市の検診は無料だ。", "緑川市の検診は無料です。", "緑川市の検診は無料です。"),
        ("Lake Aster is clean.", "The local hospital says so.", "The local hospital says so."),
        ("株式会社ミドリ電機は増益だった。", "ミドリ電機㈱は増益。アオバ製作所㈱も増益。", "アオバ製作所㈱も増益。"),
        ("Aster Foods Ltd made a profit.", "ASTER FOODS, Inc. did. Birch Mills Inc. did.", "Birch Mills Inc. did."),
    ],
)
def test_text_that_may_speak_of_the_claims_subject_is_left(claim: str, text: str, sentence: str) -> None:
    """A text that names it anywhere, a name in another sentence, or no name at all leaves the reader's answer."""
    assert other_subject(claim, text, sentence) is None
