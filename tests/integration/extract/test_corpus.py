"""Floors on third-party pages, held where that data is present. Measured 2026-11 on the archives named below."""

import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from lyra.errors import LyraError
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments


def _unpacked(archive: Path, into: Path) -> Path:
    if not archive.is_file():
        pytest.skip(f"the archive {archive.name} of the third-party data is not on this machine")
    subprocess.run(["tar", "--zstd", "-xf", str(archive), "-C", str(into)], check=True)
    return into


def _plain(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").replace("\u2063", "").split())


@pytest.mark.timeout(300)
def test_segments_that_must_and_must_not_appear(shared_data: Path, tmp_path: Path) -> None:
    """Every third of trafilatura's own pages. On all of them its best setting reaches .927, Lyra .937
    (benchmarks/extraction.py).

    It was .940 while text that a page hides was read where it was most of the page; two of these pages hide it until
    a script shows it, and a search fetches those anew by a browser.
    """
    root = _unpacked(shared_data / "extraction/trafilatura/tune.tar.zst", tmp_path) / "tune"
    hits = wanted = intruders = 0
    rows = sorted(json.loads((root / "evaldata.json").read_text("utf-8")).items())
    for url, row in rows[::3]:
        address = url if url.startswith("http") else ""
        document = read_document((root / "html" / row["file"]).read_bytes(), content_type="text/html", url=address)
        whole, text = _plain(f"{document.title} {document.text}"), _plain(document.text)
        wanted += len(row["with"])
        hits += sum(_plain(segment) in whole for segment in row["with"])
        intruders += sum(_plain(segment) in text for segment in row["without"])

    precision, recall = hits / (hits + intruders), hits / wanted

    assert 2 * precision * recall / (precision + recall) >= 0.923


def _grams(text: str) -> Counter[tuple[str, ...]]:
    found = re.findall(r"[\u3040-\u30ff\u3400-\u9fff]|\w+", text.lower())
    return Counter(zip(found, found[1:], found[2:], found[3:], strict=False))


def test_whole_articles(shared_data: Path, tmp_path: Path) -> None:
    """News in a dozen languages, by 4-grams: trafilatura's best setting reaches .964 here, Lyra .968."""
    root = _unpacked(shared_data / "extraction/newspaper4k/tests.tar.zst", tmp_path) / "tests/data"
    scores = []
    for gold in sorted((root / "txt").glob("*.txt")):
        page = root / "html" / f"{gold.stem}.html"
        if page.exists():
            wanted = _grams(gold.read_text("utf-8"))
            given = _grams(read_document(page.read_bytes(), content_type="text/html").text)
            both = (wanted & given).total()
            scores.append((both / given.total(), both / wanted.total()))
    precision, recall = (fmean(score[side] for score in scores) for side in (0, 1))

    assert 2 * precision * recall / (precision + recall) >= 0.965


def test_japanese_pages_are_read_without_mojibake(shared_data: Path, tmp_path: Path) -> None:
    """Twenty-four sites in UTF-8, Shift_JIS and EUC-JP: every text is Japanese and none has a replacement character."""
    root = _unpacked(shared_data / "extraction/postlight/fixtures.tar.zst", tmp_path) / "fixtures"
    pages = sorted(root.glob("*.jp.html")) + sorted(root.glob("japan.*.html"))

    documents = [read_document(path.read_bytes(), content_type="text/html") for path in pages]

    assert [d.title for d in documents if d.language != "ja" or "\ufffd" in d.text or len(d.text) < 100] == []


@pytest.mark.timeout(120)
def test_every_pdf_is_read_or_refused_by_name(shared_data: Path, tmp_path: Path) -> None:
    """Odd, broken, encrypted and scanned files: a document with exact passages, or a typed error."""
    _unpacked(shared_data / "pdf/pdfminer/samples.tar.zst", tmp_path)
    _unpacked(shared_data / "pdf/scans/tests.tar.zst", tmp_path)
    paths = [*tmp_path.rglob("*.pdf"), *shared_data.glob("pdf/pypdf/*/*.pdf")]
    refused, inexact = set(), []
    for path in paths:
        try:
            document = read_document(path.read_bytes(), content_type="application/pdf")
        except LyraError as exc:
            refused.add(exc.details["looks_like"])
            continue
        fragments = to_fragments("p_1", document)
        inexact += [f.id for f in fragments if document.text[f.char_start : f.char_end] != f.text_content]

    assert refused == {"encrypted PDF", "broken PDF"}
    assert inexact == []
