"""What a page says of itself."""

import pytest
from lxml import html

from lyra.extract.metadata import Metadata, jsonld_names, jsonld_objects, jsonld_types, read_metadata
from lyra.extract.tree import parse
from lyra.model.page import Identifier


def _read(markup: str, url: str = "", visible: str = "") -> Metadata:
    tree = parse(f"<html>{markup}</html>")
    assert tree is not None
    return read_metadata(tree, url, visible)


def test_a_paper_is_read_from_its_citation_metas() -> None:
    """Publishers and repositories describe papers this way; the identifiers lead into the academic path."""
    metadata = _read(
        """<head lang="en"><title>Sitagliptin and HbA1c | Journal</title>
        <meta name="citation_title" content="Sitagliptin and HbA1c">
        <meta name="citation_author" content="Tanaka, Keiko"><meta name="citation_author" content="Doe, Jane">
        <meta name="citation_publication_date" content="2021/04/12">
        <meta name="citation_doi" content="doi:10.1000/ABC.123"><meta name="citation_pmid" content="33844567">
        <meta name="description" content="A randomised trial."></head><body><p>x</p></body>""",
        "https://journal.example/abs/33844567",
    )

    assert metadata == Metadata(
        title="Sitagliptin and HbA1c",
        description="A randomised trial.",
        date="2021-04-12",
        authors=("Tanaka, Keiko", "Doe, Jane"),
        identifiers=(Identifier("doi", "10.1000/abc.123"), Identifier("pmid", "33844567")),
        has_citation_meta=True,
    )


def test_json_ld_comes_before_metas() -> None:
    """Metas are often left over from a template or name the last change."""
    metadata = _read(
        """<head><meta property="article:published_time" content="2024-12-07">
        <script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-12-06T22:00:40Z",
        "dateModified": "2024-12-08", "author": [{"name": "Keiko Tanaka"}]}</script></head><body><article/></body>"""
    )

    assert (metadata.date, metadata.updated, metadata.authors) == ("2024-12-06", "2024-12-08", ("Keiko Tanaka",))
    assert metadata.schema_types == frozenset({"NewsArticle"})
    assert metadata.has_article_element is True


@pytest.mark.parametrize(
    ("visible", "published", "updated"),
    [
        ("DPP-4阻害薬の安全性 公開日：2024年3月5日 更新日：令和6年4月1日", "2024-03-05", "2024-04-01"),
        ("添付文書の改訂について 令和6年3月5日 厚生労働省", "2024-03-05", None),
        ("Safety review Published on 5 March 2024. Last updated: April 1, 2024", "2024-03-05", "2024-04-01"),
        ("Founded 1990. A history of insulin", None, None),
        ("The discovery of insulin 27 July 1921 Toronto", None, None),
        ("", None, None),
    ],
)
def test_dates_in_the_pages_words(visible: str, published: str | None, updated: str | None) -> None:
    """Government pages carry no metadata: the date stands beside the heading, labelled or not."""
    metadata = _read("<body><p>x</p></body>", visible=visible)

    assert (metadata.date, metadata.updated) == (published, updated)


@pytest.mark.parametrize(
    ("markup", "url", "date"),
    [
        ('<aside><time datetime="2020-01-01"></time></aside><time datetime="2024-03-05">5.3.</time>', "", "2024-03-05"),
        ('<time datetime="2020-01-01"></time><p itemprop="datePublished" content="2024-03-05"></p>', "", "2024-03-05"),
        ("<p>x</p>", "https://news.example/2024/03/05/dpp-4", "2024-03-05"),
        ("<p>x</p>", "https://news.example/2024/dpp-4", None),
    ],
    ids=["time outside the margin", "marked as published", "address", "year in the address"],
)
def test_dates_in_markup_and_address(markup: str, url: str, date: str | None) -> None:
    """The page's own date, not that of a neighbouring teaser."""
    assert _read(f"<body>{markup}</body>", url).date == date


@pytest.mark.parametrize(
    ("head", "heading", "title"),
    [
        ("<title>Heart safety of sitagliptin - The Example Times</title>", "", "Heart safety of sitagliptin"),
        (
            "<title>Heart safety of sitagliptin | Example</title>",
            "Heart safety of sitagliptin",
            "Heart safety of sitagliptin",
        ),
        ("<title>Heart safety of sitagliptin - Example</title>", "Example", "Heart safety of sitagliptin"),
        (
            '<meta property="og:title" content="糖尿病治療薬の安全性"><title>糖尿病治療薬の安全性｜例新聞</title>',
            "",
            "糖尿病治療薬の安全性",
        ),
        ("<title>Insulin - Wikipedia</title>", "Insulin", "Insulin"),
        ("", "", ""),
    ],
    ids=["site taken off", "heading", "logo heading", "declared", "short heading", "none"],
)
def test_titles(head: str, heading: str, title: str) -> None:
    """The title names the page, not the site."""
    assert _read(f"<head>{head}</head><body><h1>{heading}</h1><p>x</p></body>").title == title


@pytest.mark.parametrize(
    ("markup", "authors"),
    [
        ('<meta name="author" content="Jane Doe and Keiko Tanaka">', ("Jane Doe", "Keiko Tanaka")),
        ('<meta name="author" content="田中恵子、佐藤一郎">', ("田中恵子", "佐藤一郎")),
        ('<meta name="author" content="admin"><p class="byline">By Jane Doe</p>', ("Jane Doe",)),
        ('<a rel="author" href="/jane">Jane Doe</a>', ("Jane Doe",)),
        ('<div class="author">Read more stories by our 14 staff writers every day</div>', ()),
        ('<meta property="article:author" content="https://facebook.com/example">', ()),
    ],
)
def test_authors(markup: str, authors: tuple[str, ...]) -> None:
    """People, not accounts, addresses or boilerplate."""
    assert _read(markup).authors == authors


@pytest.mark.parametrize(
    ("markup", "language"),
    [('<html lang="ja-JP"><p>x</p>', "ja"), ('<meta property="og:locale" content="de_DE">', "de"), ("<p>x</p>", None)],
)
def test_declared_language(markup: str, language: str | None) -> None:
    """Only the language counts, not the country."""
    tree = parse(markup)

    assert tree is not None
    assert read_metadata(tree, "", "").language == language


@pytest.mark.parametrize(
    ("head", "is_retracted"),
    [
        ('<meta name="citation_article_type" content="Retracted Article">', True),
        ('<meta name="DC.type" content="retracted">', True),
        (
            '<script type="application/ld+json">{"@type": "Report", "creativeWorkStatus": "Retracted"}</script>',
            True,
        ),
        ('<meta name="dc.type" content="撤回論文">', True),
        ('<meta name="citation_article_type" content="Retraction">', False),
        (
            '<script type="application/ld+json">{"@type": "Article", "creativeWorkStatus": "Published"}</script>',
            False,
        ),
        ('<script type="application/ld+json">{"@type": "Article", "creativeWorkStatus": 7}</script>', False),
        ("", False),
    ],
    ids=["meta", "Dublin Core", "JSON-LD", "Japanese", "a notice about another", "published", "nonsense", "nothing"],
)
def test_metadata_may_call_the_page_retracted(head: str, is_retracted: bool) -> None:
    """A notice about another paper is a page in good standing."""
    assert _read(f"<head>{head}</head><body><p>x</p></body>").is_retracted is is_retracted


@pytest.mark.parametrize(
    ("head", "site_name"),
    [
        (
            '<meta name="application-name" content="App"><meta property="og:site_name" content=" Hythe  Courier ">'
            '<script type="application/ld+json">{"@type": "Article", "publisher": {"name": "Hythe Press"}}</script>',
            "Hythe Courier",
        ),
        (
            '<meta name="application-name" content="App">'
            '<script type="application/ld+json">{"@type": "NewsArticle", "publisher": {"name": "鈴代新聞"}}</script>',
            "鈴代新聞",
        ),
        ('<meta name="application-name" content="Courier">', "Courier"),
        (
            '<script type="application/ld+json">{"@type": "Book", "publisher": "A\\u001b[31m \\u202eCourier"}</script>',
            "A[31m Courier",
        ),
        (f'<meta property="og:site_name" content="{"a" * 79} bc">', "a" * 79),
        ('<script type="application/ld+json">{"@type": "Article", "publisher": 7}</script>', ""),
        ("<title>Storm | Hythe Courier</title>", ""),
    ],
    ids=["og first", "JSON-LD second", "application last", "control characters", "long", "nonsense", "nothing"],
)
def test_the_name_that_a_page_declares_for_its_site(head: str, site_name: str) -> None:
    """At most 80 characters on one line, none of which controls a terminal or turns the direction of reading."""
    assert _read(f"<head>{head}</head><body><p>x</p></body>").site_name == site_name


def _page(script: str) -> html.HtmlElement:
    return html.document_fromstring(f'<html><script type="application/ld+json">{script}</script></html>')


def test_objects_inside_a_graph_and_a_list_are_found() -> None:
    """Publishing systems put the article beside site and breadcrumb in one graph."""
    tree = _page('[{"@graph": [{"@type": "WebSite"}, {"@type": ["NewsArticle", "Article"], "headline": "H"}]}]')

    found = jsonld_objects(tree)

    assert [jsonld_types(node) for node in found] == [(), ("WebSite",), ("NewsArticle", "Article")]


def test_a_wrapping_for_old_parsers_is_taken_off() -> None:
    """XHTML templates wrap scripts in CDATA, which is not JSON."""
    tree = _page('\n//<![CDATA[\n{"@type": "Article", "datePublished": "2024-03-05"}\n//]]>\n')

    assert jsonld_objects(tree) == [{"@type": "Article", "datePublished": "2024-03-05"}]


def test_broken_and_endlessly_nested_scripts_are_skipped() -> None:
    """One bad script must not cost the page its other metadata."""
    tree = html.document_fromstring(
        '<script type="application/ld+json">{"@type": </script>'
        f'<script type="application/ld+json">{"[" * 100_000}</script>'
        '<script type="application/ld+json">{"@type": "http://schema.org/Article"}</script>'
    )

    assert [jsonld_types(node) for node in jsonld_objects(tree)] == [("Article",)]


def test_names_of_authors_in_every_shape() -> None:
    """An author is a string, an object or a list of either."""
    assert list(jsonld_names([{"name": "Keiko Tanaka"}, "Jane Doe", {"name": ["A", "B"]}, 7])) == [
        "Keiko Tanaka",
        "Jane Doe",
        "A",
        "B",
    ]
