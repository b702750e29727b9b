"""Schema.org objects are found however the page wraps them."""

from lxml import html

from lyra.extract.metadata import jsonld_names, jsonld_objects, jsonld_types


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
