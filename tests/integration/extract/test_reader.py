"""PDFs are read in a process of their own: what it refuses, what it cannot survive, and what it sees on scans."""

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.pdf_process import answer
from lyra.extract.reader import DocumentReader
from lyra.ml import ocr
from lyra.settings import Models

MakePdf = Callable[..., bytes]
SENTENCE = "Admission for heart failure was equally frequent in both groups."
_FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader(Models())
    yield made
    made.close_blocking()


def _scan(lines: list[str], font: Path | None = None) -> bytes:
    """A PDF whose only page is a grey picture of these lines, a little askew."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("L", (1240, 700), 250)
    pen = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        face = ImageFont.truetype(str(font), 30) if font else ImageFont.load_default(30)
        pen.text((90, 80 + 60 * number), line, fill=25, font=face)
    out = io.BytesIO()
    picture.rotate(0.3, fillcolor=250).save(out, "PDF", resolution=150)
    return out.getvalue()


def test_a_pdf_reads_the_same_in_its_own_process(reader: DocumentReader, make_pdf: MakePdf) -> None:
    """Where it is read makes no difference to what is read."""
    body = make_pdf([(72.0, 730.0, 10.0, SENTENCE)])

    document = reader.read_blocking(body, content_type="application/pdf", url="https://a.example/x.pdf")

    assert document == read_document(body, content_type="application/pdf", url="https://a.example/x.pdf")
    assert document.text == SENTENCE


async def test_a_refused_file_is_refused_as_before_and_the_next_is_read(
    reader: DocumentReader, make_pdf: MakePdf
) -> None:
    """A broken file is an answer, not the end of the process."""
    with pytest.raises(InvalidParams) as caught:
        await reader.read(b"%PDF-1.7\nnothing of the kind", content_type="application/pdf")
    document = await reader.read(make_pdf([(72.0, 730.0, 10.0, SENTENCE)]), content_type=None)

    assert caught.value.details == {"looks_like": "broken PDF"}
    assert document.text == SENTENCE


async def test_a_file_that_kills_its_reader_costs_only_itself(reader: DocumentReader, make_pdf: MakePdf) -> None:
    """The server says what happened, and a new process reads the next file."""
    body = make_pdf([(72.0, 730.0, 10.0, SENTENCE)])
    reader._supervisor.submit(lambda: reader._supervisor.started().interrupt()).result()

    with pytest.raises(InvalidParams) as caught:
        await reader.read(body, content_type=None)
    document = await reader.read(body, content_type=None)

    assert caught.value.message == "The PDF could not be read within the limits on time and memory (killed by SIGKILL)."
    assert document.text == SENTENCE


def test_work_that_never_ends_is_ended_by_the_kernel() -> None:
    """No library has to cooperate: the alarm ends the process."""
    program = "from lyra.extract.pdf_process import _alarm\nwith _alarm(1):\n    while True: pass"

    ended = subprocess.run([sys.executable, "-c", program], timeout=30)

    assert ended.returncode == -signal.SIGALRM


def test_html_that_claims_to_be_a_pdf_is_read_as_a_page() -> None:
    """A sign-in page under the address of a report is not the report."""
    body = f"<!doctype html><html><body><main><p>{SENTENCE} {SENTENCE}</p></main></body></html>".encode()

    document = read_document(body, content_type="application/pdf", url="https://a.example/report.pdf")

    assert document.text == f"{SENTENCE} {SENTENCE}"


def test_without_a_reader_of_pictures_a_scan_says_so() -> None:
    """No words are invented, and the remedy is named."""
    found = answer({"content_type": "application/pdf", "url": ""}, _scan(["The dose must be halved."]), None)

    assert found["document"]["text"] == ""
    assert found["document"]["remarks"] == ("scanned, not read: page 1 (to read them: pip install 'lyra-mcp[ocr]')",)


@pytest.mark.skipif(not ocr.is_installed(), reason="the extra `ocr` (rapidocr) is not installed")
async def test_a_scan_is_read_in_the_isolated_process(reader: DocumentReader) -> None:
    """Every letter of a clean scan, with the page it stands on; OpenCV stays out of this process."""
    lines = ["The dose of sitagliptin must be halved in patients", "with moderate renal impairment."]

    document = await reader.read(_scan(lines), content_type="application/pdf")

    assert document.text == " ".join(lines)
    assert [passage.page_number for passage in document.passages] == [1]
    assert (document.remarks, document.extractor) == ((), f"lyra-extract/2 {ocr.version()}")
    assert "cv2" not in sys.modules


@pytest.mark.skipif(not ocr.is_installed(), reason="the extra `ocr` (rapidocr) is not installed")
@pytest.mark.skipif(not _FONT.is_file(), reason="the Japanese font (fonts-noto-cjk) is not installed")
async def test_a_japanese_scan_is_read(reader: DocumentReader) -> None:
    """Kanji, kana and figures."""
    lines = ["無償化の翌年、子どものいる世帯の転入は", "平均で3.1パーセント増加した。"]

    document = await reader.read(_scan(lines, _FONT), content_type="application/pdf")

    assert (document.text, document.language) == ("".join(lines), "ja")
