"""Two passages with their pages: do they go back to one institution, or are they two sources?"""

from pathlib import Path

import pytest
import yaml

from lyra.evidence.independence import supporting_sources
from lyra.evidence.institutions import institutions
from lyra.evidence.naming import sources_named
from lyra.model.edge import EvidenceRow, Relation
from lyra.model.named_page import NamedPage
from lyra.urls import registrable_domain

_TABLES = Path(__file__).with_name("attributions")
_SOURCES = {"one": 1, "missed": 2, "two": 2, "three": 3}


def _pairs(table: str) -> list[object]:
    found = yaml.safe_load((_TABLES / f"{table}.yaml").read_text("utf-8"))
    return [
        pytest.param(pair, _SOURCES[sources], id=f"{table}-{sources}-{name}")
        for sources, pairs in found.items()
        for name, pair in pairs.items()
    ]


def _row(page_id: str, host: str, title: str, passage: str, quote: str = "", site_name: str = "") -> EvidenceRow:
    page = NamedPage(title, f"https://{host}/{page_id}", passage, site_name)
    judged = quote or passage
    return EvidenceRow(
        claim_id="c1",
        fragment_id=f"f-{page_id}",
        page_id=page_id,
        domain=registrable_domain(host),
        relation=Relation.SUPPORTS,
        nli_confidence=0.9,
        url=page.url,
        origins=sources_named(judged, judged, passage, page),
    )


@pytest.mark.parametrize(("pair", "sources"), [*_pairs("en"), *_pairs("ja"), *_pairs("en_held"), *_pairs("ja_held")])
def test_what_one_institution_says_is_one_source(pair: list[list[str]], sources: int) -> None:
    """Who credits an institution by name is one source with it and with all who credit it; others stay separate."""
    rows = [_row(f"p{number}", *side) for number, side in enumerate(pair)]

    assert len(supporting_sources(rows)) == sources


@pytest.mark.parametrize(("sides", "sources"), [*_pairs("en_sites"), *_pairs("ja_sites")])
def test_a_page_answers_to_the_name_of_its_site(sides: list[list[str]], sources: int) -> None:
    """Who credits a paper is one source with the page that declares its name, or alone a name that ends so."""
    rows = [
        _row(f"p{number}", host, title, passage, site_name=site_name)
        for number, (host, site_name, title, passage) in enumerate(sides)
    ]

    assert len(supporting_sources(rows)) == sources


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Quillmere's records were stolen from the portal.", ()),
        ("Data from Kestrel Motors were sold abroad.", ()),
        ("The Data Guardian has concluded her investigation into it.", ()),
        ("A Norleigh University study found that owls sleep.", ("institution:norleigh university",)),
        ("Thefts rose (Source: Larkspur Insurance).", ("institution:larkspur insurance",)),
        ("The Department of Health and Care said so.", ("institution:department of health and care",)),
        ("The National Center for Owls said so.", ("institution:national centre for owls",)),
        ("Kestrel Motors Ltd. said so.", ("institution:kestrel motors",)),
        ("Research has shown that it works.", ()),
        ("The Power Alliance grew. A firm outside the alliance claimed fees.", ()),
        ("The Fraud Desk looked at it. It found no difference.", ()),
        ("The Fraud Desk said it was small. It found no difference.", ("institution:fraud desk",)),
        ("You may have read it in the Hythe Gazette: owls sleep.", ("institution:hythe gazette",)),
        ("Owls sleep, as could be read in the Hythe Gazette.", ("institution:hythe gazette",)),
        ("Most owls sleep, it was in the Hythe Gazette in June.", ("institution:hythe gazette",)),
        ("Most owls sleep, the Hythe Gazette had the survey.", ("institution:hythe gazette",)),
        ("The Owl Society had the survey of a rival.", ()),
        ("It was in the Gazette and the Echo.", ()),
        ("It was in the Senate that the bill failed.", ()),
        ("You will not read in the Gazette that owls sleep.", ()),
        ("梟は眠ると柚原新聞にも出ていた。", ("institution:柚原新聞",)),
        ("若葉県警は、空き巣は減ったと発表した。特に夜間が減ったという。", ("institution:若葉県警",)),
        ("盗難は減っている（北門銀行調べ）。", ("institution:北門銀行",)),
        ("削減できたと、翠星自動車から報告を受けた。", ("institution:翠星自動車",)),
        ("専門家によると、効果はない。", ()),
        ("県内24病院のまとめでは、患者は減った。", ()),
        ("病院環境学会は、効果を報告した論文を撤回した。", ()),
        ("教育基盤省の調査は自己申告で集めており、方法が異なる。", ()),
        ("白鷺村が公表している数字は、転出した世帯を含む。", ()),
        ("国立地域政策研究所は、転入が増えたと推計している。", ("institution:国立地域政策研究所",)),
        ("移住ナビ研究所の報告では、人口が増えた。", ("institution:移住ナビ研究所",)),
        ("ソニーは生産を止めると発表した。", ("institution:ソニー",)),
        ("メーカーは生産を止めると発表した。", ()),
    ],
)
def test_whom_a_text_credits(text: str, expected: tuple[str, ...]) -> None:
    """A name, in words that give what it said; a common noun, a thing owned or a subject is no such name."""
    assert institutions(text, text, NamedPage("", "https://a.example/", text)) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (NamedPage("Survey", "https://a.example/", "Dike Office — Survey. It shrinks."), ("own:dike office",)),
        (NamedPage("Leak", "https://a.example/", "Harrow Water, which serves us, had a leak."), ()),
        (NamedPage("Storm", "https://a.example/", "LONDON — The storm came."), ()),
        (NamedPage("Storm", "https://a.example/", "", "The Hythe Courier"), ("own:hythe courier", "ends:courier")),
        (NamedPage("Storm", "https://a.example/", "It came.", "Planet Kestrel"), ("own:planet kestrel",)),
        (NamedPage("Storm", "https://a.example/", "It came.", "Courier"), ("own:courier", "ends:courier")),
        (NamedPage("Storm", "https://a.example/", "It came.", "The"), ()),
        (NamedPage("嵐", "https://a.example/", "嵐が来た。", "鈴代新聞電子版"), ("own:鈴代新聞",)),
        (NamedPage("嵐", "https://a.example/", "嵐が来た。", "鈴代新聞 公式サイト"), ("own:鈴代新聞",)),
        (NamedPage("待機児童について", "https://www.city.aoba.lg.jp/a", "青葉市の保育所の状況です。"), ("own:青葉市",)),
        (NamedPage("合併について", "https://www.city.aoba.lg.jp/a", "青葉市と紅葉市の協議です。"), ()),
        (NamedPage("翠星自動車 工場閉鎖へ", "https://a.example/", "翠星自動車が工場を閉じます。"), ()),
        (NamedPage("翠星自動車 工場閉鎖のお知らせ", "https://a.example/", "工場を閉じます。"), ("own:翠星自動車",)),
        (NamedPage("会社案内", "https://a.example/", "岬野鉄道 · 2025-06-20\n\n鉄道の会社です。"), ("own:岬野鉄道",)),
        (NamedPage("集計", "https://a.example/", "各病院の数です。\n\n港中央病院\n\n9人でした。"), ()),
    ],
)  # fmt: skip
def test_whose_a_page_is(page: NamedPage, expected: tuple[str, ...]) -> None:
    """By letterhead, a title that only the publisher would write, an authority's host, or the declared name."""
    assert institutions("", "", page) == expected


@pytest.mark.parametrize(
    "text",
    ["Aa " * 20_000, "A-" * 30_000, "According to the " * 4_000, "市の" * 30_000, "と、市は" * 15_000, "あ市" * 30_000],
)
def test_a_hostile_text_credits_nobody(text: str) -> None:
    """A page without end costs no more than its first part."""
    assert institutions(text, text, NamedPage(text, "https://a.example/", text)) == ()
