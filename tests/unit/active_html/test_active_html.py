"""Pages that run, load or send something, and those that do not."""

from pathlib import Path

import pytest

from lyra.active_html import is_active_html
from lyra.report.content import report
from lyra.report.findings import Findings
from lyra.report.formats import ReportFormat, render
from tests.report_data import claim, findings, hostile_findings

NO_BROWSER = Path("/nonexistent/chrome")
ACTIVE = {
    "utf-16": "\ufeff<script>1</script>".encode("utf-16"),
    "utf-16 without a mark": "<script>1</script>".encode("utf-16-le"),
    "utf-7": b"<meta charset=utf-7>+ADw-script+AD4-1+ADw-/script+AD4-",
    "utf-7 by http-equiv": b"<meta http-equiv=Content-Type content='text/html; charset=utf-7'>+ADw-",
    "first of two charsets": b"<meta charset=utf-7 charset=utf-8>",
    "iso-2022-jp": b"<p>\x1b$B</p>",
    "latin-1": "<p>caf\u00e9</p>".encode("latin-1"),
    "remote image": b'<img src="http://evil.example/p.png">',
    "remote without scheme": b"<img src=//evil.example/p.png>",
    "remote with backslashes": b"<img src='/\\evil.example/p.png'>",
    "remote by control character": b"<img src='&#1;http:evil.example'>",
    "file share": b"<img src=file://evil.example/share/p.png>",
    "srcset": b"<img srcset='a.png 1x, http://evil.example/p.png 2x'>",
    "poster": b"<video poster=https://evil.example/p.png>",
    "SVG image": b"<svg><image href=http://evil.example/p.svg /></svg>",
    "SVG use": b"<svg><use xlink:href='http://evil.example/p.svg#a'/></svg>",
    "SVG set": b"<svg><a><set attributeName=href to=javascript:a()></a></svg>",
    "ping": b"<a href=# ping=http://evil.example/>x</a>",
    "import": b"<style>@import 'http://evil.example/x.css';</style>",
    "import in a style that seems to end": b"<style/>@import 'http://evil.example/x.css';</style>",
    "import with an escape": b"<style>@\\69 mport 'http://evil.example/x.css';</style>",
    "import with a reference in SVG": b"<svg><style>@&#105;mport 'http://evil.example/x.css';</style></svg>",
    "style with url": b"<style>p{background:url( 'http://evil.example/p.png')}</style>",
    "style in a seeming comment": b"<style>a{content:'/*'}p{background:url(//e.example)}b{content:'*/'}</style>",
    "style with image-set": b"<style>p{background:image-set('http://evil.example/p.png' 1x)}</style>",
    "tag in a style": b"<svg><style><img src=x onerror=a()></style></svg>",
    "style attribute": b"<p style='background:u\\72l(http://evil.example/p.png)'>",
    "SVG fill": b"<svg><rect fill='url(http://evil.example/p.svg#a)'/></svg>",
    "script in a title": b"<svg><title><img src=x onerror=a()></title></svg>",
    "comment that browsers end earlier": b"<!-- --!><img src=x onerror=a()> -->",
    "CDATA": b"<![CDATA[ > <img src=x onerror=a()> ]]>",
    "script scheme behind a control character": b"<a href='&#1;javascript:a()'>x</a>",
    "tag that is hard to read": b'<img src=x onerror=a() =">',
}
STILL = {
    "links": b"<a href='http://example.org/'>x</a> <a href='#a'>y</a>",
    "embedded image": b"<img src='data:image/png;base64,iVBORw0KGgo='>",
    "image beside it": b"<img src=figures/a.png>",
    "words about scripts": b"<p>An onload= in words, &lt;script&gt; and url(http://example.org/).</p>",
    "own pattern": b"<svg><style>p{color:red}</style><rect fill='url(#h)'/></svg>",
    "mark and declaration": "\ufeff<!DOCTYPE html><meta charset=UTF-8><p>caf\u00e9</p>".encode(),
    "comment": b"<!-- made by hand -->",
}


@pytest.mark.parametrize("data", ACTIVE.values(), ids=ACTIVE)
def test_page_that_runs_or_loads_something_is_active(data: bytes) -> None:
    """Whatever disguise the address, the style or the encoding has."""
    assert is_active_html(data)


@pytest.mark.parametrize("data", STILL.values(), ids=STILL)
def test_page_of_words_links_and_own_images_is_not_active(data: bytes) -> None:
    """A link loads nothing before somebody follows it."""
    assert not is_active_html(data)


@pytest.mark.parametrize(
    "found", [findings(claim("It is safe.")), hostile_findings(8, "It is safe.")], ids=["plain", "hostile"]
)
def test_reports_of_lyra_are_not_active(found: Findings) -> None:
    """Also where pages have tried to put markup into them."""
    assert not is_active_html(render(report(found), ReportFormat.HTML, NO_BROWSER))
