"""A whole page becomes a document: text without furniture, context, metadata and links."""

import pytest

from lyra.extract.html import main_links, read_html
from lyra.extract.tree import parse
from lyra.model.page import Document, FragmentType, Heading, Identifier

_URL = "https://news.example/health/dpp4-heart"
_FIRST = (
    "The trial followed 14,671 adults with type 2 diabetes for three years and found that admission for heart failure "
    "was equally frequent in both groups, as reported in <a href='https://doi.org/10.1056/NEJMoa1501352'>the main "
    "paper</a>."
)
_SECOND = (
    "Regulators had asked for the study after an earlier drug of the class was linked to a rise in admissions, a "
    "signal that <a href='/health/saxagliptin'>a second trial</a> had not confirmed by <time>5 March 2015</time>."
)
_OUTER = "The bridge over the river was closed in March 2024 after cracks were found in its northern pier."
_INNER = "It was opened again in June 2025, when the pier had been replaced at a cost of four million euros."
_PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Heart safety of sitagliptin confirmed | Example News</title>
<meta property="og:site_name" content="Example News"><meta property="og:type" content="article">
<meta property="article:published_time" content="2015-06-08T08:00:00Z"><meta name="author" content="Jane Doe"></head>
<body><header><nav><ul><li><a href="/">Home</a></li><li><a href="/health">Health</a></li></ul></nav></header>
<div class="cookie-banner"><p>We use cookies to improve your experience on our site.</p></div>
<article><h1>Heart safety of sitagliptin confirmed</h1>
<p class="standfirst">A large trial finds no rise in heart failure, easing a worry of many years.</p>
<div class="article-content"><p>{_FIRST}</p><h2><a href="#background">Background</a></h2><p>{_SECOND}</p>
<h3>Effects by group</h3>
<ul><li>Older adults: no difference in admissions</li><li>Prior heart failure: no difference either</li></ul>
<table><tr><th>Group</th><th>Admissions</th></tr><tr><td>Sitagliptin</td><td>228</td></tr>
<tr><td>Placebo</td><td>229</td></tr></table>
<blockquote><p>We can now reassure our patients, said the lead author of the trial.</p></blockquote>
<p>Read more: What the new guidelines say</p></div>
<div class="related"><h3>Related stories</h3><ul><li><a href="/a">Insulin prices fall again</a></li>
<li><a href="/b">New pump approved for children</a></li></ul></div></article>
<footer><p>© 2015 Example News. All rights reserved.</p></footer></body></html>"""


def test_a_news_page_is_read_whole_and_without_furniture() -> None:
    """Navigation, consent, related links and footer go; lede, date inside a sentence, list and table stay."""
    document = read_html(_PAGE, _URL)

    background = (Heading(2, "Background"),)
    effects = (*background, Heading(3, "Effects by group"))
    assert [(p.type, p.text[:34], p.headings) for p in document.passages] == [
        (FragmentType.PARAGRAPH, "A large trial finds no rise in hea", ()),
        (FragmentType.PARAGRAPH, "The trial followed 14,671 adults w", ()),
        (FragmentType.HEADING, "Background", ()),
        (FragmentType.PARAGRAPH, "Regulators had asked for the study", background),
        (FragmentType.HEADING, "Effects by group", background),
        (FragmentType.LIST, "Older adults: no difference in adm", effects),
        (FragmentType.LIST, "Prior heart failure: no difference", effects),
        (FragmentType.TABLE, "Group | Admissions", effects),
        (FragmentType.TABLE, "Sitagliptin | 228", effects),
        (FragmentType.TABLE, "Placebo | 229", effects),
        (FragmentType.QUOTE, "We can now reassure our patients, ", effects),
    ]
    assert document.passages[3].text.endswith("had not confirmed by 5 March 2015.")
    assert [document.text[p.start : p.end] for p in document.passages] == [p.text for p in document.passages]


def test_the_rest_of_the_document_describes_the_page() -> None:
    """Title without the site, publication date, author, links of the text and the identifier behind one of them."""
    document = read_html(_PAGE, _URL)

    described = (document.title, document.date, document.updated, document.authors, document.language)
    assert described == ("Heart safety of sitagliptin confirmed", "2015-06-08", None, ("Jane Doe",), "en")
    assert document.links == ("https://doi.org/10.1056/NEJMoa1501352", "https://news.example/health/saxagliptin")
    assert document.identifiers == (Identifier("doi", "10.1056/nejmoa1501352"),)
    assert (document.page_type, document.quality, document.extractor) == ("article", 1.0, "lyra-extract/2")


def test_a_japanese_government_page_is_read() -> None:
    """No metadata, an era date, sections with ruby and full-width text."""
    markup = """<html lang="ja"><head><title>DPP-4阻害薬に関する安全性情報｜医薬品機構</title></head><body>
    <div id="gnavi"><a href="/">トップページ</a> ｜ <a href="/anzen/">安全性情報</a></div>
    <div id="main"><h1>DPP-4阻害薬に関する安全性情報</h1><p>令和6年3月5日</p>
    <h2>１．概要</h2>
    <p>国内において、DPP-4阻害薬の投与後に<ruby>類天疱瘡<rt>るいてんぽうそう</rt></ruby>を発現した症例が報告されたことから、
    使用上の注意を改訂するよう製造販売業者に指示した。</p>
    <h2>２．対応</h2>
    <p>水疱、びらん等があらわれた場合には、皮膚科医と相談し、投与を中止するなど適切な処置を行うこととされている。</p></div>
    <div id="footer"><p>ページの先頭へ戻る</p></div></body></html>"""

    document = read_html(markup, "https://www.pmda.example/anzen/1")

    assert (document.title, document.date, document.language) == ("DPP-4阻害薬に関する安全性情報", "2024-03-05", "ja")
    assert [(p.text, p.headings) for p in document.passages if p.type is FragmentType.PARAGRAPH][-2:] == [
        (
            "国内において、DPP-4阻害薬の投与後に類天疱瘡を発現した症例が報告されたことから、 "
            "使用上の注意を改訂するよう製造販売業者に指示した。",
            (Heading(2, "１．概要"),),
        ),
        (
            "水疱、びらん等があらわれた場合には、皮膚科医と相談し、投与を中止するなど適切な処置を行うこととされている。",
            (Heading(2, "２．対応"),),
        ),
    ]


def test_a_page_that_the_careful_reading_loses_is_read_generously() -> None:
    """Text in bare <div>s under a borderless layout is missed by the precise rules, and must not be lost."""
    sentence = "Sitagliptin lowered HbA1c by 0.7 percentage points in the trial number {} of the series. "
    body = "".join(f'<div class="link">{sentence.format(n) * 2}</div>' for n in range(12))

    document = read_html(f"<html><body><div>{body}</div></body></html>", _URL)

    assert document.text.count("Sitagliptin lowered HbA1c") == 24


@pytest.mark.parametrize(
    "markup", ["", "<html></html>", "<p></p>", "<<<>>>", "<html><body>" + "<div>" * 300], ids=str.__len__
)
def test_markup_without_text_gives_an_empty_document(markup: str) -> None:
    """An empty page is an honest outcome with quality 0, not an error."""
    assert read_html(markup) == Document(title="", text="", language="und", quality=0.0, extractor="lyra-extract/2")


@pytest.mark.parametrize(
    ("depth", "text", "remarks"),
    [
        pytest.param(2_000, f"{_OUTER}\n\n{_INNER}", (), id="whole"),
        pytest.param(
            3_000, _OUTER, ("not read to its end: its elements are nested more than 2,000 deep",), id="given up"
        ),
    ],
)
def test_a_page_that_nests_too_deeply_says_that_its_rest_is_missing(
    depth: int, text: str, remarks: tuple[str, ...]
) -> None:
    """The parser stops at 2,048 elements within one another, and no option lets it go on."""
    deep = "<div>" * depth + f"<p>{_INNER}</p>" + "</div>" * depth

    document = read_html(f"<html><body><p>{_OUTER}</p>{deep}</body></html>")

    assert (document.text, document.remarks) == (text, remarks)


def test_lists_nested_beyond_recursion_are_read_plainly() -> None:
    """Trafilatura recurses into lists; hostile nesting must end in text, not in a crash."""
    markup = f"<html><body><article><p>{_FIRST}</p>" + "<ul><li>item text here " * 2_000

    document = read_html(markup)

    assert document.text.startswith("The trial followed 14,671 adults")


def test_links_outside_the_text_are_not_the_texts() -> None:
    """Only what the author cites leads on; the same words in a menu do not."""
    tree = parse(
        "<body><nav><ul><li><a href='/menu'>second trial</a></li></ul></nav>"
        "<p>The signal was not seen in a <a href='second.html#top'>second trial</a> either.</p>"
        "<p>Mail <a href='mailto:a@b.example'>second trial</a> if the signal was not seen in the trial.</p></body>"
    )
    assert tree is not None

    links, share = main_links(tree, "https://x.example/a/b", "The signal was not seen in a second trial either.")

    assert links == ("https://x.example/a/second.html",)
    assert round(share, 2) == 0.24


def test_a_base_element_resolves_relative_links() -> None:
    """Archived copies and old sites rely on it."""
    tree = parse("<base href='https://cdn.example/x/'><p>See <a href='y'>the trial</a> of the group.</p>")
    assert tree is not None

    links, _ = main_links(tree, "https://x.example/", "See the trial of the group.")

    assert links == ("https://cdn.example/x/y",)


def test_a_paragraph_that_the_page_repeats_is_read_as_often() -> None:
    """A refrain is part of the text; offsets must not depend on somebody's idea of duplicates."""
    refrain = "The committee notes that the evidence on this point remains uncertain and asks for more trials."
    markup = (
        f"<html><body><article><h1>Minutes</h1>{f'<p>{refrain}</p>' * 3}<p>{'Other words follow. ' * 8}</p></article>"
    )

    document = read_html(markup)

    assert document.text.count(refrain) == 3
    assert "\u2060" not in document.text


def test_rows_of_figures_alone_belong_to_their_table() -> None:
    """Years and counts have no letters; a line of numbers outside a table counts pages and goes."""
    markup = (
        f"<article><h1>Register</h1><p>{'Schools keep a register of incidents and send it to us in July. ' * 4}</p>"
        "<table><tr><th>School year</th><th>Incidents</th></tr><tr><td>2021/22</td><td>2,140</td></tr>"
        "<tr><td>2022/23</td><td>1,760</td></tr></table>"
        f"<p>{'Inspectors compare the register with the class books of eleven schools. ' * 4}</p><p>1 2 3</p></article>"
    )

    document = read_html(markup)

    rows = [passage.text for passage in document.passages if passage.type is FragmentType.TABLE]
    assert rows == ["School year | Incidents", "2021/22 | 2,140", "2022/23 | 1,760"]
    assert "1 2 3" not in document.text
