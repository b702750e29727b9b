"""Bodies are read in processes of their own: what they refuse, what they cannot survive, and what they see on scans."""

import asyncio
import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from lyra.clock import SystemClock
from lyra.errors import InvalidParams
from lyra.extract.document import read_document
from lyra.extract.draft_reader import DraftReader
from lyra.extract.process import answer
from lyra.extract.reader import DocumentReader
from lyra.extract.unread import UnreadBodies
from lyra.ml import ocr
from lyra.settings import Models
from lyra.storage.database import Database

MakePdf = Callable[..., bytes]
SENTENCE = "Admission for heart failure was equally frequent in both groups."
PAGE = f"<!doctype html><html><body><main><p>{SENTENCE} {SENTENCE}</p></main></body></html>".encode()
# Two seconds of the processor: five times the limit below, a fifth of the usual one. A note takes milliseconds.
_LINKS = "".join(f"<a href='/p{number}'>Link {number}</a> " for number in range(20_000))
_SHORT_LIMIT_S = 0.4
MANY_LINKS = f"<html><title>Links</title><body><article><p>{SENTENCE} {_LINKS}</p></article></body></html>".encode()
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


async def test_a_process_that_was_killed_is_replaced(reader: DocumentReader) -> None:
    """One kill is not the body's fault: it is read by the next process."""
    await reader.read(PAGE, content_type="text/html")
    reader._pool[0].worker.interrupt()

    document = await reader.read(PAGE, content_type="text/html")

    assert (document.text, reader._pool[0].stats.starts) == (f"{SENTENCE} {SENTENCE}", 2)


async def test_a_page_beyond_the_limit_is_given_up_after_two_tries() -> None:
    """It gets a typed reason, and the pages after it are read."""
    reader = DocumentReader(Models(), page_limit_s=_SHORT_LIMIT_S)

    with pytest.raises(InvalidParams) as caught:
        await reader.read(MANY_LINKS, content_type="text/html")
    crashes = reader._pool[0].stats.crashes
    document = await reader.read(b"Plain words of a note.", content_type="text/plain")
    await reader.close()

    assert caught.value.message == (
        "The page could not be read: the process that reads it ended twice (killed by SIGPROF)."
    )
    assert (caught.value.details, crashes) == ({"looks_like": "broken page", "tries": 2}, 2)
    assert document.text == "Plain words of a note."


async def test_a_page_that_was_given_up_is_not_read_again_after_a_restart(tmp_path: Path) -> None:
    """The next server remembers it and starts no process for it; other limits give it another chance."""
    db = await Database.open(tmp_path / "lyra.db")
    memory = UnreadBodies(db, SystemClock())
    first = DocumentReader(Models(), memory=memory, page_limit_s=_SHORT_LIMIT_S)
    with pytest.raises(InvalidParams):
        await first.read(MANY_LINKS, content_type="text/html")
    await first.close()

    later = DocumentReader(Models(), memory=memory, page_limit_s=_SHORT_LIMIT_S)
    with pytest.raises(InvalidParams) as caught:
        await later.read(MANY_LINKS, content_type="text/html")
    other = DocumentReader(Models(), memory=memory)
    document = await other.read(MANY_LINKS, content_type="text/html")
    starts = [one.stats.starts for one in later._pool]
    for closing in (later, other, db):
        await closing.close()

    assert caught.value.message.endswith("ended twice (killed by SIGPROF).")
    assert (sum(starts), document.title) == (0, "Links")


async def test_reading_that_outlived_its_server_counts_as_a_try(tmp_path: Path) -> None:
    """A page that is being read whenever the server ends is given up too."""
    db = await Database.open(tmp_path / "lyra.db")
    memory = UnreadBodies(db, SystemClock())

    await memory.note("body", "the server ended while it was being read")
    await memory.note("body", "the server ended while it was being read")
    counted = await memory.attempts("body")
    await memory.forget("body")
    forgotten = await memory.attempts("body")
    await db.close()

    assert (counted, forgotten) == ((2, "the server ended while it was being read"), (0, ""))


async def test_a_cancelled_reading_ends_its_process_at_once(reader: DocumentReader) -> None:
    """A stopped task leaves nothing at work, and the next page is read by a new process."""
    await reader.read(PAGE, content_type="text/html")
    process = psutil.Process(reader._pool[0].worker.pid)
    process.suspend()
    reading = asyncio.create_task(reader.read(PAGE, content_type="text/html"))
    await asyncio.wait({reading}, timeout=0.2)

    reading.cancel()
    gone, _ = await asyncio.to_thread(psutil.wait_procs, [process], timeout=10)
    document = await reader.read(PAGE, content_type="text/html")

    assert (gone, reading.cancelled()) == ([process], True)
    assert document.text == f"{SENTENCE} {SENTENCE}"


def test_markup_is_never_parsed_in_the_server() -> None:
    """What strangers wrote meets lxml and trafilatura only where they can do no harm."""
    program = (
        "import asyncio, sys\n"
        "from lyra.extract.reader import DocumentReader\n"
        "from lyra.settings import Models\n"
        "reader = DocumentReader(Models())\n"
        f"print(reader.read_blocking({PAGE!r}, content_type='text/html').text)\n"
        "reader.close_blocking()\n"
        "print([name for name in ('lxml', 'trafilatura', 'pypdfium2') if name in sys.modules])\n"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert printed.splitlines() == [f"{SENTENCE} {SENTENCE}", "[]"]


def test_work_that_never_ends_is_ended_by_the_kernel() -> None:
    """No library has to cooperate: the alarm ends the process."""
    program = "from lyra.extract.process import _alarm\nwith _alarm(1):\n    while True: pass"

    ended = subprocess.run([sys.executable, "-c", program], timeout=30)

    assert ended.returncode == -signal.SIGALRM


def test_html_that_claims_to_be_a_pdf_is_read_as_a_page() -> None:
    """A sign-in page under the address of a report is not the report."""
    body = f"<!doctype html><html><body><main><p>{SENTENCE} {SENTENCE}</p></main></body></html>".encode()

    document = read_document(body, content_type="application/pdf", url="https://a.example/report.pdf")

    assert document.text == f"{SENTENCE} {SENTENCE}"


def test_without_a_reader_of_pictures_a_scan_says_so() -> None:
    """No words are invented, and the remedy is named."""
    found = answer(
        {"content_type": "application/pdf", "url": "", "page_limit_s": 10}, _scan(["The dose must be halved."]), None
    )

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


async def test_a_draft_is_read_in_the_same_processes(reader: DocumentReader, tmp_path: Path) -> None:
    """A page of HTML that somebody hands in becomes Markdown; an empty one is refused by name."""
    page, empty = tmp_path / "draft.html", tmp_path / "empty.html"
    page.write_bytes(b"<html><body><h2>T</h2><p>It fell <a href='https://a.example/x'>here</a>.</p></body></html>")
    empty.write_bytes(b"<html><body></body></html>")

    draft = await DraftReader(reader).read(page)
    with pytest.raises(InvalidParams, match="The file has no text"):
        await DraftReader(reader).read(empty)

    assert draft.text == "## T\n\nIt fell [here](https://a.example/x)."


@pytest.mark.skipif(not ocr.is_installed(), reason="the extra ocr is not installed")
async def test_a_scanned_draft_is_read_where_ocr_is_installed(reader: DocumentReader, tmp_path: Path) -> None:
    """The sheets are pictures, and the words in them are what is checked."""
    path = tmp_path / "scan.pdf"
    path.write_bytes(_scan([SENTENCE]))

    draft = await DraftReader(reader).read(path)

    assert SENTENCE in draft.text
