"""Captions, ledes, boilerplate lines and references."""

import pytest

from lyra.extract.blocks import Block
from lyra.extract.html import read_html
from lyra.extract.html_parts import find_lede, is_boilerplate
from lyra.extract.tree import parse
from lyra.model.page import FragmentType

_PROSE = (
    "<p>The trial enrolled 14,671 adults with type 2 diabetes and followed them for a median of three years.</p>" * 3
)


@pytest.mark.parametrize(
    ("markup", "caption"),
    [
        (
            "<figure><img src='1.png'>"
            "<figcaption>Figure 2. Admissions for <b>heart failure</b> by group.</figcaption></figure>",
            "Figure 2. Admissions for heart failure by group.",
        ),
        (
            "<figure><figcaption>図1 無償化前後の転入者数の推移（二〇二三年度）</figcaption></figure>",
            "図1 無償化前後の転入者数の推移（二〇二三年度）",
        ),
        (
            "<table><caption>Table 3: Hazard ratios of the trials</caption>"
            "<tr><td>Sitagliptin</td><td>1.00</td></tr></table>",
            "Table 3: Hazard ratios of the trials",
        ),
    ],
    ids=["figure", "Japanese", "table"],
)
def test_a_numbered_caption_is_kept_in_its_place_as_such(markup: str, caption: str) -> None:
    """The text refers to it by its number, and its words are often the finding."""
    document = read_html(f"<html><body><article><h1>Results</h1>{_PROSE}{markup}{_PROSE}</article></body></html>")

    found = [passage.text for passage in document.passages if passage.type is FragmentType.FIGURE]

    assert found == [caption]
    assert document.text.count(caption) == 1


def test_the_words_under_a_photograph_are_left_out() -> None:
    """Who took it, and who is on it, is not what the article says."""
    photo = "<figure><figcaption>The minister on Tuesday in Tokyo. Photo: Keiko Tanaka</figcaption></figure>"

    document = read_html(f"<html><body><article><h1>News</h1>{_PROSE}{photo}{_PROSE}</article></body></html>")

    assert "Photo" not in document.text


@pytest.mark.parametrize(
    "line",
    [
        "Read more: Why insulin prices fell",
        "Sign up for our daily health newsletter",
        "RELATED ARTICLES",
        "Photo: Jane Doe / Agency",
        "© 2024 The Example Times. All rights reserved.",
        "Follow Example News on Twitter and Facebook.",
        "We use cookies to improve your experience on our site.",
        "関連記事：インスリンの価格",
        "この記事をシェアする",
        "無断転載禁止",
        "当サイトではCookieを使用しています。",
        "Lesen Sie auch: Was hilft gegen Diabetes?",
        "À lire aussi",
        "Lea también: El precio de la insulina",
        "3 min read",
        "Published:",
        "· Last updated on",
        "更新日：",
        "12:45",
    ],
)
def test_lines_of_the_page(line: str) -> None:
    """Such a line in the text would become a fragment and be judged as evidence."""
    assert is_boilerplate(line) is True


@pytest.mark.parametrize(
    "line",
    [
        "Related adverse events were reported in 4% of patients in both groups.",
        "Reading the trial report shows that HbA1c fell by 0.7 points.",
        "The photo-receptor cells of the retina are damaged first.",
        "関連性は認められなかった。",
        "広告費は売上の3%であった。",
        "Cookies made with almond flour raised blood glucose less than those made with wheat.",
        "Supporting evidence comes from three trials.",
        "Also patients on insulin improved.",
        "Recommended doses are 100 mg once a day.",
        "Sponsored trials reported larger effects.",
        "Copyright law does not protect dosing tables.",
        "Advertisement of the drug to patients is banned in Japan.",
        "スポンサーは結果の解析に関与していない。",
        "Anzeige erstattete die Klinik erst im Mai.",
        "Sponsored trials reported larger effects than independent ones. " * 4,
        "Accept all cookies, the baker said, and none of them was too sweet for him, nor too large. " * 6,
    ],
)
def test_lines_of_the_text(line: str) -> None:
    """Prose that begins alike must survive."""
    assert is_boilerplate(line) is False


@pytest.mark.timeout(5)
def test_figures_without_end_are_judged_in_linear_time() -> None:
    """They may stand before or after a word such as "views", which doubles the ways to read them."""
    assert is_boilerplate("1" * 200_000 + "x") is False


_BODY = "The trial ran for two years in forty centres and enrolled 14,671 adults with established disease."
_LEDE = "A large trial finds no rise in heart failure with sitagliptin, easing a long-standing worry."


def _ledes(between: str, heading: str = "<h1>Heart safety</h1>", description: str = "") -> list[Block]:
    tree = parse(f"<body>{heading}{between}<div class='content'><p>{_BODY}</p></div></body>")
    assert tree is not None
    return find_lede(tree, [Block(_BODY)], title="Heart safety", description=description)


def test_a_sentence_under_the_headline_is_the_lede() -> None:
    """News sites put it outside the body's container, and it often states the main claim."""
    assert _ledes(f"<p>{_LEDE}</p>") == [Block(_LEDE)]


def test_the_lede_is_known_by_its_class_where_no_full_stop_ends_it() -> None:
    """Standfirsts are written like headlines."""
    assert _ledes(f'<div class="article-lead">{_LEDE.rstrip(".")}</div>') == [Block(_LEDE.rstrip("."))]


def test_the_lede_is_known_by_the_description() -> None:
    """What the page calls its description is its summary."""
    bare = _LEDE.rstrip(".")

    assert _ledes(f"<div>{bare}</div>", description=_LEDE) == [Block(bare)]


def test_a_lower_heading_that_repeats_the_title_counts_as_headline() -> None:
    """Some sites use h1 for their logo only, or not at all."""
    assert _ledes(f"<p>{_LEDE}</p>", heading="<h2>Heart Safety</h2>") == [Block(_LEDE)]


@pytest.mark.parametrize(
    "between",
    [
        f"<nav><p>{_LEDE}</p></nav>",
        f'<div class="newsletter-promo"><p>{_LEDE}</p></div>',
        f"<figure><figcaption>{_LEDE}</figcaption></figure>",
        f'<p><a href="/other">{_LEDE}</a></p>',
        "<p>Sign up for our newsletter to get the latest news in your inbox.</p>",
        "<p>By Jane Doe</p>",
        f"<p>{_BODY}</p>",
    ],
    ids=["navigation", "promotion", "caption", "link", "invitation", "byline", "already read"],
)
def test_what_is_not_the_lede(between: str) -> None:
    """Page furniture stands in the same place."""
    assert _ledes(between) == []


def test_without_a_headline_nothing_is_added() -> None:
    """Text above the body may be anything."""
    assert _ledes(f"<p>{_LEDE}</p>", heading="") == []


PARAGRAPH = (
    "<p>移住支援金を設けた自治体では、人口が3割も増えています。この結果は、くらし政策マガジンの調査でも"
    "裏づけられています。申請の手続きが簡単な自治体ほど、移住する人が多いという声もあります。</p>"
)
LIST = '<ol><li><a href="https://magazine.example/column">人口が増えた町に学ぶ</a></li></ol>'


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(f'<section class="references"><h2>あとがき</h2>{LIST}</section>', id="marked by its class"),
        pytest.param(f"<h2>参考文献</h2>{LIST}", id="under a Japanese heading"),
        pytest.param(f"<h3>References</h3>{LIST}", id="under an English heading"),
    ],
)
def test_references_are_links_of_the_page_and_no_part_of_its_text(section: str) -> None:
    """A list of references says what a page rests on, whether or not it is read as text."""
    document = read_html(f"<html><body><article>{PARAGRAPH}{section}</article></body></html>", "https://a.example/1")

    assert document.links == ("https://magazine.example/column",)


def test_links_after_the_references_are_none() -> None:
    """The list ends where the next heading of its rank begins."""
    markup = f'<h2>References</h2>{LIST}<h2>Shop</h2><ul><li><a href="https://shop.example/">Buy</a></li></ul>'

    document = read_html(f"<html><body><article>{PARAGRAPH}{markup}</article></body></html>", "https://a.example/1")

    assert document.links == ("https://magazine.example/column",)
