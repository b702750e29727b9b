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


@pytest.mark.parametrize(
    ("claim", "text", "page", "name"),
    [
        pytest.param(
            "Buses cross the centre of Pellmouth faster than before.",
            "Results of the Oxcastle zone. Buses through the centre are no faster than before.",
            "Results of the Oxcastle zone\nhttps://oxcastle.example/results\nBuses through the centre are no faster.",
            "Oxcastle",
            id="the page never names the place",
        ),
        pytest.param(
            "Buses cross the centre of Pellmouth faster than before.",
            "Results. Buses through the centre are no faster than before.",
            "Results\nhttps://www.pellmouth-city.example/results\nBuses through the centre are no faster.",
            None,
            id="the address names it",
        ),
        pytest.param(
            "The drug is cheaper in France.",
            "In Lyons the drug costs Ten euros.",
            "Prices\nhttps://prices.example/\nIn Lyons the drug costs ten euros.",
            None,
            id="a country has many names",
        ),
        pytest.param(
            "蓼見市の水草除去の費用は年間12億円である。",
            "ワカサギが2倍に｜南蓼見町。除去にかかる費用は年間1,200万円です。",
            "ワカサギが2倍に｜南蓼見町\nhttps://x.example/\n除去にかかる費用は年間1,200万円です。",
            "南蓼見",
            id="another town's page",
        ),
        pytest.param(
            "蓼見湖のワカサギは2倍になった。",
            "下蓼見湖の漁獲量は37トンになった。町は草を取り除いている。",
            "蓼見湖と下蓼見湖\nhttps://x.example/\n下蓼見湖の漁獲量は37トンになった。町は草を取り除いている。",
            "下蓼見",
            id="the text names another lake, the page both",
        ),
        pytest.param(
            "蓼見市の水草除去の費用は年間12億円である。",
            "刈取り事業の経費は一億二千万円余りでございます。",
            "瀬名木県蓼見市議会\nhttps://x.example/\n刈取り事業の経費は一億二千万円余りでございます。",
            None,
            id="the page names the claim's town",
        ),
        pytest.param(
            "蓼見市の水草除去の費用は年間12億円である。",
            "除去の費用は年間1億円だった。",
            "費用\nhttps://x.example/\n緑川市では、緑川市の予算による。蓼見市も参加する。除去の費用は年間1億円だった。",
            "緑川",
            id="the page names another town far more often",
        ),
    ],
)
def test_page_of_another_place_says_nothing_of_the_claims(claim: str, text: str, page: str, name: str | None) -> None:
    """Whom a page is about is told by the names on the whole of it."""
    assert other_subject(claim, text, text, page) == name
