"""The kind of a page follows from what it says of itself, its address and its shape."""

import pytest

from lyra.extract.classify import Signals, page_type

_ARTICLE = frozenset({"NewsArticle"})


@pytest.mark.parametrize(
    ("signals", "kind"),
    [
        (Signals("https://journal.example/a/1", has_citation_meta=True), "paper"),
        (Signals("https://arxiv.org/abs/2401.00001"), "paper"),
        (Signals("https://x.example/a", schema_types=frozenset({"ScholarlyArticle"})), "paper"),
        (Signals("https://x.example/search?q=dpp-4", link_share=0.7), "search"),
        (Signals("https://x.example/search/", prose_chars=2000), "article"),
        (Signals("https://x.example/forum/viewtopic.php?t=1", prose_chars=900), "forum"),
        (Signals("https://x.example/a", schema_types=frozenset({"QAPage"})), "forum"),
        (Signals("https://shop.example/products/42"), "product"),
        (Signals("https://x.example/a", og_type="product.item"), "product"),
        (Signals("https://news.example/", prose_chars=500, link_share=0.3), "index"),
        (Signals("https://news.example/health", prose_chars=200, link_share=0.45), "index"),
        (Signals("https://news.example/", schema_types=_ARTICLE, og_type="article", prose_chars=800), "article"),
        (Signals("https://news.example/2024/03/05/dpp-4", has_article_element=True, prose_chars=3000), "article"),
        (Signals(), "article"),
    ],
)
def test_page_type(signals: Signals, kind: str) -> None:
    """An index or a result list must not be read as an article, and a paper leads into the academic path."""
    assert page_type(signals) == kind
