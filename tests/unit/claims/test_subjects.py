"""Names that say what they name: another one of the same kind in the sentence that decides is another subject."""

import pytest

from lyra.claims.subjects import NamedSite, other_subject


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
        ("Fewer cars use Aster's Long Bridge.", "The Long Bridge has fewer cars.", "The Long Bridge has fewer cars."),
        ("The Long Bridge has fewer cars.", "Aster’s Long Bridge has fewer.", "Aster’s Long Bridge has fewer."),
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
            "Results of the zone. Buses through the centre are no faster in Oxcastle than before.",
            "Results of the zone\nhttps://oxcastle.example/results\nBuses are no faster in Oxcastle.",
            "Oxcastle",
            id="it was elsewhere, and the page never names the place",
        ),
        pytest.param(
            "Buses cross the centre of Pellmouth faster than before.",
            "Buses to the Tollgate estate are no faster than before, says Mr Abara.",
            "Letter to our drivers\nhttps://buses.example/letter\nBuses to the Tollgate estate are no faster.",
            None,
            id="a name that nothing calls another place",
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


@pytest.mark.parametrize(
    ("claim", "text", "page", "site", "name"),
    [
        pytest.param(
            "School attendance in Pellmouth stayed the same.",
            "Final report. Attendance: down from 91.8 to 90.6 percent.",
            "Final report\nTwelve of Oxcastle's schools took part.\nAttendance: down from 91.8 to 90.6 percent.",
            NamedSite("www.oxcastle-county.example", "Oxcastle County Council"),
            "Oxcastle",
            id="another county's site, no name in the text",
        ),
        pytest.param(
            "School attendance in Pellmouth stayed the same.",
            "Final report. Attendance: down from 91.8 to 90.6 percent.",
            "Final report\nAttendance: down from 91.8 to 90.6 percent.\nWe wish Pellmouth better luck.",
            NamedSite("www.oxcastle-county.example", "Oxcastle County Council"),
            "Oxcastle",
            id="another county's site that names the claim's elsewhere",
        ),
        pytest.param(
            "Every patient whose records were stolen from Quillon gets 750 crowns.",
            "What we did. Every patient can ask for 300 crowns.",
            "What we did\nIn May thieves came to Sandlark.\nEvery patient can ask for 300 crowns.",
            NamedSite("www.sandlark.example", ""),
            "Sandlark",
            id="another company's site, by its host",
        ),
        pytest.param(
            "School attendance in Pellmouth stayed the same.",
            "Leaflet. More and more pupils stay at home, as the Courier says.",
            "Leaflet\nMore and more pupils stay at home, as the Courier says.",
            NamedSite("families-now.example", "Families Now"),
            None,
            id="a newspaper is no other place",
        ),
        pytest.param(
            "School attendance in Pellmouth stayed the same.",
            "Across the river. Attendance is down.",
            "Across the river\nIn Pellmouth attendance is down, the Oxcastle office reports.",
            NamedSite("www.oxcastletimes.example", "Oxcastle Times"),
            None,
            id="a neighbour's newspaper that names the claim's place",
        ),
        pytest.param(
            "School attendance in Pellmouth stayed the same.",
            "Bells ring. Attendance is down by two fifths since the bells were turned off.",
            "Bells ring\nAttendance is down by two fifths since the bells were turned off.",
            NamedSite("www.thetimes.example", "Oxcastle Times"),
            None,
            id="a neighbour's newspaper that never names the claim's place may mean it",
        ),
        pytest.param(
            "Fewer homes in Saltmarsh Hythe are flooded.",
            "What have we learned? Eleven homes were flooded.",
            "What have we learned?\nThe Marsh Group counts. Eleven homes were flooded.",
            NamedSite("marsh.ludford.example", "Marsh Group"),
            None,
            id="a part of the claim's own name",
        ),
        pytest.param(
            "檜川医療センターは分娩の取り扱いをやめた。",
            "お知らせ。当センターは3月31日をもって分娩の取り扱いを終了いたします。",
            "お知らせ\n当センターは3月31日をもって分娩の取り扱いを終了いたします。",
            NamedSite("www.minosawa-mc.example", "蓑沢総合医療センター"),
            "蓑沢",
            id="another hospital's site",
        ),
        pytest.param(
            "檜川医療センターの建設費は2倍になった。",
            "検証報告。建設工事の費用は2倍近くに膨らみました。",
            "検証報告\n建設工事の費用は2倍近くに膨らみました。\n檜川市との違い。檜川市は協定を結んでいました。",
            NamedSite("www.city.minosawa.example", "蓑沢市"),
            "蓑沢",
            id="another town's site that names the claim's elsewhere",
        ),
        pytest.param(
            "青川町内で起きる鹿の事故は3倍に増えた。",
            "五年のまとめ。鹿の事故は4件から13件になりました。",
            "五年のまとめ\n鹿の事故は4件から13件になりました。",
            NamedSite("www.town.midorikawa.example", "緑川町"),
            "緑川",
            id="another town's site, the claim's town with a word behind it",
        ),
        pytest.param(
            "青川町猟友会の会員は2倍に増えた。",
            "五年のまとめ。猟友会の会員は41名から38名に減りました。",
            "五年のまとめ\n猟友会の会員は41名から38名に減りました。",
            NamedSite("www.town.midorikawa.example", "緑川町"),
            "緑川",
            id="another town's site, the claim about a society of its town",
        ),
        pytest.param(
            "青川町の中心市街地では店が減った。",
            "中心市街地の調査。店は20減った。",
            "中心市街地の調査\n大都市周辺の商店街も調べた。店は20減った。",
            NamedSite("kenkyu.example", "商店街研究会"),
            None,
            id="a word that only looks like a town",
        ),
        pytest.param(
            "檜川医療センターの常勤医師は15人以上増えた。",
            "採用案内。白雨病院の17名を足した58名から、17名増えました。",
            "採用案内\n白雨病院の17名を足した58名から、17名増えました。",
            NamedSite("www.hinokawa.example", "檜川医療センター"),
            None,
            id="the claim's own site",
        ),
        pytest.param(
            "檜川医療センターの救急車の受け入れは3割増えた。",
            "医師数の調査。病院に勤める常勤医は2,918人である。",
            "医師数の調査\n病院に勤める常勤医は2,918人である。",
            NamedSite("www.pref.kasumino.example", "霞野県"),
            None,
            id="a prefecture may speak of its towns",
        ),
    ],
)
def test_site_of_another_owner_says_nothing_of_the_claims(
    claim: str, text: str, page: str, site: NamedSite, name: str | None
) -> None:
    """A county, town, hospital or company writes about itself where it does not name the claim's subject."""
    assert other_subject(claim, text, text, page, site) == name


@pytest.mark.parametrize(
    ("claim", "question", "text", "site", "name"),
    [
        pytest.param(
            "標準的な家庭の水道料金は2割以上高くなった。",
            "蛍ノ瀬市の水道料金の改定は何をもたらしたか。",
            "1年目の報告。標準的なご家庭の料金は7.9％の引き上げです。",
            NamedSite("www.city.haizuka.example", "灰塚市"),
            "灰塚",
            id="a neighbour's site",
        ),
        pytest.param(
            "標準的な家庭の水道料金は2割以上高くなった。",
            "蛍ノ瀬市と灰塚市の水道料金はどう違うか。",
            "1年目の報告。標準的なご家庭の料金は7.9％の引き上げです。",
            NamedSite("www.city.haizuka.example", "灰塚市"),
            None,
            id="a question about both",
        ),
        pytest.param(
            "標準的な家庭の水道料金は2割以上高くなった。",
            "水道料金の改定は何をもたらしたか。",
            "1年目の報告。標準的なご家庭の料金は7.9％の引き上げです。",
            NamedSite("www.city.haizuka.example", "灰塚市"),
            None,
            id="a question that names no place",
        ),
        pytest.param(
            "標準的な家庭の水道料金は2割以上高くなった。",
            "蛍ノ瀬市の水道料金の改定は何をもたらしたか。",
            "近隣の料金。蛍ノ瀬市では標準的な家庭で2割上がった。",
            NamedSite("www.city.haizuka.example", "灰塚市"),
            None,
            id="a neighbour's text that names the place",
        ),
        pytest.param(
            "The average water bill rose by a fifth.",
            "What did the new tariff do in Pellmouth?",
            "First year. The average bill rose by 7.9 percent.",
            NamedSite("www.oxcastle-county.example", "Oxcastle County Council"),
            "Oxcastle",
            id="another county's site",
        ),
        pytest.param(
            "The average water bill rose by a fifth.",
            "What did the new tariff do in Pellmouth?",
            "First year. The average bill rose by 7.9 percent.",
            NamedSite("www.waterwatch.example", "Water Watch"),
            None,
            id="a site of no place",
        ),
    ],
)
def test_a_claim_without_a_place_is_meant_of_the_questions(
    claim: str, question: str, text: str, site: NamedSite, name: str | None
) -> None:
    """What another town's own site says of itself is no evidence for it."""
    assert other_subject(claim, text, text, text, site, question) == name


def test_a_town_with_a_small_kana_in_its_name_is_one() -> None:
    """蛍ノ瀬市, 三ツ木町: they were read as no place at all."""
    site = NamedSite("www.city.haizuka.example", "灰塚市")
    text = "1年目の報告。本市は水道の運営権を売却しました。"

    found = [other_subject(f"{name}は水道を売却した。", text, text, text, site) for name in ("蛍ノ瀬市", "三ツ木町")]

    assert found == ["灰塚", "灰塚"]
