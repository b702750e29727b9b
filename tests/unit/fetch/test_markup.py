"""A page's markup in one linear pass."""

import pytest

from lyra.fetch.markup import Outline, PageLink, Tag, outline, own_links


def test_outline_parts_words_scripts_and_tags() -> None:
    """Visible words, title and scripts are told apart; entities are read, names are lower-case."""
    page = b"<TITLE>Heart &amp; Sugar</TITLE><Form ID='f' data-x=1>Risk <b>rises</b><script>var a = 1;</SCRIPT></form>"

    assert outline(page) == Outline(
        title="heart & sugar",
        text="risk rises",
        scripts="var a = 1;",
        tags=(Tag("title", {}), Tag("form", {"id": "f", "data-x": "1"}), Tag("b", {}), Tag("script", {})),
    )


def test_japanese_page_is_read_by_its_declared_character_set() -> None:
    """A challenge in Shift_JIS is still readable."""
    page = '<meta charset="Shift_JIS"><p>人間であることを確認します</p>'.encode("shift_jis")

    assert outline(page).text == "人間であることを確認します"


def test_unclosed_script_hides_the_rest() -> None:
    """What follows an unclosed script is script, as a browser reads it."""
    assert outline(b"<p>seen</p><script>var x; <p>unseen</p>").text == "seen"


def test_unknown_character_set_is_survived() -> None:
    """A made-up charset name and stray bytes give characters, not an error."""
    assert outline(b'<meta charset="nonsense-1">\xff\xfe').text == "ÿþ"


PAGE = """<html><body><nav><a href="/">Home</a><a href="/login">Log in here</a><a href="/about">About us</a></nav>
<p><a href="detail.html#part">The full report on heart failure</a> and <a href="https://other.example/x">elsewhere</a>,
<a href="/a.pdf" rel="nofollow">not to be followed</a>, <a href="/b.png">a picture</a>,
<a href="javascript:x()">script</a>, <a href="https://data.go.jp/統計/表1">統計表の一覧</a></p>
<h2><a href='/safety/joint-pain'>Joint <b>pain</b></a></h2>
<a href="http://[broken">broken address</a></body></html>"""


def test_links_to_content_of_the_same_site_are_found() -> None:
    """Headings come first; furniture, files, other sites and broken addresses are left out."""
    found = own_links(PAGE.encode(), "https://www.data.go.jp/safety/index.html")

    assert found == (
        PageLink("https://www.data.go.jp/safety/joint-pain", "Joint pain", is_heading=True),
        PageLink("https://www.data.go.jp/safety/detail.html", "The full report on heart failure"),
        PageLink("https://data.go.jp/%E7%B5%B1%E8%A8%88/%E8%A1%A81", "統計表の一覧"),
    )


def test_hostile_markup_is_read_within_bounds() -> None:
    """A hundred thousand open links are no reason to hang."""
    assert own_links(b"<a href='/x'>" * 50_000, "https://a.example/") == ()


@pytest.mark.timeout(5)
def test_links_that_nobody_closes_are_passed_over_in_linear_time() -> None:
    """A megabyte of them took the time of a whole page's reading; the one that is closed counts."""
    body = b"<a>" * 300_000 + b'<a href="/next">The next page</a>'

    assert own_links(body, "https://x.org/a") == (PageLink("https://x.org/next", "The next page"),)
