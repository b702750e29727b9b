"""Hostile bodies end in a document within bounded work."""

import pytest

from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "body",
    [
        b"<html><body>" + b"<p>a</p>" * 60_000,
        b"<html><body><article>" + b"word<br>" * 60_000,
        b"<html><body>" + b"<div>" * 5_000,
        b"<html><body>" + b"<" * 3_000_000,
        b'<html><body><p class="' + b"a " * 1_500_000 + b'">x',
        b"<html><body><article><table>" + b"<tr><td>a</td></tr>" * 30_000,
    ],
    ids=["paragraphs", "line breaks", "nesting", "brackets", "attribute", "rows"],
)
def test_megabytes_of_hostile_markup_end_in_a_document(body: bytes) -> None:
    """Work is bounded by the number of elements, so no page can hold a worker for minutes."""
    document = read_document(body, content_type="text/html")

    assert document.extractor == "lyra-extract/2"
    assert len(document.passages) <= 50_000
    assert len(to_fragments("p_1", document)) <= len(document.passages) + len(document.text) // 1_000


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "opening",
    ["<article>", "<p><time>x", "<pre><code>", "<table><tr><td>", "<div class=references><a href=http://h/x>x</a>"],
    ids=["containers", "times", "code", "tables", "references"],
)
def test_small_pages_that_nest_without_end_are_read_at_once(opening: str) -> None:
    """Twenty kilobytes took half a minute, or ended in a RecursionError."""
    body = f"<html><body><article><h1>Head</h1><p>{'Opening words. ' * 20}</p>{opening * (20_000 // len(opening))}"

    document = read_document(body.encode(), content_type="text/html", url="http://h.example/")

    assert document.text.startswith("Opening words. Opening words.")


@pytest.mark.timeout(20)
def test_links_cost_no_more_than_their_number() -> None:
    """Each of them read its whole paragraph anew, so that 1.25 MB of links took over two minutes."""
    links = "".join(f"<a href='/p{number}'>Link {number}</a> " for number in range(10_000))
    body = f"<html><body><article><h1>Head</h1><p>{'Opening words. ' * 20}{links}</p></article></body></html>"

    document = read_document(body.encode(), content_type="text/html", url="http://h.example/")

    assert (len(document.links), document.links[:1]) == (500, ("http://h.example/p0",))


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("sheet", "part"),
    [
        ("a{}" * 1_000_000, ""),
        ("@layer a{" * 40 + "a{top:0}" * 250_000, ""),
        (f"@media {'(' * 900}{{a{{top:0}}}}" * 2_000, ""),
        ("div{color:#fff}", f"<div>{'<p class=a>x y</p>' * 49_000}</div>"),
    ],
    ids=["empty rules", "layers", "brackets", "hidden paragraphs"],
)
def test_style_sheets_cost_no_more_than_their_length(sheet: str, part: str) -> None:
    """Freeing 49,000 hidden paragraphs one by one took half a minute."""
    words = "The council approved the new bridge on Monday after a long debate in the town hall about money."
    body = f"<html><head><style>{sheet}</style></head><body><article><h1>Head</h1><p>{words}</p>{part}</article></body>"

    document = read_document(body.encode(), content_type="text/html", url="http://h.example/")

    assert document.text == words
