"""Texts that somebody hands in, as Markdown: DOCX, HTML, plain text; hostile files are refused."""

import io
import zipfile

import pytest

from lyra.errors import InvalidParams
from lyra.extract.draft import needs_parser, read_draft
from lyra.extract.packed import MAX_PART_BYTES

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
DOCUMENT = f"""<w:document {_W} {_R}><w:body>
<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">It fell, says </w:t></w:r>
<w:hyperlink r:id="r1"><w:r><w:t>a </w:t></w:r><w:r><w:t>study</w:t></w:r></w:hyperlink>
<w:r><w:t>.</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
<w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr><w:r><w:t>Said so.</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
</w:body></w:document>"""
RELS = '<Relationships xmlns="x"><Relationship Id="r1" Target="https://a.example/x"/></Relationships>'
NOTES = (
    f'<w:footnotes {_W}><w:footnote w:id="2"><w:p><w:r><w:t>See 令和5年.</w:t></w:r></w:p></w:footnote></w:footnotes>'
)


def docx(**parts: str | bytes) -> bytes:
    """A Word document of these parts, by name without `.xml`."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(f"word/{name}.xml" if name != "rels" else "word/_rels/document.xml.rels", content)
    return body.getvalue()


def test_a_word_document() -> None:
    """Headings, links, notes, quotations and tables."""
    found = read_draft(docx(document=DOCUMENT, rels=RELS, footnotes=NOTES), ".docx")

    assert found.text == (
        "## Title\n\nIt fell, says [a study](https://a.example/x).[^fn2]\n\n"
        "> Said so.\n\n| a | b |\n\n[^fn2]: See 令和5年."
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (docx(document="<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"), "declares entities"),
        (docx(document=b"<x>" + b" " * MAX_PART_BYTES + b"</x>"), "unpacks to more than"),
        (docx(document="<x>"), "is broken"),
        (docx(other="x"), "looks like"),
        (b"", "is empty"),
        (b"\x00\x01\x02\x03" * 99, "looks like"),
    ],
    ids=["entities", "bomb", "broken", "no document", "empty", "binary"],
)
def test_hostile_and_broken_files_are_refused(body: bytes, words: str) -> None:
    """With a sentence that says why."""
    with pytest.raises(InvalidParams, match=words):
        read_draft(body, ".docx")


def test_a_page_of_html() -> None:
    """Links, marks that lead to notes, quotations and lists; scripts are dropped."""
    markup = (
        '<html><body><h2>T</h2><script>x</script><p>It fell <a href="https://a.example/x">here</a>.'
        '<sup><a href="#n1">1</a></sup></p><blockquote><p>Said so.</p></blockquote><ul><li>a</li></ul>'
        '<ol><li id="n1">Note</li></ol></body></html>'
    )

    found = read_draft(markup.encode(), ".html")

    assert found.text.split("\n") == [
        *("## T", "", "It fell [here](https://a.example/x).[^n1]", "", "> Said so.", "", "- a", "", "[^n1]: Note")
    ]


@pytest.mark.parametrize(
    ("body", "suffix", "expected"),
    [
        (b"# A", ".md", False),
        (b"<p>A</p>", ".md", False),
        (b"<!doctype html><p>A", "", True),
        (b"<p>A</p>", ".htm", True),
        (b"%PDF-1.7 x", ".txt", True),
        (docx(document=DOCUMENT), "", True),
    ],
)
def test_what_needs_a_parser_is_read_in_a_process_of_its_own(body: bytes, suffix: str, expected: bool) -> None:
    """By the bytes first, by the ending second."""
    assert needs_parser(body, suffix) is expected
