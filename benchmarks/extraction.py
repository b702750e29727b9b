"""Measures the extractor against plain trafilatura on third-party pages, in one run.

    python benchmarks/extraction.py DATA_DIR [--details]

DATA_DIR holds `extraction/` and `pdf/` with the archives `readability/test.tar.zst`, `newspaper4k/tests.tar.zst`,
`postlight/fixtures.tar.zst`, `trafilatura/tune.tar.zst` and PDFs; `tar --zstd` unpacks them into a temporary folder.
Whole-text F1 is over word 4-grams (Japanese and Chinese: characters); segments are trafilatura's must and must-not.
"""

import argparse
import json
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

from lyra.errors import LyraError
from lyra.extract.document import read_document
from lyra.extract.fragments import to_fragments

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")
_BLOCKS = frozenset("p div li h1 h2 h3 h4 h5 h6 tr td th br pre blockquote figcaption section article dd dt".split())


@dataclass(frozen=True, slots=True)
class WholeText:
    """A page with the text that a person or a reviewed tool says is its article."""

    corpus: str
    name: str
    body: bytes
    gold: str


@dataclass(frozen=True, slots=True)
class Segments:
    """A page with strings that its text must and must not contain."""

    url: str
    body: bytes
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a system made of a page."""

    title: str
    text: str


System = Callable[[bytes, str], Reading]


def lyra(body: bytes, url: str) -> Reading:
    try:
        document = read_document(body, content_type="text/html", url=url)
    except LyraError:
        return Reading("", "")
    return Reading(document.title, document.text)


def trafilatura(**options: Any) -> System:
    from trafilatura import bare_extraction

    def read(body: bytes, url: str) -> Reading:
        found: Any = bare_extraction(body, url=url or None, include_comments=False, with_metadata=False, **options)
        return Reading("", (found.text if found is not None else "") or "")

    return read


def unpacked(archive: Path, into: Path) -> Path:
    into.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "--zstd", "-xf", str(archive), "-C", str(into)], check=True)
    return into


def readability_pages(data: Path, work: Path) -> Iterator[WholeText]:
    root = unpacked(data / "extraction/readability/test.tar.zst", work / "readability") / "test/test-pages"
    for folder in sorted(root.iterdir()):
        gold = _rendered((folder / "expected.html").read_text("utf-8"))
        yield WholeText("readability", folder.name, (folder / "source.html").read_bytes(), gold)


def newspaper_pages(data: Path, work: Path) -> Iterator[WholeText]:
    root = unpacked(data / "extraction/newspaper4k/tests.tar.zst", work / "newspaper") / "tests/data"
    for gold in sorted((root / "txt").glob("*.txt")):
        page = root / "html" / f"{gold.stem}.html"
        if page.exists():
            yield WholeText("newspaper4k", gold.stem, page.read_bytes(), gold.read_text("utf-8"))


def segment_pages(data: Path, work: Path) -> Iterator[Segments]:
    root = unpacked(data / "extraction/trafilatura/tune.tar.zst", work / "trafilatura") / "tune"
    for url, row in json.loads((root / "evaldata.json").read_text("utf-8")).items():
        address = url if url.startswith("http") else ""
        yield Segments(address, (root / "html" / row["file"]).read_bytes(), tuple(row["with"]), tuple(row["without"]))


def _rendered(markup: str) -> str:
    from lxml import html

    tree: Any = html.fromstring(markup)
    for element in tree.iter(*_BLOCKS):
        element.text = f"\n{element.text or ''}"
        element.tail = f"\n{element.tail or ''}"
    return str(tree.text_content())


def _grams(text: str, size: int = 4) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return Counter(tuple(words[i : i + size]) for i in range(max(1, len(words) - size + 1))) if words else Counter()


def precision_recall(gold: str, found: str) -> tuple[float, float]:
    wanted, given = _grams(gold), _grams(found)
    both = (wanted & given).total()
    return both / max(1, given.total()), both / max(1, wanted.total())


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def measure_whole(system: System, pages: list[WholeText], details: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    for corpus in sorted({page.corpus for page in pages}):
        scores = []
        for page in (page for page in pages if page.corpus == corpus):
            precision, recall = precision_recall(page.gold, system(page.body, "").text)
            scores.append((precision, recall))
            if details and f1(precision, recall) < 0.9:
                print(f"      {page.name:42} P {precision:.2f} R {recall:.2f}")
        p, r = fmean(s[0] for s in scores), fmean(s[1] for s in scores)
        mean = fmean(f1(*s) for s in scores)
        print(f"    {corpus:12} n {len(scores):3}  P {p:.3f}  R {r:.3f}  F1 {f1(p, r):.3f}  mean page F1 {mean:.3f}")
        found[corpus] = f1(p, r)
    return found


def measure_segments(system: System, pages: list[Segments], details: bool) -> dict[str, float]:
    hits = misses = intruders = 0
    for page in pages:
        reading = system(page.body, page.url)
        text = _plain(f"{reading.title} {reading.text}")
        missing = [segment for segment in page.wanted if _plain(segment) not in text]
        present = [segment for segment in page.unwanted if _plain(segment) in _plain(reading.text)]
        hits, misses = hits + len(page.wanted) - len(missing), misses + len(missing)
        intruders += len(present)
        if details and (missing or present):
            print(f"      {page.url[:60]:60} missing {missing[:2]} present {present[:2]}")
    p, r = hits / (hits + intruders), hits / (hits + misses)
    print(f"    segments     n {len(pages):3}  P {p:.3f}  R {r:.3f}  F1 {f1(p, r):.3f}")
    return {"segments": f1(p, r)}


def _plain(text: str) -> str:
    return " ".join(text.replace("\u00ad", "").replace("\u2063", "").split())


def measure_speed(system: System, pages: list[Segments]) -> None:
    system(pages[0].body, pages[0].url)
    timings = []
    for page in pages:
        start = time.process_time()
        system(page.body, page.url)
        timings.append((len(page.body), time.process_time() - start))
    around = [seconds for size, seconds in timings if 140_000 <= size <= 200_000]
    everything = [seconds for _, seconds in timings]
    print(
        f"    CPU time     mean {1000 * fmean(everything):.1f} ms, median {1000 * median(everything):.1f} ms; "
        f"pages of 140-200 KB (n {len(around)}): mean {1000 * fmean(around):.1f}, median {1000 * median(around):.1f} ms"
    )


def measure_japanese(data: Path, work: Path) -> None:
    root = unpacked(data / "extraction/postlight/fixtures.tar.zst", work / "postlight") / "fixtures"
    rows = []
    for path in sorted(root.glob("*.html")):
        document = read_document(path.read_bytes(), content_type="text/html")
        if ".jp" in path.name or document.language == "ja":
            rows.append((path.name, document))
    garbled = sum("\ufffd" in document.text or document.language != "ja" for _, document in rows)
    empty = [name for name, document in rows if len(document.text) < 100]
    dated = sum(document.date is not None for _, document in rows)
    print(f"  Japanese pages: {len(rows)}, garbled {garbled}, nearly empty {empty}, with date {dated}")


def measure_pdfs(data: Path, work: Path) -> None:
    unpacked(data / "pdf/pdfminer/samples.tar.zst", work / "pdfminer")
    unpacked(data / "pdf/scans/tests.tar.zst", work / "scans")
    outcomes: Counter[str] = Counter()
    start = time.process_time()
    for path in sorted(
        [*work.glob("pdfminer/**/*.pdf"), *work.glob("scans/**/*.pdf"), *data.glob("pdf/pypdf/*/*.pdf")]
    ):
        try:
            document = read_document(path.read_bytes(), content_type="application/pdf")
        except LyraError as exc:
            outcomes[str(exc.details.get("looks_like"))] += 1
            continue
        to_fragments("bench", document)
        outcomes["text" if document.text else "scanned" if document.remarks else "no text"] += 1
    print(f"  PDFs: {dict(outcomes)} in {time.process_time() - start:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="directory with extraction/ and pdf/")
    parser.add_argument("--details", action="store_true", help="name the pages that went wrong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        whole = [*readability_pages(options.data, work), *newspaper_pages(options.data, work)]
        segments = list(segment_pages(options.data, work))
        systems = {
            "trafilatura": trafilatura(),
            "trafilatura, precision": trafilatura(favor_precision=True),
            "trafilatura, recall": trafilatura(favor_recall=True),
            "lyra": lyra,
        }
        figures: dict[str, dict[str, float]] = {}
        for name, system in systems.items():
            print(f"  {name}")
            details = options.details and name == "lyra"
            figures[name] = measure_whole(system, whole, details) | measure_segments(system, segments, details)
            measure_speed(system, segments)
        for corpus, ours in figures["lyra"].items():
            best = max(figures[name][corpus] for name in systems if name != "lyra")
            print(f"  {corpus}: lyra {ours:.3f}, trafilatura's best setting {best:.3f}")
        measure_japanese(options.data, work)
        measure_pdfs(options.data, work)


if __name__ == "__main__":
    main()
