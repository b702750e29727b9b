"""Digital and scanned PDFs, read with the parsers that a client uses."""

import io
from datetime import date

import pdfplumber
import pypdfium2
import pytest

from simweb.files.digital import digital_pdf
from simweb.files.metrics import break_lines, width
from simweb.files.scanned import scanned_pdf
from simweb.markdown import parse, to_text
from simweb.model import Page, Site

ENGLISH = Site("www.x.gov", "Office of Measures", "government", "en", "government")
JAPANESE = Site("www.y.go.jp", "統計局", "government", "ja", "government")
TABLE = "| Edition | Standby |\n|---|---|\n| 2.0 | 164 mW |\n| 2.1 | 8 mW |"


def document(body: str, site: Site = ENGLISH, title: str = "Report 118", **more: int) -> Page:
    blocks = parse(body)
    return Page(site, "/r.pdf", title, blocks, to_text(blocks), date(2025, 4, 22), lang=site.language, **more)


def texts(pdf: bytes) -> list[str]:
    return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in pypdfium2.PdfDocument(pdf)]


def test_a_digital_pdf_holds_its_words_in_order() -> None:
    """Title, byline, heading, paragraph and list come out as they were written, with page furniture after them."""
    pdf = digital_pdf(document("## Result\n\nIt was 81 (eighty-one) percent.\n\n- first\n- second"))

    assert texts(pdf) == [
        "Report 118\nOffice of Measures · 2025-04-22\nResult\nIt was 81 (eighty-one) percent.\n• first\n• second\n"
        "Office of Measures\n1"
    ]


def test_japanese_needs_no_embedded_font() -> None:
    """Text in a font that readers supply by name is read back character by character, mixed with Latin."""
    pdf = digital_pdf(document("移住支援金は30歳代の転入をA市で11％増やした。", JAPANESE, "評価報告書"))

    assert texts(pdf) == ["評価報告書\n統計局 · 2025-04-22\n移住支援金は30歳代の転入をA市で11％増やした。\n統計局\n1"]


def test_a_table_is_ruled() -> None:
    """A reader that looks for lines finds rows and cells."""
    with pdfplumber.open(io.BytesIO(digital_pdf(document(TABLE)))) as pdf:
        tables = pdf.pages[0].extract_tables()

    assert tables == [[["Edition", "Standby"], ["2.0", "164 mW"], ["2.1", "8 mW"]]]


def test_two_columns_stand_side_by_side() -> None:
    """The second column starts right of the middle."""
    page = document("\n\n".join(f"Paragraph number {n} of a long report." for n in range(60)), columns=2)

    with pdfplumber.open(io.BytesIO(digital_pdf(page))) as pdf:
        starts = {round(word["x0"]) for word in pdf.pages[0].extract_words() if word["text"] == "Paragraph"}

    assert starts == {56, 308}


def test_a_long_document_has_several_sheets() -> None:
    """What does not fit goes on the next sheet, and no paragraph is lost."""
    pdf = digital_pdf(document("\n\n".join(f"Paragraph number {n} of a long report." for n in range(90))))

    sheets = texts(pdf)

    assert len(sheets) == 3
    assert sum(sheet.count("Paragraph number") for sheet in sheets) == 90


def test_a_scan_holds_a_picture_and_no_text() -> None:
    """Only a program that reads pictures can read it."""
    pdf = scanned_pdf(document(f"Five of eight units failed.\n\n{TABLE}"))

    with pdfplumber.open(io.BytesIO(pdf)) as opened:
        images = [(image["srcsize"], image["bits"]) for image in opened.pages[0].images]
    assert texts(pdf) == [""]
    assert images == [((1240, 1754), 8)]


def test_a_scan_shows_ink_where_words_are() -> None:
    """The strip with the title is far darker than an empty strip, which holds only dust."""
    pdf = pypdfium2.PdfDocument(scanned_pdf(document("Five of eight units failed.")))
    picture = pdf[0].render(scale=2).to_pil().convert("L")

    title, empty = (sum(picture.crop((0, top, 1190, top + 60)).histogram()[:128]) for top in (110, 1200))

    assert title > 1_000 > 100 > empty


def test_the_same_page_gives_the_same_bytes() -> None:
    """Files can be revalidated by their ETag."""
    page = document("Five of eight units failed.")

    assert (digital_pdf(page), scanned_pdf(page)) == (digital_pdf(page), scanned_pdf(page))


@pytest.mark.parametrize(
    ("text", "limit", "lines"),
    [
        pytest.param("one two three", 40.0, ["one two", "three"], id="words stay whole"),
        pytest.param("給食費の無償化", 30.0, ["給食費", "の無償", "化"], id="Japanese breaks anywhere"),
        pytest.param("無償化。", 30.0, ["無償化。"], id="no line starts with a full stop"),
        pytest.param("incomprehensibilities", 10.0, ["incomprehensibilities"], id="a long word sticks out"),
        pytest.param("", 10.0, [], id="nothing"),
    ],
)
def test_text_breaks_into_lines(text: str, limit: float, lines: list[str]) -> None:
    """Latin breaks between words, Japanese between characters."""
    assert break_lines(text, 10.0, limit) == lines


def test_widths_are_those_of_the_standard_fonts() -> None:
    """Latin letters have their own widths, Japanese characters are square."""
    assert (width("iW", 10.0), width("給食", 10.0)) == (pytest.approx(2.22 + 9.44), 20.0)
