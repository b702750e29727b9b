"""One door from bytes to a document: bytes first, declared type second, everything else refused by name."""

import pytest

from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.model.page import Document, FragmentType, Heading, Identifier

_PARAGRAPH = (
    "Sitagliptin lowered HbA1c by 0.7 percentage points compared with placebo, and hypoglycaemia was equally rare in "
    "both groups of the trial, which is in line with what earlier studies of the class had shown."
)
_HTML = f"<html><body><article><h1>T</h1><p>{_PARAGRAPH}</p></article></body></html>"


@pytest.mark.parametrize(
    ("body", "looks_like"),
    [
        (b"", "nothing"),
        (b" \n\t ", "nothing"),
        (b"PK\x03\x04\x14\x00", "ZIP archive or Office file"),
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"\xff\xd8\xff\xe0", "JPEG image"),
        (b"\x1f\x8b\x08\x00", "gzip archive"),
        (b"\x00\x00\x00\x18ftypmp42", "MP4 media file"),
        (bytes(range(32)) * 40, "binary data"),
        (b'{"title": "x"}', "JSON"),
        (b'<?xml version="1.0"?><rss version="2.0"></rss>', "XML"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(body: bytes, looks_like: str) -> None:
    """The page's outcome must say why there is no text."""
    with pytest.raises(InvalidParams) as caught:
        read_document(body, content_type="text/html")

    assert caught.value.code == "INVALID_PARAMS"
    assert caught.value.details == {"looks_like": looks_like}


@pytest.mark.parametrize("declared", ["text/css", "application/javascript", "image/svg+xml", "application/zip"])
def test_declared_types_that_hold_no_prose_are_refused(declared: str) -> None:
    """Style sheets are text, but nobody cites them."""
    with pytest.raises(InvalidParams) as caught:
        read_document(b"body { color: red }", content_type=declared)

    assert caught.value.details == {"looks_like": declared}


@pytest.mark.parametrize("declared", ["application/pdf", "text/plain", None, "application/octet-stream"])
def test_html_is_html_whatever_it_is_called(declared: str | None) -> None:
    """A challenge page served as a PDF is still a page."""
    document = read_document(_HTML.encode(), content_type=declared)

    assert document.text == _PARAGRAPH


def test_a_fragment_of_html_declared_as_such_is_read() -> None:
    """Bodies without <html> come from feeds and APIs."""
    body = f"Note first. <p>{_PARAGRAPH}</p>".encode()

    assert read_document(body, content_type="text/html; charset=utf-8").text.endswith(_PARAGRAPH)


def test_a_shift_jis_page_is_decoded_before_it_is_parsed() -> None:
    """The parser must not read the meta element again and decode twice."""
    text = "低血糖の頻度は両群で同程度であり、体重の変化にも差は認められなかったと報告されている。" * 3
    body = f'<html><head><meta charset="shift_jis"></head><body><article><p>{text}</p></article></body></html>'

    document = read_document(body.encode("cp932"), content_type="text/html")

    assert (document.text, document.language) == (text, "ja")


def test_markdown_is_read_with_its_head() -> None:
    """Notes carry title, date and author in YAML; the title is not repeated in the text."""
    body = f"""---
title: DPP-4 notes
date: 2024-03-05
author: Keiko Tanaka
---
# DPP-4 notes

## Efficacy

{_PARAGRAPH} See doi:10.1000/abc.
"""

    document = read_document(body.encode(), content_type="text/markdown", url="https://x.example/notes.md")

    described = (document.title, document.date, document.authors, document.language)
    assert described == ("DPP-4 notes", "2024-03-05", ("Keiko Tanaka",), "en")
    assert document.identifiers == (Identifier("doi", "10.1000/abc"),)
    assert [(p.type, p.headings) for p in document.passages] == [
        (FragmentType.HEADING, ()),
        (FragmentType.PARAGRAPH, (Heading(2, "Efficacy"),)),
    ]


def test_markdown_that_opens_with_a_tag_is_not_html() -> None:
    """Project pages centre their logo with a <div> before the first heading."""
    body = f'<div align="center">logo</div>\n\n# Title\n\n{_PARAGRAPH}\n'.encode()

    document = read_document(body, content_type="text/plain", url="https://x.example/README.md")

    assert document.passages[-1].headings == (Heading(1, "Title"),)


def test_plain_text_is_read_as_paragraphs() -> None:
    """RFCs, licences and old reports come as text/plain."""
    document = read_document(f"{_PARAGRAPH}\n\n{_PARAGRAPH[:59]}".encode(), content_type="text/plain")

    assert document == Document(
        title="",
        text=f"{_PARAGRAPH}\n\n{_PARAGRAPH[:59]}",
        language="en",
        passages=document.passages,
        quality=document.quality,
        extractor="lyra-extract/2",
    )
    assert [p.text for p in document.passages] == [_PARAGRAPH, _PARAGRAPH[:59]]


@pytest.mark.timeout(5)
def test_a_page_that_opens_with_many_comments_is_read() -> None:
    """Each of forty could otherwise end at the end of any later one, in 2^40 ways."""
    body = b"<!-- x -->" * 40 + b"<section-of-ours><p>Words.</p>"

    assert read_document(body, content_type="text/html").text == "Words."


@pytest.mark.timeout(5)
def test_a_long_line_of_figures_is_read_in_linear_time() -> None:
    """A thousand digits of pi are no page furniture, and finding that out must not take minutes."""
    text = "3" * 200_000 + "x"

    assert read_document(text.encode(), content_type="text/plain").text == text
