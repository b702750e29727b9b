"""Markdown, HTML and DOCX: the same document in each, and foreign text that stays text."""

import io
import re
from pathlib import Path

import docx
import pytest
from lxml import html as lxml_html

from lyra.errors import ChromeNotReady, InvalidParams
from lyra.report import word
from lyra.report.appendix import appendix
from lyra.report.content import report
from lyra.report.formats import ReportFormat, format_of, render
from lyra.report.html import html, web_address
from lyra.report.markdown import escape_inline, markdown
from tests.report_data import ARABIC, HOSTILE, LONG, claim, findings, hostile_findings, refuting, supporting

NO_BROWSER = Path("/nonexistent/chrome")
FOREIGN = pytest.mark.parametrize("text", [HOSTILE, LONG, ARABIC], ids=["hostile", "long", "right to left"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("two\n\nlines", "two lines"),
        ("12 \u202e% \x1b[2Jmore", "12 % \\[2Jmore"),
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        ("[click](javascript:x)", "\\[click\\](javascript:x)"),
        ("# not a heading | `code` *bold* _x_", "\\# not a heading \\| \\`code\\` \\*bold\\* \\_x\\_"),
    ],
)
def test_page_text_cannot_shape_markdown(text: str, line: str) -> None:
    """What stands on a page is data: neither Markdown nor HTML of it takes effect."""
    assert escape_inline(text) == line


@FOREIGN
def test_page_text_cannot_shape_html(text: str) -> None:
    """No script, no handler, no address but those of http, and no control character, in report and appendix."""
    found = hostile_findings(8, text)

    pages = [html(make(found)) for make in (report, appendix)]

    for page in pages:
        tree = lxml_html.document_fromstring(page)
        assert tree.xpath("//script | //iframe | //img | //link | //object | //form | //@onerror | //@onload") == []
        assert {str(one).partition(":")[0] for one in tree.xpath("//a/@href")} == {"https"}
        assert re.findall(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", page) == []


def test_html_asks_for_nothing() -> None:
    """One file: a policy that forbids requests and scripts, one style, figures within it."""
    page = html(report(hostile_findings(8, "It is safe.")))

    tree = lxml_html.document_fromstring(page)
    policy = tree.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")[0]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert tree.xpath("//@src | //@srcset") == []
    assert re.findall(r"@import|url\((?!#)", page) == []
    assert len(tree.xpath("//figure")) == 3


def test_figures_have_their_data_beside_them() -> None:
    """A table that opens without a script, with a row for each hypothesis."""
    page = html(report(findings(claim("It is safe.", 0.8, (supporting("Safe."),), is_hypothesis=True))))

    rows = lxml_html.document_fromstring(page).xpath("(//figure)[1]/details//tbody/tr")
    assert [[cell.text_content() for cell in row] for row in rows] == [
        ["It is safe.", "Well supported", "1", "0", "0.66", "0.14–0.99"]
    ]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://a.example/x#:~:text=y", "https://a.example/x#:~:text=y"),
        ("javascript:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("http://[broken", None),
        (None, None),
    ],
)
def test_only_web_addresses_are_links(url: str | None, target: str | None) -> None:
    """Whatever a database holds."""
    assert web_address(url) == target


@FOREIGN
def test_docx_opens_whatever_a_page_says(text: str) -> None:
    """Report and appendix are valid files that say the same as the Markdown; without a browser figures are tables."""
    found = hostile_findings(8, text)

    files = [render(make(found), ReportFormat.DOCX, NO_BROWSER) for make in (report, appendix)]

    headings = [
        [one.text for one in docx.Document(io.BytesIO(file)).paragraphs if one.style.name == "Heading 1"]  # type: ignore[union-attr]
        for file in files
    ]
    names = ["Contradictions", "Findings", "Reservations", "Timeline", "Sources", "Searches"]
    assert headings == [
        ["Answer", "Evidence", *names],
        ["Contradictions (3)", "Findings (4)", "Reservations (1)", *names[3:]],
    ]


def test_docx_links_quotes_and_marks_retracted_sources() -> None:
    """Hyperlinks to the passage, and the mark in bold."""
    known = claim("It is safe.", 0.8, (supporting("Safe.", no_vote="retracted"),), is_hypothesis=True)

    made = docx.Document(io.BytesIO(render(report(findings(known)), ReportFormat.DOCX, NO_BROWSER)))

    targets = {one.target_ref for one in made.part.rels.values() if one.reltype.endswith("/hyperlink")}
    cells = made.tables[1].rows[1].cells
    marks = [run.text for run in cells[1].paragraphs[0].runs if run.bold and run.text == "RETRACTED"]
    assert targets == {"https://www.fdso.gov/a#:~:text=Safe.", "https://www.fdso.gov/a"}
    assert (cells[6].text, marks) == ("1", ["RETRACTED"])


def test_docx_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare install says what to install."""
    monkeypatch.setattr(word, "find_spec", lambda name: None)

    with pytest.raises(InvalidParams) as caught:
        render(report(findings()), ReportFormat.DOCX, None)

    assert (caught.value.message, caught.value.remedy) == (
        "DOCX needs python-docx, which is not installed.",
        "pip install 'lyra-mcp[reports]'.",
    )


def test_pdf_without_a_browser_names_the_remedy() -> None:
    """Nothing half-written."""
    with pytest.raises(ChromeNotReady) as caught:
        render(report(findings()), ReportFormat.PDF, NO_BROWSER)

    assert caught.value.remedy == "Name a Chrome or Chromium."


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("report.pdf", ReportFormat.PDF),
        ("Report.HTM", ReportFormat.HTML),
        ("a.docx", ReportFormat.DOCX),
        ("notes.txt", ReportFormat.MD),
        (None, ReportFormat.MD),
    ],
)
def test_name_of_the_file_decides_the_format(name: str | None, wanted: ReportFormat) -> None:
    """Markdown where it says nothing."""
    assert format_of(Path(name) if name else None) is wanted


def test_many_claims_stay_a_short_report() -> None:
    """3,000 claims: the Markdown that a client reads stays below 80 KB, and the appendix has all of them."""
    found = hostile_findings(3_000, "It is quite safe for adults.")

    text, rest = markdown(report(found)), markdown(appendix(found))

    assert len(text.encode()) < 80_000
    assert rest.count("\n### ") == 3_000


def test_contradiction_of_many_sources_has_three_rows() -> None:
    """And both sides are cut alike."""
    sides = (
        tuple(supporting(f"Safe {n}.", f"https://a.example/{n}") for n in range(9)),
        tuple(refuting(f"Not safe {n}.", f"https://b.example/{n}") for n in range(9)),
    )

    text = markdown(report(findings(claim("It is safe.", 0.5, *sides, is_hypothesis=True))))

    told = text.split("\n## Contradictions\n")[1].split("\n**Evidence around a claim**\n")[0]
    assert told.count("\n| “") == 3
