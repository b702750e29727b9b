"""The search form on a site's page, and the results behind it."""

import pytest

from lyra.model.domain import SearchForm
from lyra.model.search import SearchOutcome
from lyra.search.site_search import find_form, read_results, request_for

HOME = "https://www.mhlw.example.go.jp/index.html"
RESULTS = """<html><title>検索結果</title><body><header><a href="/about">児童手当のご案内</a></header>
<main><form action="/search"><input name="q"></form><ol>
<li><a href="/jidou/teate.html">児童手当制度のご案内</a><p>児童手当は児童を養育する方に支給されます。</p></li>
<li><a href="/jidou/faq.html">よくある質問</a><p>児童手当の所得制限について。</p></li>
<li><a href="https://ads.example.com/x">児童手当の広告</a></li>
<li><a href="/other.html">交通案内</a><p>地下鉄の出口から徒歩五分です。</p></li></ol></main></body></html>"""


@pytest.mark.parametrize(
    ("html", "form"),
    [
        pytest.param(
            '<form action="/search" role="search"><input type="search" name="q">'
            '<input type="hidden" name="l" value="ja"></form>',
            SearchForm("https://www.mhlw.example.go.jp/search", "q", "GET", (("l", "ja"),)),
            id="by-role",
        ),
        pytest.param(
            '<form method="post" action="kensaku.cgi"><input name="keyword" placeholder="サイト内検索"></form>',
            SearchForm("https://www.mhlw.example.go.jp/kensaku.cgi", "keyword", "POST"),
            id="japanese-post",
        ),
        pytest.param(
            '<form action="/login"><input name="q"><input type="password" name="p"></form>', None, id="login-form"
        ),
        pytest.param(
            '<form action="/contact"><input name="name"><input name="email"><textarea></textarea></form>',
            None,
            id="contact-form",
        ),
        pytest.param(
            '<form action="https://search.elsewhere.com/s"><input type="search" name="q"></form>', None, id="elsewhere"
        ),
        pytest.param("<p>no form</p>", None, id="none"),
        pytest.param("\x00\x01\x02", None, id="binary"),
    ],
)
def test_the_search_form_is_known_by_what_it_is_called(html: str, form: SearchForm | None) -> None:
    """Type, name, label and address of a form tell; log-ins, contact forms and foreign engines are no site search."""
    assert find_form(html, HOME) == form


def test_the_query_goes_into_the_form_as_it_stands() -> None:
    """Hidden fields travel along; a form that was seen by a browser is asked by a browser."""
    form = SearchForm("https://x.example/s", "q", "GET", (("l", "ja"),), needs_browser=True)
    posted = SearchForm("https://x.example/s", "kw", "POST")

    assert request_for(form, "児童手当 2026").url == (
        "https://x.example/s?l=ja&q=%E5%85%90%E7%AB%A5%E6%89%8B%E5%BD%93+2026"
    )
    assert request_for(form, "a").rungs == ("headless", "headful")
    assert (request_for(posted, "a b").body, request_for(posted, "a b").method) == (b"kw=a+b", "POST")


def test_results_are_pages_of_the_site_that_show_the_words() -> None:
    """Furniture, advertisements and entries without any word of the query are left out."""
    url = "https://www.mhlw.example.go.jp/search?q=x"
    answer = read_results(RESULTS, url, "www.mhlw.example.go.jp", "児童手当", ["児童手当"])

    assert answer.outcome is SearchOutcome.RESULTS
    assert [(item.rank, item.url) for item in answer.items] == [
        (1, "https://www.mhlw.example.go.jp/jidou/teate.html"),
        (2, "https://www.mhlw.example.go.jp/jidou/faq.html"),
    ]
    assert answer.items[0].source_tag == "site_search"


@pytest.mark.parametrize(
    ("html", "outcome"),
    [
        pytest.param("<p>該当するページはありませんでした。検索結果 0 件</p>", SearchOutcome.EMPTY, id="empty-ja"),
        pytest.param("<p>Your search did not match any pages.</p>", SearchOutcome.EMPTY, id="empty-en"),
        pytest.param("<p>Welcome to our site.</p>", SearchOutcome.FAILED, id="something-else"),
        pytest.param("%PDF-1.7", SearchOutcome.FAILED, id="no-page"),
    ],
)
def test_pages_without_results_are_told_apart(html: str, outcome: SearchOutcome) -> None:
    """Nothing found and a page that says nothing are two things; walls are known before a page is read."""
    answer = read_results(html, "https://x.example/s", "x.example", "児童手当", ["児童手当"])

    assert answer.outcome is outcome
