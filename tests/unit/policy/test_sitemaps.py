"""A site's list of its pages, read within bounds."""

import gzip

import pytest

from lyra.model.page import FetchOutcome, FetchRequest, FetchResult
from lyra.policy.sitemaps import Sitemap, SitemapEntry, named_in, pages_of, parse, words_of

BASE = "https://www.mhlw.go.jp/sitemap.xml"
URLSET = b"""<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://www.mhlw.go.jp/stf/kekka.html</loc><lastmod>2025-04-01T09:00:00+09:00</lastmod></url>
<url><loc><![CDATA[https://www.mhlw.go.jp/a?b=1&c=2]]></loc></url><url><loc>https://elsewhere.example/x</loc></url>
<url><loc>ftp://www.mhlw.go.jp/x</loc></url><url></url></urlset>"""
INDEX = b"""<sitemapindex><sitemap><loc>https://www.mhlw.go.jp/s1.xml.gz</loc></sitemap>
<sitemap><loc>https://other.example/s2.xml</loc></sitemap></sitemapindex>"""
PAGES = (
    SitemapEntry("https://www.mhlw.go.jp/stf/kekka.html", "2025-04-01"),
    SitemapEntry("https://www.mhlw.go.jp/a?b=1&c=2"),
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (URLSET, Sitemap(PAGES)),
        (gzip.compress(URLSET), Sitemap(PAGES)),
        (INDEX, Sitemap(children=("https://www.mhlw.go.jp/s1.xml.gz",))),
        (b"https://www.mhlw.go.jp/one\nnot an address\n", Sitemap((SitemapEntry("https://www.mhlw.go.jp/one"),))),
        (b"\x1f\x8bbroken", Sitemap()),
        (b"<html><body>404</body></html>", Sitemap()),
        (b"", Sitemap()),
    ],
    ids=["urlset", "zipped", "index", "plain-text", "broken-zip", "html", "empty"],
)
def test_every_form_is_read(body: bytes, expected: Sitemap) -> None:
    """Pages, parts and plain lists; addresses of other sites are left out, broken files are empty."""
    assert parse(body, BASE) == expected


def test_bomb_is_unpacked_within_bounds() -> None:
    """A zipped gigabyte is read no further than the format allows."""
    bomb = gzip.compress(b"<urlset>" + b" " * 60_000_000)

    assert parse(bomb, BASE) == Sitemap()


def test_sitemaps_are_named_by_robots() -> None:
    """Where robots.txt names none, the usual address is taken."""
    robots = "User-agent: *\nDisallow:\nSitemap: https://www.mhlw.go.jp/map.xml\nsitemap: /b.xml\n"

    assert named_in(robots, "https://www.mhlw.go.jp") == (
        "https://www.mhlw.go.jp/map.xml",
        "https://www.mhlw.go.jp/b.xml",
    )
    assert named_in("", "https://www.mhlw.go.jp") == (BASE,)


async def test_index_is_followed_one_level_down() -> None:
    """The parts of an index are read; what cannot be fetched is left out."""
    bodies = {BASE: INDEX, "https://www.mhlw.go.jp/s1.xml.gz": gzip.compress(URLSET)}

    async def get(request: FetchRequest) -> FetchResult:
        outcome = FetchOutcome.UNSUPPORTED if request.url.endswith(".gz") else FetchOutcome.OK
        return FetchResult(request.url, outcome, body=bodies[request.url])

    assert await pages_of((BASE,), get) == PAGES


def test_words_of_an_address() -> None:
    """An address speaks through its path; numbers say nothing."""
    assert words_of("https://www.mhlw.go.jp/stf/2025/04/dpp4_heart-failure.html") == "stf dpp4 heart failure"


@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<url>" * 200_000, id="entries-never-closed"),
        pytest.param(b"<url><loc>http://x.org/" * 50_000, id="addresses-never-closed"),
        pytest.param(b"<url><loc>https://[</loc></url>", id="no-address"),
    ],
)
def test_a_sitemap_that_lists_nothing_is_read_in_linear_time(body: bytes) -> None:
    """What a site sends here is read on the way to its pages."""
    assert parse(body, "https://x.org/sitemap.xml").pages == ()


@pytest.mark.timeout(5)
def test_empty_lines_without_end_name_no_sitemap() -> None:
    """Each would otherwise be the start of another look at all that follow."""
    assert named_in("\n" * 500_000, "https://x.org") == ("https://x.org/sitemap.xml",)


def test_a_sitemap_named_by_no_address_is_left_out() -> None:
    """The others stay."""
    robots = "Sitemap: http://[\nSitemap: /pages.xml"

    assert named_in(robots, "https://x.org") == ("https://x.org/pages.xml",)
