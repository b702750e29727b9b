"""The links of a page to its own site."""

import pytest

from lyra.fetch.links import PageLink, own_links

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
