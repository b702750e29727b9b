"""Texts that somebody hands in, as Markdown: DOCX, HTML, plain text; hostile files are refused."""

import io
import zipfile
from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.extract.draft import needs_parser, read_draft
from lyra.extract.draft_reader import read_bytes
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


def numbered(*paragraphs: str) -> str:
    """A document of these paragraphs, each with what its properties hold before a bar."""
    pairs = (one.split("|") for one in paragraphs)
    body = "".join(f"<w:p><w:pPr>{own}</w:pPr><w:r><w:t>{words}</w:t></w:r></w:p>" for own, words in pairs)
    return f"<w:document {_W}><w:body>{body}</w:body></w:document>"


def item(number: int, level: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def kind(key: int, form: str, start: int = 1) -> str:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/></w:lvl>' for level in (0, 1)
    )
    return f'<w:abstractNum w:abstractNumId="{key}">{levels}</w:abstractNum>'


def instance(key: int, of: int, inside: str = "") -> str:
    return f'<w:num w:numId="{key}"><w:abstractNumId w:val="{of}"/>{inside}</w:num>'


RESTART = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
KINDS = "".join((kind(7, "decimal"), kind(8, "bullet"), kind(9, "lowerRoman", 3), kind(6, "upperLetter")))
LISTS = "".join((instance(1, 7), instance(2, 8), instance(3, 9), instance(4, 7, RESTART), instance(5, 6)))
NUMBERING = f"<w:numbering {_W}>{KINDS}{LISTS}</w:numbering>"
STYLES = (
    f'<w:styles {_W}><w:style w:styleId="ListNumber"><w:pPr>{item(1)}</w:pPr></w:style>'
    '<w:style w:styleId="Source"><w:basedOn w:val="ListNumber"/></w:style></w:styles>'
)
STYLED = '<w:pStyle w:val="Source"/>'


@pytest.mark.parametrize(
    ("paragraphs", "expected"),
    [
        pytest.param([f"{item(1)}|a", f"{item(1)}|b"], "1. a\n\n2. b", id="numbers"),
        pytest.param([f"{STYLED}|a", "|between", f"{STYLED}|b"], "1. a\n\nbetween\n\n2. b", id="style"),
        pytest.param([f"{item(2)}|a", f"{item(2)}|b"], "- a\n\n- b", id="bullets"),
        pytest.param([f"{item(3)}|a", f"{item(3)}|b"], "iii. a\n\niv. b", id="Roman, from three"),
        pytest.param([f"{item(5)}|a", f"{item(5)}|b"], "A. a\n\nB. b", id="letters"),
        pytest.param([f"{item(1)}|a", f"{item(4)}|b", f"{item(4)}|c"], "1. a\n\n1. b\n\n2. c", id="restarted"),
        pytest.param(
            [f"{item(1)}|a", f"{item(1, 1)}|b", f"{item(1)}|c", f"{item(1, 1)}|d"],
            "1. a\n\n1. b\n\n2. c\n\n1. d",
            id="levels",
        ),
        pytest.param([f"{STYLED}{item(0)}|a"], "a", id="switched off"),
        pytest.param([f"{item(99)}|a"], "- a", id="no such list"),
    ],
)
def test_numbers_that_word_sets_are_written(paragraphs: list[str], expected: str) -> None:
    """They stand in its lists and styles, and marks of the text call the entries by them."""
    body = docx(document=numbered(*paragraphs), numbering=NUMBERING, styles=STYLES)

    assert read_draft(body, ".docx").text == expected


def test_an_empty_file_names_a_remedy() -> None:
    """What to do next."""
    with pytest.raises(InvalidParams) as refused:
        read_draft(b" \n", ".md")

    assert refused.value.remedy == "Write the text into it, or name another file."


def test_a_file_that_cannot_be_opened_names_a_remedy(tmp_path: Path) -> None:
    """What to do next."""
    with pytest.raises(InvalidParams, match="cannot be opened") as refused:
        read_bytes(tmp_path / "none.md")

    assert refused.value.remedy == "Look at its name, and at who may read it."


def printed(stream: str) -> bytes:
    """A sheet with this stream of signs."""
    objects = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )
    body = "".join(f"{number} 0 obj\n{one}\nendobj\n" for number, one in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n".encode()


def test_superscripts_of_a_pdf_stay_raised() -> None:
    """They are marks of sources, and no figures; figures stay figures."""
    stream = (
        "BT /F 12 Tf 72 700 Td (It rose by 27 percent. ) Tj /F 8 Tf 5 Ts (1) Tj /F 12 Tf 0 Ts ( Then 3 fell.) Tj ET"
    )

    found = read_draft(printed(stream), ".pdf")

    assert found.text == "It rose by 27 percent.¹ Then 3 fell."
